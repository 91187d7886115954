#include "certification/verify/divergence/warp_cfg.hpp"

#include "certification/verify/divergence/node_states.hpp"
#include "certification/verify/divergence/pending_groups.hpp"
#include "certification/verify/flow/only_path.hpp"
#include "certification/verify/flow/representatives.hpp"
#include "certification/verify/machine_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::certification::verify {

namespace {

[[noreturn]] void fail(const KernelCase& kernel, const std::string& what) {
    refuted(kernel.id + ": " + what);
}

ControlFlow flow_of_nodes(const KernelCase& kernel, const ControlFlow& of_code) {
    ControlFlow nodes;
    for (const SerializedBlockRow& node : kernel.serialized) {
        const BlockRow& block = kernel.blocks[node.of];
        nodes.blocks.push_back({block.first, block.last, block.exits, node.successors});
        nodes.first.push_back(of_code.first[node.of]);
        nodes.last.push_back(of_code.last[node.of]);
        nodes.never.push_back(of_code.never[node.of]);
    }
    if (kernel.serialized.front().of != 0) fail(kernel, "node 0 is not of the entry");
    return nodes;
}

std::vector<std::size_t> nodes_per_block(const KernelCase& kernel) {
    std::vector<std::size_t> nodes(kernel.blocks.size(), 0);
    for (const SerializedBlockRow& node : kernel.serialized)
        ++nodes[node.of];
    return nodes;
}

/// At a barrier the critical path may change to another warp: both are at the same node.
void check_barriers(const KernelCase& kernel, const ControlFlow& of_code) {
    const std::vector<std::size_t> nodes = nodes_per_block(kernel);
    for (std::size_t block = 0; block < nodes.size(); ++block)
        for (std::size_t i = of_code.first[block]; i <= of_code.last[block]; ++i)
            if (nodes[block] > 1 &&
                assembly::synchronizes_threads(kernel.function->instructions[i]))
                fail(kernel, fmt::format("the block of the barrier at 0x{:04x} has several nodes",
                                         kernel.function->instructions[i].address));
}

/// Control flow of code and of nodes, by what loops and groups are looked up by.
struct LoopIndex {
    LoopIndex(const KernelCase& kernel, const ControlFlow& code, const ControlFlow& serialized)
        : of_code{code}, code_before{predecessors_of(code)}, headed(code.blocks.size(), nullptr),
          around(serialized.blocks.size()) {
        for (const CheckedLoop& loop : code.loops)
            headed[loop.header] = &loop;
        std::vector<bool> heads(serialized.blocks.size(), false);
        for (const CheckedLoop& loop : serialized.loops)
            heads[loop.header] = true;
        for (const CheckedLoop& loop : serialized.loops)
            for (const std::size_t node : loop.blocks)
                if (heads[node]) around[node].push_back(&loop);
        for (const models::DivergentFact& fact : kernel.facts.divergents)
            divergent.insert(fact.at);
    }

