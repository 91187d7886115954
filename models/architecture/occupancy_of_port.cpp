/// \file
/// How long an instruction holds its port and drains its stores, by the values found for it.
#include "models/architecture/instruction_timing.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace warpbound::models {

Interval occupancy_of_port(const InstructionTiming& timing) {
    std::int64_t least = times(timing.initiation.lo, timing.passes.lo);
    if (timing.line_interval)
        least = std::max(timing.initiation.lo, times(timing.line_interval->lo, timing.passes.lo));
    return {.lo = std::max(least, timing.least_occupancy.lo),
            .typical = std::nullopt,
            .hi = longest_occupancy_of_port(timing, timing.passes.hi)};
}

std::int64_t longest_occupancy_of_port(const InstructionTiming& timing, std::int64_t passes) {
    const std::int64_t longest =
        timing.line_interval
            ? std::max(timing.initiation.hi, times(timing.line_interval->hi, passes))
            : times(timing.initiation.hi, passes);
    return std::max(longest, timing.least_occupancy.hi);
}

void free_port(InstructionTiming& timing) {
    timing.initiation = {0, std::nullopt, 0};
    timing.line_interval.reset();
}

Interval drain_of_store(const InstructionTiming& timing, const Interval& drain) {
    const auto drains = [&](std::int64_t of_transaction, std::int64_t of_sector,
                            std::int64_t transactions) {
        const std::int64_t by_transactions = times(of_transaction, transactions);
        if (!timing.sector_drain) return by_transactions;
        const std::int64_t sectors = std::min(times(timing.sector_drain->of_line, transactions),
                                              timing.sector_drain->of_access);
        return std::max(by_transactions, times(of_sector, sectors));
    };
    const Interval of_sector = timing.sector_drain ? timing.sector_drain->time : Interval{0, 0, 0};
    return {.lo = drains(drain.lo, of_sector.lo, timing.passes.lo),
            .typical = std::nullopt,
            .hi = drains(drain.hi, of_sector.hi, timing.passes.hi)};
}

} // namespace warpbound::models
