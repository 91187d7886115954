#pragma once
/// \file
/// JSON whose members keep the order in which they were written.

#include <nlohmann/json.hpp>

namespace warpbound::cli {

using Json = nlohmann::ordered_json;

} // namespace warpbound::cli
