#pragma once
/// \file
/// The texts of the descriptions that this program was built with.

#include <string_view>
#include <vector>

namespace warpbound::models {

std::vector<std::string_view> shipped_descriptions();

} // namespace warpbound::models
