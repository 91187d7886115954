#include "cli/output/json.hpp"

#include <nlohmann/json.hpp>

namespace warpbound::cli {

std::string json_text(std::string_view name, const Json& body) {
    Json result{{"schema", "warpbound-" + std::string{name} + "/1"}};
    result.update(body);
    return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace warpbound::cli
