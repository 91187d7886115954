#pragma once
/// \file
/// The texts of the descriptions that this program was built with, and what was compared with
/// measured kernels.

#include <string_view>
#include <vector>

namespace warpbound::models {

struct ShippedDescription {
    std::string_view name; ///< "turing-t4"
    std::string_view text; ///< XML, as the file has it.
};

/// Sorted by name.
std::vector<ShippedDescription> shipped_descriptions();
/// The table whole_kernels.csv.
std::string_view shipped_comparisons();

} // namespace warpbound::models
