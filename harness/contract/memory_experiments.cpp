/// \file
/// What shared loads, stores and pointer chases are required to take.

#include "harness/contract/contract_values.hpp"
#include "harness/contract/experiments.hpp"
#include "harness/suite/benchmarks/contract_benchmarks.hpp"
#include "models/architecture/pass_rule.hpp"
#include "models/facts/address_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpbound::harness::contract {

namespace {

/// A load and the addition that waits for it.
constexpr std::int64_t loop_operations = 2;

/// Of a shared load whose lanes are `stride` words apart (C22). NVIDIA's machines have a bank for
/// each lane of a warp; a wavefront may have more lanes than there are banks.
std::int64_t passes_at(ContractValues& values, std::int64_t stride) {
    if (!is_amd(values.architecture().target)) return stride;
    const auto number = [&](std::string_view path) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(values.of(path).lo, 1));
    };
    const models::AccessRule rule{.rule = models::PassRule::Banks,
                                  .banks = number("memories/shared/banks"),
                                  .width = number("memories/shared/bank-width")};
    models::LaneAddresses lanes;
    const auto count = std::min<std::uint64_t>(number("geometry/warp-size"), models::most_lanes);
    for (std::size_t lane = 0; lane < count; ++lane)
        lanes.address[lane] = lane * static_cast<std::uint64_t>(stride) * lanes.bytes;
    lanes.active = models::all_lanes(static_cast<std::int64_t>(count));
    if (objection_to(rule, static_cast<std::int64_t>(count))) return stride;
    return passes_of(rule, lanes);
}

} // namespace

/// Of two loops with the same code but for the addresses.
Result<std::vector<Requirement>> require_conflicts(const models::Architecture& architecture,
                                                   const ContractSeries&) {
    ContractValues values{architecture};
    const auto latency = values.of("classes/load-shared/latency");
    const auto pass = values.of("classes/load-shared/pass-cost");
    const auto initiation = values.of("classes/load-shared/initiation");
    const std::int64_t few = passes_at(values, conflict_degrees.few);
    const std::int64_t many = passes_at(values, conflict_degrees.many);
    const std::int64_t later = many - few;
    Requirement least;
    least.point = fmt::format("contract-conflict/n={}", conflict_degrees.many);
    least.at_least = contract_trips * (latency.lo + (many - 1) * pass.lo) - values.clock_error();
    least.relation = fmt::format("at least {} x (latency {} + {} x pass cost {}), less {} of the "
                                 "clock reads",
                                 contract_trips, text_of(latency), many - 1, text_of(pass),
                                 values.clock_error());
    std::vector<Requirement> all{least};
    if (const auto error = loop_error(values, loop_operations, true)) {
        const std::int64_t by_result =
            later * pass.hi + latency.hi - latency.lo + error->each_iteration;
        const std::int64_t by_port = many * initiation.hi - latency.lo;
        Requirement most;
        most.point = least.point;
        most.less = fmt::format("contract-conflict/n={}", conflict_degrees.few);
        most.at_most =
            contract_trips * std::max(by_result, by_port) + error->once + 2 * values.clock_error();
        most.relation = fmt::format(
            "at most {} x the larger of {} x pass cost {} and {} x initiation {}, with what the "
            "latencies {} and the loop differ by",
            contract_trips, later, text_of(pass), many, text_of(initiation), text_of(latency));
        all.push_back(std::move(most));
    }
    if (values.missing()) return *values.missing();
    return all;
}

/// Entries drain in order: the last store enters when all but the buffered ones have drained.
Result<std::vector<Requirement>> require_stores(const models::Architecture& architecture,
                                                const ContractSeries&) {
    ContractValues values{architecture};
    const auto entries = values.of("write-buffer/entries");
    const auto drain = values.of("write-buffer/drain");
    constexpr std::int64_t stores = contract_warps * contract_stores;
    Requirement least;
    least.point = fmt::format("contract-stores/warps={}", contract_warps);
    least.at_least = (stores - entries.hi) * drain.lo - values.clock_error();
    least.relation = fmt::format("at least ({} stores - {} entries) x drain {}, less {} of the "
                                 "clock reads",
                                 stores, text_of(entries), text_of(drain), values.clock_error());
    if (values.missing()) return *values.missing();
    return std::vector<Requirement>{least};
}

Result<std::vector<Requirement>> require_chase(const models::Architecture& architecture,
                                               const ContractSeries&) {
    ContractValues values{architecture};
    const std::int64_t fastest =
        std::min({values.of("memories/l1/latency").lo, values.of("memories/l2/latency").lo,
                  values.of("memories/dram/latency").lo});
    constexpr std::int64_t loads = 2 * chase_footprint / chase_stride;
    Requirement least;
    least.point = "contract-chase";
    least.at_least = loads * fastest - values.clock_error();
    least.relation = fmt::format("at least {} loads x {}, the least latency of a level, less {} of "
                                 "the clock reads",
                                 loads, fastest, values.clock_error());
    if (values.missing()) return *values.missing();
    return std::vector<Requirement>{least};
}

} // namespace warpbound::harness::contract
