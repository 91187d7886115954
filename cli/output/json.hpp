#pragma once
/// \file
/// JSON whose members keep the order in which they were written, and the form of every result.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace warpbound::cli {

using Json = nlohmann::ordered_json;

/// The result of a command: an object whose first member names its form, "warpbound-NAME/1"
/// (docs/reference/json.md). `body`: its other members.
std::string json_text(std::string_view name, const Json& body);

} // namespace warpbound::cli
