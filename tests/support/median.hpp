#pragma once
/// \file
/// The median of what a campaign measured.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpbound::tests {

/// Of an even number of values the upper one of the middle two; 0 of none.
inline double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace warpbound::tests
