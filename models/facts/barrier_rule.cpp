#include "models/facts/barrier_rule.hpp"

#include "assembly/flow/post_dominators.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/register_roles.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::models {

namespace {

using assembly::ControlFlowGraph;
using assembly::Edge;

/// A thread never ends at the EXIT of the block that begins at the address: a linear fact says that
/// its out-edge is taken as often as the block.
bool never_ends_at(const FlowFacts& facts, std::int64_t address) {
    return std::any_of(facts.constraints.begin(), facts.constraints.end(), [&](const auto& fact) {
        return fact.relation == Relation::AtLeast && fact.constant == 0 && fact.terms.size() == 2 &&
               fact.terms[0].coefficient == 1 && fact.terms[0].from == address &&
               fact.terms[1].coefficient == -1 && !fact.terms[1].from &&
               fact.terms[1].block == address;
    });
}

/// The control flow as far as barriers lie ahead. What follows the last barrier is one node, the
/// end; threads that end earlier are not in it. A guarded barrier that goes with the branch behind
/// it is a node of its own on the edge of the branch.
class BarrierFlow {
public:
    BarrierFlow(const assembly::Function& function, const ControlFlowGraph& graph,
                const FlowFacts& facts)
        : graph_{graph}, end_{graph.blocks.size()}, excluded_{excluded_edges(graph, facts)},
          has_barrier_(end_, false), on_edge_(graph.edges.size(), false), ahead_(end_, false),
          after_(end_, false), successors_(end_ + 1) {
        for (std::size_t block = 0; block < end_; ++block) {
            const auto& code = graph.blocks[block];
            for (std::size_t i = code.first; i <= code.last; ++i) {
                if (!assembly::waits_for_whole_block(function.instructions[i])) continue;
                if (const auto taken = assembly::barrier_if_taken(function, i, code.last))
                    put_on_edges(code, *taken);
                else
                    has_barrier_[block] = true;
            }
        }
        find_reached();
        propagate();
        for (std::size_t block = 0; block < end_; ++block)
            if (reached_[block] && ahead_[block])
                add_successors(block, never_ends_at(facts, graph.blocks[block].address));
    }

    BarrierRule rule() {
        const auto above = post_dominators();
        std::vector<bool> depended = has_barrier_;
        depended.resize(successors_.size(), true); // The nodes on edges.
        rule_.decides.assign(end_, false);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t block = 0; block < end_; ++block) {
                if (successors_[block].size() < 2 || rule_.decides[block]) continue;
                if (!decides(block, depended, above)) continue;
                rule_.decides[block] = depended[block] = changed = true;
            }
        }
        return std::move(rule_);
    }

