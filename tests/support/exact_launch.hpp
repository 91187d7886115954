#pragma once
/// \file
/// The best and the worst execution time of a tiny launch over all choices that work-conserving
/// warp schedulers can make, or over all that one policy leaves open, by exhaustive search. Written
/// from docs/reference/timing-contract.md alone: it shares no rule with the simulator or the
/// analyzer.

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/launch/warp_policy.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::tests {

struct ExactTimes {
    std::int64_t best = 0;
    std::int64_t worst = 0;
};

/// For straight-line code on an interlocked machine whose values are all exact. On several
/// multiprocessors over all choices of the dispatcher, too. Nothing when more than `most_states`
/// states would have to be remembered. `policy`: `lrr` or `srr`, each scheduler's search may begin
/// at any place; or `variable-rate` that is not conserving, each may start in any cycle of a round
/// of slots. None: any work-conserving choices.
std::optional<ExactTimes> exact_times(const assembly::Function& function,
                                      const models::Architecture& architecture,
                                      const models::FlowFacts& facts, const models::Launch& launch,
                                      std::size_t most_states, std::size_t multiprocessors = 1,
                                      const models::WarpPolicy* policy = nullptr);

} // namespace warpbound::tests
