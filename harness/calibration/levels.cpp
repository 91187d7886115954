#include "harness/calibration/levels.hpp"

#include "harness/suite/benchmarks/cache_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

Result<Levels> Levels::of(const Measurements& measurements, const Basis& basis) {
    const auto* hit = measurements.find(loaded_point);
    const auto* cold = measurements.find(cold_point);
    if (hit == nullptr) return Failure{measurements.why_not(loaded_point)};
    if (cold == nullptr) return Failure{measurements.why_not(cold_point)};
    const auto near = distances(*hit, basis);
    const auto far = distances(*cold, basis);
    const Levels levels{basis,
                        {hit, cold},
                        *std::max_element(near.begin(), near.end()),
                        *std::min_element(far.begin(), far.end())};
    if (levels.slowest_hit_ >= levels.fastest_cold_)
        return Failure{"a line that was loaded before is no faster"};
    return levels;
}

Result<bool> Levels::within(Level level, const RecordedSeries& series) const {
    const auto times = distances(series, basis_);
    const std::int64_t latest = level == Level::L1 ? slowest_hit_ : fastest_cold_ - 1;
    const auto inside = std::count_if(times.begin(), times.end(),
                                      [&](std::int64_t time) { return time <= latest; });
    return most_are(inside, static_cast<std::int64_t>(times.size()), series.key.name);
}

Result<bool> most_are(std::int64_t inside, std::int64_t all, const std::string& series) {
    if (20 * std::min(inside, all - inside) > 3 * all)
        return Failure{fmt::format("of {} loads of {} {} are faster than the next level: the level "
                                   "that serves them is random",
                                   all, series, inside)};
    return inside > all - inside;
}

} // namespace warpbound::harness
