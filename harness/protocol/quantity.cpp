#include "harness/protocol/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::harness {

std::string_view to_string(Quantity quantity) {
    switch (quantity) {
    case Quantity::Region:
        return "region";
    case Quantity::Clocks:
        return "clocks";
    case Quantity::ResidentBlocks:
        return "resident-blocks";
    case Quantity::ExecutionTime:
        break;
    }
    return "execution-time";
}

namespace {

/// `Source:` G23 eq. 3.9 to 3.11. Requires: every warp read the clock twice.
std::int64_t resident_blocks(const std::vector<models::WarpObservation>& warps) {
    struct Block {
        models::Cycles begin;
        models::Cycles end;
    };
    std::map<std::int64_t, std::map<std::int64_t, Block>> multiprocessors;
    for (const auto& warp : warps) {
        auto& blocks = multiprocessors[warp.multiprocessor];
        auto& block = blocks.try_emplace(warp.block, Block{*warp.first_clock, *warp.last_clock})
                          .first->second;
        block.begin = std::min(block.begin, *warp.first_clock);
        block.end = std::max(block.end, *warp.last_clock);
    }
    std::int64_t most = 0;
    for (const auto& [number, blocks] : multiprocessors) {
        const auto first_end =
            std::min_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
                return a.second.end < b.second.end;
            })->second.end;
        most = std::max<std::int64_t>(
            most, std::count_if(blocks.begin(), blocks.end(),
                                [&](const auto& block) { return block.second.begin < first_end; }));
    }
    return most;
}

} // namespace

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
    if (quantity == Quantity::ResidentBlocks)
        return std::vector<std::int64_t>{resident_blocks(observation.warps)};
    if (quantity == Quantity::Clocks)
        for (auto& time : times)
            time -= earliest;
    return times;
}

std::string_view unit_of(std::string_view quantity) {
    return quantity == to_string(Quantity::ResidentBlocks) ? "blocks" : "cycles";
}

std::size_t times_of_run(Quantity quantity, const models::Launch& launch) {
    const auto warps = static_cast<std::size_t>(launch.blocks * launch.warps_per_block());
    switch (quantity) {
    case Quantity::ExecutionTime:
    case Quantity::ResidentBlocks:
        return 1;
    case Quantity::Clocks:
        return 2 * warps;
    case Quantity::Region:
        break;
    }
    return warps;
}

} // namespace warpbound::harness
