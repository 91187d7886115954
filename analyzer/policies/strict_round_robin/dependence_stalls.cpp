#include "analyzer/policies/strict_round_robin/dependence_stalls.hpp"

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/pending_times.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

void raise(std::int64_t& most, std::int64_t cycles) {
    most = std::max(most, cycles);
}

/// Stall by the gap and the barrier of an instruction, from its issue on.
std::int64_t stall_after(const TimedKernel& kernel, const LaunchGeometry& shape,
                         const OwnUses& uses, std::size_t i, bool may_transfer) {
    std::int64_t most = std::max(uses.timing(i).gap.hi, shape.issue_slot.hi);
    if (may_transfer) raise(most, uses.timing(i).gap_taken.hi);
    // Whether the line is looked up after an edge is not told apart.
    if (may_transfer && kernel.delivery.lines) raise(most, kernel.delivery.lines->wait);
    if (uses.timing(i).is_barrier_wait) raise(most, uses.result(i));
    return most;
}

/// Calls `use(i, lag)` for every instruction that may execute; by `lag` its result may be later
/// than its issue makes it, since a grant of register reads may follow late (S33).
template <class Use>
void for_each_use(const TimedKernel& kernel, const LaunchGeometry& shape, Use use) {
    const std::int64_t lag = longest_read_lag(kernel, shape);
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        const bool lags = kernel.registers.reads && kernel.registers.reads->has_fixed_latency[i];
        if (kernel.used[i]) use(i, lags ? lag : 0);
    }
}

/// What any instruction of the kernel may occupy, right after its issue.
PendingTimes occupied_by_any(const TimedKernel& kernel, const LaunchGeometry& shape,
                             const OwnUses& uses) {
    PendingTimes pending;
    for_each_use(kernel, shape, [&](std::size_t i, std::int64_t lag) {
        uses.occupy_sources(i, pending);
        uses.occupy_results(i, lag, pending);
    });
    return pending;
}

std::int64_t longest_completion(const TimedKernel& kernel, const LaunchGeometry& shape,
                                const OwnUses& uses) {
    std::int64_t most = 1; // C2.
    for_each_use(kernel, shape, [&](std::size_t i, std::int64_t lag) {
        raise(most, models::plus(uses.result(i), lag));
        const auto& control = uses.instruction(i).control;
        if (control && control->read_barrier) raise(most, uses.source_read(i));
    });
    return most;
}

} // namespace

LongestStalls stalls_in_any_order(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const assembly::ControlFlowGraph& graph = *kernel.graph;
    const OwnUses uses{kernel};
    const PendingTimes pending = occupied_by_any(kernel, shape, uses);
    LongestStalls stalls;
    stalls.completion = longest_completion(kernel, shape, uses);
    stalls.instructions = per_instruction(kernel, [&](std::size_t i, const Timing&) {
        return uses.wait(i, pending, [](const OwnResource&) { return false; });
    });
    const auto add_successor = [&](std::size_t i, std::size_t before, bool may_transfer) {
        if (kernel.used[i] && kernel.used[before])
            raise(stalls.instructions[i], stall_after(kernel, shape, uses, before, may_transfer));
    };
    for (const assembly::BasicBlock& block : graph.blocks) {
        for (std::size_t i = block.first + 1; i <= block.last; ++i)
            add_successor(i, i - 1, false);
        for (const std::size_t edge : block.out)
            add_successor(graph.blocks[graph.edges[edge].to].first, block.last, true);
    }
    return stalls;
}

} // namespace warpbound::analyzer
