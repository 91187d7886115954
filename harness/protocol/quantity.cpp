#include "harness/protocol/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

std::string_view to_string(Quantity quantity) {
    switch (quantity) {
    case Quantity::Region:
        return "region";
    case Quantity::Clocks:
        return "clocks";
    case Quantity::ExecutionTime:
        break;
    }
    return "execution-time";
}

Result<std::vector<std::int64_t>> times_of(const models::Observation& observation,
                                           Quantity quantity) {
    if (quantity == Quantity::ExecutionTime)
        return std::vector<std::int64_t>{observation.execution_time.count()};
    std::vector<std::int64_t> times;
    std::int64_t earliest = 0;
    for (const auto& warp : observation.warps) {
        const auto region = warp.region();
        if (!region)
            return Failure{fmt::format("warp {} of block {} read the clock fewer than two times; a "
                                       "timed region needs two reads",
                                       warp.warp, warp.block),
                           "measure"};
        if (quantity == Quantity::Region) {
            times.push_back(region->count());
            continue;
        }
        const std::int64_t first = warp.first_clock->count();
        earliest = times.empty() ? first : std::min(earliest, first);
        times.push_back(first);
        times.push_back(warp.last_clock->count());
    }
    if (quantity == Quantity::Clocks)
        for (auto& time : times)
            time -= earliest;
    return times;
}

} // namespace warpbound::harness
