#pragma once
/// \file
/// JSON whose members keep the order in which they were written, and the form of every result.

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace warpbound::cli {

using Json = nlohmann::ordered_json;

/// The result of a command: an object whose first member names its form, "warpbound-NAME/1"
/// (docs/reference/json.md). `body`: its other members.
inline std::string json_text(std::string_view name, const Json& body) {
    Json result{{"schema", "warpbound-" + std::string{name} + "/1"}};
    result.update(body);
    return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace warpbound::cli
