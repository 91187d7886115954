#include "harness/protocol/quantity.hpp"

#include "harness/protocol/block_lives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness {

namespace {

constexpr auto quantities =
    std::to_array<std::string_view>({"region", "execution-time", "resident-blocks", "clocks",
                                     "checked-region"}); // In the enumeration's order.

/// `Source:` G23 eq. 3.9 to 3.11. Requires: every warp read the clock twice.
std::int64_t resident_blocks(const std::vector<models::WarpObservation>& warps) {
    std::int64_t most = 0;
    for (const auto& [multiprocessor, lives] : lives_of_blocks(warps))
        most = std::max<std::int64_t>(
            most, std::count_if(lives.blocks.begin(), lives.blocks.end(),
                                [&](const auto& block) { return block.begin < lives.first_end; }));
    return most;
}

} // namespace

std::string_view to_string(Quantity quantity) {
    return quantities[static_cast<std::size_t>(quantity)];
}

Result<Quantity> parse_quantity(std::string_view word, const std::string& where) {
    const auto* const found = std::find(quantities.begin(), quantities.end(), word);
    if (found != quantities.end()) return static_cast<Quantity>(found - quantities.begin());
    if (word == profiled_time)
        return Failure{"times of a profiler; they are read by `pwcet` and by <samples> of a "
                       "pipeline, and no device measures them",
                       where};
    if (is_wall_time(word))
        return Failure{
            "times of a user's kernel (`measure --module`); they are read by `pwcet` and "
            "by <samples> of a pipeline, and are not replayed",
            where};
    return Failure{
        fmt::format("unknown quantity '{}'; expected {}", word, fmt::join(quantities, ", ")),
        where};
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
        if (quantity == Quantity::CheckedRegion) {
            if (!warp.stored_right)
                return Failure{
                    fmt::format("warp {} of block {} stored no word", warp.warp, warp.block),
                    "measure"};
            times.push_back(region->count());
            times.push_back(*warp.stored_right ? 0 : 1);
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

bool is_wall_time(std::string_view quantity) {
    return quantity == profiled_time || quantity == device_time || quantity == host_time;
}

std::string_view unit_of(std::string_view quantity) {
    if (is_wall_time(quantity)) return "ns";
    return quantity == to_string(Quantity::ResidentBlocks) ? "blocks" : "cycles";
}

bool is_one_number(Quantity quantity) {
    return quantity == Quantity::ExecutionTime || quantity == Quantity::ResidentBlocks;
}

std::size_t times_of_run(Quantity quantity, const models::Launch& launch) {
    if (is_one_number(quantity)) return 1;
    const auto warps = static_cast<std::size_t>(launch.blocks * launch.warps_per_block());
    const bool are_two = quantity == Quantity::Clocks || quantity == Quantity::CheckedRegion;
    return are_two ? 2 * warps : warps;
}

std::string contradiction_in(const std::vector<std::int64_t>& times, Quantity quantity,
                             const models::Launch& launch) {
    if (times.size() != times_of_run(quantity, launch))
        return fmt::format("has {} times; expected {}", times.size(),
                           times_of_run(quantity, launch));
    if (quantity == Quantity::ResidentBlocks &&
        (times.front() < 1 || times.front() > launch.blocks))
        return fmt::format("has {} blocks on an SM; expected 1 to {}", times.front(),
                           launch.blocks);
    if (quantity == Quantity::CheckedRegion)
        for (std::size_t i = 1; i < times.size(); i += 2)
            if (times[i] != 0 && times[i] != 1)
                return fmt::format("says {} of the word that a warp stored; expected 0 or 1",
                                   times[i]);
    return {};
}

} // namespace warpbound::harness