    const ControlFlow& of_code;
    std::vector<std::vector<std::size_t>> code_before;   ///< Per block: its predecessors.
    std::vector<const CheckedLoop*> headed;              ///< Per block: the loop it heads, or null.
    std::vector<std::vector<const CheckedLoop*>> around; ///< Per header node: loops with it.
    std::set<std::int64_t> divergent;                    ///< Addresses.
};

/// The block ends with a branch that may diverge.
bool ends_divergently(const KernelCase& kernel, const LoopIndex& index, std::size_t block) {
    const std::size_t last = index.of_code.last[block];
    return index.divergent.count(kernel.function->instructions[last].address) != 0;
}

/// The blocks of the loop of nodes from which a lane comes to `start` within them. Fails where it
/// may come from there to itself.
std::set<std::size_t> blocks_before(const KernelCase& kernel, const LoopIndex& index,
                                    const CheckedLoop& sequence, std::size_t start) {
    std::set<std::size_t> inside;
    for (const std::size_t node : sequence.blocks)
        inside.insert(kernel.serialized[node].of);
    std::set<std::size_t> before{start};
    std::vector<std::size_t> work{start};
    while (!work.empty()) {
        const std::size_t to = work.back();
        work.pop_back();
        for (const std::size_t block : index.code_before[to]) {
            if (inside.count(block) == 0) continue;
            if (block == start)
                fail(kernel, fmt::format("lanes may iterate 0x{:04x} where the code has no loop",
                                         kernel.blocks[start].first));
            if (before.insert(block).second) work.push_back(block);
        }
    }
    return before;
}

/// How often groups of lanes reach the header of a sequence of nodes one after another (S19e,
/// "Groups that go on one after another"), less the first time. Each execution is of at least one
/// lane, and no lane executes the header's block twice.
std::int64_t most_successive_groups(const KernelCase& kernel, const LoopIndex& index,
                                    const NodeStates& lanes, const CheckedLoop& sequence) {
    const std::size_t start = kernel.serialized[sequence.header].of;
    const std::set<std::size_t> before = blocks_before(kernel, index, sequence, start);
    const std::int64_t others =
        exact_number(kernel, kernel.architecture.geometry, "geometry", "warp-size") - 1;
    for (const std::size_t block : before)
        if (block != start && ends_divergently(kernel, index, block)) return others;
    std::set<SimtStack::Group> pending;
    for (const std::size_t node : sequence.blocks)
        for (const std::size_t stack : kernel.serialized[node].stacks)
            for (const SimtStack::Entry& entry : kernel.stacks[stack].entries()) {
                if (entry.resume == SimtStack::none || before.count(entry.resume) == 0) continue;
                if (entry.kind != SimtStack::Kind::Pending) return others;
                pending.emplace(entry.origin, entry.resume);
            }
    models::Cycles most{0};
    for (const auto& group : pending)
        most += models::Cycles{groups_at_once(index.of_code, lanes, group).value_or(others)};
    return std::min(others, most.count());
}

/// No lane may leave the loop and enter it again within one traversal of its nodes.
bool traversal_stays_inside(const KernelCase& kernel, const CheckedLoop& loop,
                            const CheckedLoop& nodes) {
    return std::none_of(nodes.blocks.begin(), nodes.blocks.end(), [&](std::size_t node) {
        const std::size_t block = kernel.serialized[node].of;
        const auto& to = kernel.blocks[block].successors;
        return loop.blocks.count(block) == 0 &&
               std::find(to.begin(), to.end(), loop.header) != to.end();
    });
}

/// All loops of nodes around it correspond to loops around the loop.
bool nests_equally(const KernelCase& kernel, const LoopIndex& index, const CheckedLoop& loop) {
    const auto& loops = index.around[loop.header];
    return std::all_of(loops.begin(), loops.end(), [&](const CheckedLoop* around) {
        const CheckedLoop* known = index.headed[kernel.serialized[around->header].of];
        return known != nullptr && known->blocks.count(kernel.serialized[loop.header].of) != 0;
    });
}

/// The nodes of a loop iterate as the loop does.
void bound_loops(const KernelCase& kernel, const ControlFlow& of_code, const NodeStates& lanes,
                 ControlFlow& nodes) {
    const std::vector<std::size_t> nodes_of = nodes_per_block(kernel);
    const LoopIndex index{kernel, of_code, nodes};
    for (CheckedLoop& loop : nodes.loops) {
        const SerializedBlockRow& node = kernel.serialized[loop.header];
        const std::int64_t address = kernel.blocks[node.of].first;
        if (node.repeated) {
            if (*node.repeated < most_successive_groups(kernel, index, lanes, loop))
                fail(kernel,
                     fmt::format("groups of lanes may reach 0x{:04x} more often than a node states",
                                 address));
            loop.max_back_edges = *node.repeated;
            continue;
        }
        const CheckedLoop* known = index.headed[node.of];
        if (known == nullptr || !traversal_stays_inside(kernel, *known, loop))
            fail(kernel,
                 fmt::format("nodes form a loop at 0x{:04x} where the code does not", address));
        loop.max_back_edges = known->max_back_edges;
        if (node.converged && nodes_of[node.of] == 1 && nests_equally(kernel, index, loop))
            loop.min_back_edges = known->min_back_edges;
    }
}

void check_convergence(const KernelCase& kernel, const NodeStates& lanes) {
    for (const SerializedBlockRow& node : kernel.serialized)
        if (node.converged && !lanes.converged[node.of])
            fail(kernel, fmt::format("some lanes may execute 0x{:04x} while others are elsewhere",
                                     kernel.blocks[node.of].first));
}

SideFlows flows_of_sides(const KernelCase& kernel) {
    SideFlows flows{check_control_flow(kernel), std::nullopt};
    flows.of_representatives = flow_of_representatives(kernel, flows.of_code);
    if (!models::has_divergent_branch(*kernel.function, kernel.facts)) {
        if (!kernel.serialized.empty())
            fail(kernel,
                 "a serialized control flow is given, and no fact says that lanes may diverge");
        return flows;
    }
    if (kernel.serialized.empty()) {
        if (!lanes_follow_one_path(kernel, flows.of_code))
            fail(kernel, "lanes may diverge, and no serialized control flow is given");
        return flows;
    }
    flows.of_warp = flow_of_nodes(kernel, flows.of_code);
    const NodeStates lanes = check_stacks(kernel, flows.of_code);
    flows.of_warp->gaps = lanes.gaps;
    find_order_and_loops(kernel.id, *flows.of_warp);
    check_convergence(kernel, lanes);
    check_barriers(kernel, flows.of_code);
    bound_loops(kernel, flows.of_code, lanes, *flows.of_warp);
    return flows;
}

} // namespace

SideFlows check_flows(const KernelCase& kernel) {
    SideFlows flows = flows_of_sides(kernel);
    flows.of_beginnings = flow_of_beginnings(flows.of(true));
    return flows;
}

} // namespace warpbound::certification::verify
