#pragma once
/// \file
/// Medians of what a campaign or a comparison measured. Of an odd number of values all are the
/// middle one.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::tests {

/// Of an even number of values the upper one of the middle two; none of none.
template <typename Value> std::optional<Value> upper_median_of(std::vector<Value> values) {
    if (values.empty()) return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Likewise; 0 of none.
inline double median_of(std::vector<double> values) {
    return upper_median_of(std::move(values)).value_or(0);
}

/// Of an even number of values the mean of the middle two. Requires: values.
inline double interpolated_median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

} // namespace warpbound::tests