private:
    void put_on_edges(const assembly::BasicBlock& code, bool taken) {
        for (const std::size_t edge : code.out)
            if ((graph_.edges[edge].kind == assembly::EdgeKind::Taken) == taken)
                on_edge_[edge] = true;
    }

    void find_reached() {
        reached_ = assembly::blocks_reachable_from(
            graph_, 0, [&](const Edge& edge) { return !excluded_[index_of(edge)]; });
        reached_[0] = true;
        for (std::size_t block = 0; block < end_; ++block)
            has_barrier_[block] = has_barrier_[block] && reached_[block];
    }
    [[nodiscard]] std::size_t index_of(const Edge& edge) const {
        return static_cast<std::size_t>(&edge - graph_.edges.data());
    }

    /// Blocks from whose begin a barrier lies ahead, and blocks that may come after one.
    void propagate() {
        ahead_ = has_barrier_;
        for (bool changed = true; changed;) { // In few passes: blocks are in reverse postorder.
            changed = false;
            for (std::size_t number = graph_.edges.size(); number-- > 0;) {
                const Edge& edge = graph_.edges[number];
                if (excluded_[number] || !reached_[edge.from]) continue;
                if ((on_edge_[number] || ahead_[edge.to]) && !ahead_[edge.from])
                    ahead_[edge.from] = changed = true;
            }
            for (const Edge& edge : graph_.edges) {
                if (excluded_[index_of(edge)] || !reached_[edge.from]) continue;
                if ((has_barrier_[edge.from] || after_[edge.from] || on_edge_[index_of(edge)]) &&
                    !after_[edge.to])
                    after_[edge.to] = changed = true;
            }
        }
    }

    /// The loop contains a barrier, and the edge leaves it.
    [[nodiscard]] bool leaves_barrier_loop(const Edge& edge) const {
        for (auto loop = graph_.innermost_loop[edge.from]; loop;
             loop = graph_.loops[*loop].parent) {
            const auto& blocks = graph_.loops[*loop].blocks;
            const auto contains = [&](std::size_t block) {
                return std::binary_search(blocks.begin(), blocks.end(), block);
            };
            const auto is_barrier_inside = [&](std::size_t number) {
                return on_edge_[number] && !excluded_[number] && contains(graph_.edges[number].to);
            };
            if (!contains(edge.to) &&
                std::any_of(blocks.begin(), blocks.end(), [&](std::size_t block) {
                    const auto& out = graph_.blocks[block].out;
                    return has_barrier_[block] ||
                           (reached_[block] &&
                            std::any_of(out.begin(), out.end(), is_barrier_inside));
                }))
                return true;
        }
        return false;
    }

    /// A barrier lies on the edge or ahead of it.
    [[nodiscard]] bool leads_to_barrier(std::size_t edge) const {
        return on_edge_[edge] || ahead_[graph_.edges[edge].to];
    }

    void add_successors(std::size_t block, bool never_ends) {
        const auto& code = graph_.blocks[block];
        bool goes_on = false; // A barrier lies ahead on some edge.
        bool ends = code.exits && !code.out.empty() && !never_ends;
        for (const std::size_t number : code.out)
            goes_on = goes_on || (!excluded_[number] && leads_to_barrier(number));
        for (const std::size_t number : code.out) {
            if (excluded_[number]) continue;
            const Edge& edge = graph_.edges[number];
            const std::size_t to = ahead_[edge.to] ? edge.to : end_;
            if (on_edge_[number]) {
                successors_[block].insert(successors_.size());
                successors_.push_back({to});
            } else if (ahead_[edge.to])
                successors_[block].insert(to);
            else if (!goes_on || leaves_barrier_loop(edge))
                successors_[block].insert(end_);
            else
                ends = true;
        }
        if (code.out.empty()) successors_[block].insert(end_);
        if (!goes_on || !ends) return;
        rule_.ends_before = true;
        rule_.ends_between = rule_.ends_between || after_[block] || has_barrier_[block];
    }

    /// Immediate post-dominators in this flow.
    [[nodiscard]] std::vector<std::optional<std::size_t>> post_dominators() const {
        ControlFlowGraph flow;
        flow.blocks.resize(successors_.size());
        flow.blocks[end_].exits = true;
        for (std::size_t block = 0; block < successors_.size(); ++block)
            for (const std::size_t to : successors_[block])
                flow.edges.push_back({block, to});
        return assembly::immediate_post_dominators(flow);
    }

    /// The block is control-dependent on the branch: it follows one outcome for certain, but not
    /// every outcome. Source: Ferrante, Ottenstein and Warren, TOPLAS 1987.
    [[nodiscard]] bool decides(std::size_t branch, const std::vector<bool>& depended,
                               const std::vector<std::optional<std::size_t>>& above) const {
        for (const std::size_t to : successors_[branch])
            for (std::optional<std::size_t> block = to;
                 block && block != above[branch] && *block != end_; block = above[*block])
                if (depended[*block]) return true;
        return false;
    }

    const ControlFlowGraph& graph_;
    std::size_t end_;
    std::vector<bool> excluded_;
    std::vector<bool> has_barrier_;
    std::vector<bool> on_edge_; ///< Per edge: a guarded barrier executes where it is taken.
    std::vector<bool> ahead_;
    std::vector<bool> after_;
    std::vector<bool> reached_;
    std::vector<std::set<std::size_t>> successors_; ///< Of blocks, the end, and barriers on edges.
    BarrierRule rule_;
};

} // namespace

std::vector<bool> excluded_edges(const ControlFlowGraph& graph, const FlowFacts& facts) {
    std::set<std::int64_t> never;
    for (const NeverFact& fact : facts.nevers)
        never.insert(fact.block);
    std::set<std::pair<std::int64_t, std::int64_t>> never_taken;
    for (const LinearFact& fact : facts.constraints)
        if (fact.relation != Relation::AtLeast && fact.constant == 0 && fact.terms.size() == 1 &&
            fact.terms.front().coefficient > 0 && fact.terms.front().from)
            never_taken.emplace(*fact.terms.front().from, fact.terms.front().block);
    std::vector<bool> excluded;
    for (const Edge& edge : graph.edges) {
        const std::int64_t from = graph.blocks[edge.from].address;
        const std::int64_t to = graph.blocks[edge.to].address;
        excluded.push_back(never.count(from) != 0 || never.count(to) != 0 ||
                           never_taken.count({from, to}) != 0);
    }
    return excluded;
}

BarrierRule barrier_rule(const assembly::Function& function, const ControlFlowGraph& graph,
                         const FlowFacts& facts) {
    const auto& instructions = function.instructions;
    if (std::none_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
            return instruction.opcode_class == assembly::OpcodeClass::Barrier;
        }))
        return {std::vector<bool>(graph.blocks.size(), false), false, false};
    return BarrierFlow{function, graph, facts}.rule();
}

} // namespace warpbound::models
