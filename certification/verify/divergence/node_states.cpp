#include "certification/verify/divergence/node_states.hpp"

#include "certification/verify/divergence/lane_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using Kind = SimtStack::Kind;

[[noreturn]] void refuse_nodes(const KernelCase& kernel, const std::string& what) {
    refuted(kernel.id + ": " + what);
}

/// One of the node's stacks represents all that this one does.
bool has_stack(const KernelCase& kernel, std::size_t node, const SimtStack& stack) {
    const std::vector<std::size_t>& stacks = kernel.serialized[node].stacks;
    return std::any_of(stacks.begin(), stacks.end(),
                       [&](std::size_t i) { return kernel.stacks[i].covers(stack); });
}

void note_state(const WarpState& state, NodeStates& found) {
    if (!state.stack.is_converged()) found.converged[state.block] = false;
    std::map<SimtStack::Group, std::size_t> groups;
    for (const SimtStack::Entry& entry : state.stack.entries()) {
        if (entry.kind != Kind::Pending) continue;
        const SimtStack::Group group{entry.origin, entry.resume};
        found.meanwhile[group].insert(state.block);
        std::size_t& number = groups[group];
        number = entry.one_or_more || number == NodeStates::many ? NodeStates::many : number + 1;
    }
    for (const auto& [group, number] : groups)
        found.at_once[group] = std::max(found.at_once[group], number);
}

/// How lanes come from a block to the next one of the warp.
void note_gaps(const ControlFlow& of_code, std::size_t block, const LaneSteps& steps,
               NodeStates& found) {
    for (const auto& [next, gaps] : steps.next) {
        EdgeGaps& known = found.gaps[{of_code.last[block], of_code.first[next.block]}];
        known.falls = known.falls || gaps.falls;
        known.transfers = known.transfers || gaps.transfers;
    }
}

void check_step(const KernelCase& kernel, std::size_t node, const WarpState& next) {
    const SerializedBlockRow& row = kernel.serialized[node];
    if (std::any_of(row.successors.begin(), row.successors.end(), [&](std::size_t to) {
            return kernel.serialized[to].of == next.block && has_stack(kernel, to, next.stack);
        }))
        return;
    refuse_nodes(kernel,
                 fmt::format("serialized control flow: the path of lanes from 0x{:04x} to 0x{:04x} "
                             "is missing at a node, or its stack",
                             kernel.blocks[row.of].first, kernel.blocks[next.block].first));
}

} // namespace

NodeStates check_stacks(const KernelCase& kernel, const ControlFlow& of_code) {
    NodeStates found;
    found.converged.assign(kernel.blocks.size(), true);
    if (!has_stack(kernel, 0, {}))
        refuse_nodes(kernel, "serialized control flow: node 0 lacks the empty stack of the start");
    LaneRules rules{kernel, of_code};
    std::map<std::pair<std::size_t, std::size_t>, LaneSteps> known; // By block and stack.
    for (std::size_t node = 0; node < kernel.serialized.size(); ++node)
        for (const std::size_t stack : kernel.serialized[node].stacks) {
            const std::size_t block = kernel.serialized[node].of;
            const auto [steps, fresh] = known.try_emplace({block, stack});
            if (fresh) {
                const WarpState state{block, kernel.stacks[stack]};
                note_state(state, found);
                steps->second = rules.after(state);
                note_gaps(of_code, block, steps->second, found);
            }
            if (steps->second.ends && !kernel.blocks[block].exits)
                refuse_nodes(kernel,
                             "serialized control flow: a path does not end where all lanes have");
            for (const auto& step : steps->second.next)
                check_step(kernel, node, step.first);
        }
    found.passed_over = rules.passed_over();
    return found;
}

} // namespace warpbound::certification::verify
