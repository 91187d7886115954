#include "harness/calibration/relations.hpp"
#include "harness/card_identity.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/emission/ptx_semaphore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace warpbound::harness {

void read_residency(const Measurements& measurements, Ledger& ledger) {
    constexpr const char* warps_path = "limits/max-warps";
    constexpr const char* blocks_path = "limits/max-blocks";
    std::map<std::int64_t, std::int64_t> resident;
    std::vector<const RecordedSeries*> series;
    for (std::int64_t warps = 1; warps <= contending_warps; ++warps) {
        const auto* one = measurements.find(
            fmt::format("resident-warps/warps={}/blocks={}", warps, resident_at_most));
        if (one == nullptr) continue;
        const auto count = constant_time(one);
        if (!count) continue;
        resident[warps] = *count;
        series.push_back(one);
    }
    const auto one_warp = resident.find(1);
    if (one_warp == resident.end()) {
        const char* const why = "blocks of one warp were not measured, or their number varies";
        ledger.unidentified(warps_path, why);
        ledger.unidentified(blocks_path, why);
        return;
    }
    // A listing states no registers, so they are no limit (C30); threads of a card always have
    // some.
    const bool runs_listings = is_amd(measurements.target()) && !is_card(measurements.device());
    const std::string assumption =
        measurements.interlocks() || runs_listings
            ? std::string{}
            : fmt::format("taken with {} registers of a thread, which are assumed not to limit",
                          least_semaphore_registers);
    // Of AMD's machines the number of blocks limits those of several wavefronts, which need a
    // barrier (C104).
    const auto two_warps = resident.find(2);
    const bool by_barriers = is_amd(measurements.target());
    if (by_barriers && two_warps == resident.end()) {
        ledger.unidentified(warps_path, "blocks of two wavefronts were not measured");
        ledger.unidentified(blocks_path, "blocks of two wavefronts were not measured");
        return;
    }
    const auto& [fewest_warps, most_blocks] = by_barriers ? *two_warps : *one_warp;
    std::int64_t least = one_warp->second;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const auto& [warps, blocks] : resident) {
        least = std::max(least, warps * blocks);
        // Fewer blocks than of the fewest warps: the number of warps is the limit.
        if (warps > fewest_warps && blocks < most_blocks)
            most = std::min(most, warps * (blocks + 1) - 1);
    }
    if (most_blocks >= resident_at_most)
        ledger.unidentified(blocks_path,
                            fmt::format("at least {}: no more were launched", resident_at_most));
    else if (least - fewest_warps * most_blocks >= fewest_warps)
        ledger.read(blocks_path, {{most_blocks, most_blocks, most_blocks},
                                  Sharpness::Exact,
                                  "resident-warps",
                                  series,
                                  assumption});
    else
        ledger.unidentified(
            blocks_path, fmt::format("at least {}: the warps of so many fill an SM", most_blocks));
    if (least == most)
        ledger.read(
            warps_path,
            {{least, least, least}, Sharpness::Exact, "resident-warps", series, assumption});
    else if (least > most)
        ledger.unidentified(warps_path, fmt::format("blocks of several sizes say at least {} and "
                                                    "at most {}",
                                                    least, most));
    else
        ledger.unidentified(warps_path,
                            fmt::format("at least {}, and no block size shows more", least));
}

} // namespace warpbound::harness
