#include "harness/protocol/per_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::harness {

namespace {

const RegionTimes* find(std::span<const RegionTimes> regions, std::int64_t n) {
    const auto found = std::find_if(regions.begin(), regions.end(),
                                    [n](const RegionTimes& region) { return region.n == n; });
    return found == regions.end() ? nullptr : &*found;
}

/// Whether the times of n / 2, n and 2n are constant and collinear.
bool on_a_line(const RegionTimes& half, const RegionTimes& one, const RegionTimes& two) {
    return half.is_constant() && one.is_constant() && two.is_constant() &&
           two.best - one.best == 2 * (one.best - half.best);
}

} // namespace

std::optional<PerOperation> per_operation(std::span<const RegionTimes> regions,
                                          const std::optional<RegionTimes>& empty,
                                          bool adds_to_empty) {
    const RegionTimes* one = nullptr;
    for (const auto& region : regions)
        if (region.n > 0 && find(regions, 2 * region.n) != nullptr) one = &region;
    if (one == nullptr) return std::nullopt;
    const RegionTimes& two = *find(regions, 2 * one->n);
    const auto n = static_cast<double>(one->n);
    PerOperation result;
    result.n = one->n;
    result.by_slope = (two.mean - one->mean) / n;
    result.overhead = 2 * one->mean - two.mean;
    if (!empty) return result;
    result.by_empty = (two.mean - empty->mean) / (2 * n);
    const RegionTimes* half = one->n % 2 == 0 ? find(regions, one->n / 2) : nullptr;
    if (!adds_to_empty || half == nullptr || !empty->is_constant() || !on_a_line(*half, *one, two))
        return result;
    if (std::abs(result.overhead - empty->mean) > 1)
        result.disagreement = fmt::format(
            "the times of {}, {} and {} operations leave {:.0f} cycles for none, but the empty "
            "region takes {}; expected a difference of at most one cycle",
            half->n, one->n, two.n, result.overhead, empty->best);
    return result;
}

} // namespace warpbound::harness
