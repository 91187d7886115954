#include "analyzer/microarchitecture/unseen_counters.hpp"

#include <algorithm>
#include <cstdint>

namespace warpbound::analyzer {

namespace {

unsigned announced_by(const assembly::Control& control) {
    unsigned mask = 0;
    for (const auto& scoreboard : {control.write_barrier, control.read_barrier})
        if (scoreboard) mask |= 1U << static_cast<unsigned>(*scoreboard);
    return mask;
}

/// Per instruction, a mask: the scoreboards on which it may begin an operation that the next one
/// does not see.
std::vector<unsigned>
late_increments(const assembly::Function& function, const models::Architecture& architecture,
                const std::vector<Result<models::InstructionTiming>>& timings) {
    std::vector<unsigned> late(function.instructions.size(), 0);
    const auto* delay = architecture.schedulers.find("counter-delay");
    if (delay == nullptr || !delay->interval) return late;
    const auto* slot = architecture.schedulers.find("issue-slot");
    const std::int64_t between_choices = slot != nullptr && slot->interval ? slot->interval->lo : 1;
    for (std::size_t i = 0; i < late.size(); ++i) {
        const auto& control = function.instructions[i].control;
        if (!timings[i] || !control) continue;
        const models::InstructionTiming& timing = timings[i].value();
        const std::int64_t gap =
            std::max(std::min(timing.gap.lo, timing.gap_taken.lo), between_choices);
        if (gap <= delay->interval->hi) late[i] = announced_by(*control);
    }
    return late;
}

} // namespace

std::vector<unsigned>
unseen_counters(const assembly::Function& function, const models::Architecture& architecture,
                const std::vector<Result<models::InstructionTiming>>& timings) {
    const std::vector<unsigned> late = late_increments(function, architecture, timings);
    std::vector<unsigned> unseen(late.size(), 0);
    unsigned after_transfers = 0;
    for (std::size_t i = 0; i < late.size(); ++i)
        if (function.instructions[i].control_flow != assembly::ControlFlow::None)
            after_transfers |= late[i];
        else if (i + 1 < late.size())
            unseen[i + 1] = late[i];
    for (unsigned& mask : unseen)
        mask |= after_transfers;
    return unseen;
}

std::vector<unsigned>
unseen_by_warps(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                const models::Architecture& architecture,
                const std::vector<Result<models::InstructionTiming>>& timings) {
    const std::vector<unsigned> late = late_increments(function, architecture, timings);
    std::vector<unsigned> unseen = unseen_counters(function, architecture, timings);
    unsigned at_ends = 0;
    for (const assembly::BasicBlock& block : graph.blocks)
        at_ends |= late[block.last];
    for (const assembly::BasicBlock& block : graph.blocks)
        unseen[block.first] |= at_ends;
    return unseen;
}

} // namespace warpbound::analyzer
