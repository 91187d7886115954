#include "analyzer/path/constrained_paths.hpp"

#include "analyzer/path/contraction.hpp"
#include "analyzer/path/ilp_solver.hpp"
#include "analyzer/path/infeasible_pairs.hpp"
#include "analyzer/path/subtours.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t exclusive_limit =
    6; ///< 64 cases of pairs that the path graph does not encode; further pairs are left out,
       ///< which only weakens the bound.
constexpr std::int64_t longest_sequence = 1'000'000;

/// The flow problem (IPET) of a path graph; its variables are the edges and ends of the nodes.
class FlowProblemBuilder {
public:
    FlowProblemBuilder(const assembly::ControlFlowGraph& graph, const PathGraph& paths, Side side)
        : graph_{graph}, paths_{paths}, sign_{side == Side::Upper ? 1 : -1},
          into_(paths.nodes.size()), out_(paths.nodes.size()) {
        for (const NodeIndex from : paths.nodes.indices()) {
            const PathNode& node = paths.nodes[from];
            for (const PathEdge& edge : node.successors) {
                into_[edge.to].push_back(variable(from, edge.to, sign_ * edge.cost));
                out_[from].push_back(into_[edge.to].back());
            }
            if (node.end_cost) {
                ends_.emplace_back(from, variable(from, from, sign_ * *node.end_cost));
                is_end_.back() = true;
                out_[from].push_back(ends_.back().second);
            }
        }
        problem_.variables = problem_.costs.size();
        flow_rows();
    }

    /// Only the loops of `present` are in the graph.
    void add_loops(const std::vector<BackEdgeBounds>& bounds, const std::vector<bool>& present) {
        bounds_ = &bounds;
        present_ = &present;
        for (std::size_t loop = 0; loop < bounds.size(); ++loop) {
            if (!present[loop]) continue;
            LinearRow upper;
            LinearRow lower;
            std::int64_t entered = 0;
            for (const NodeIndex node : paths_.nodes.indices()) {
                if (paths_.nodes[node].block != header_block(graph_.loops[loop])) continue;
                if (node == start_node) entered = 1;
                for (const std::size_t edge : into_[node]) {
                    const BlockIndex from = paths_.nodes[ends_of_[edge].first].block;
                    const bool back = has_block(graph_.loops[loop], from);
                    upper.terms.emplace_back(edge, back ? 1 : -bounds[loop].max);
                    lower.terms.emplace_back(edge, back ? 1 : -bounds[loop].min);
                }
            }
            upper.relation = LinearRow::Relation::AtMost;
            upper.constant = entered * bounds[loop].max;
            lower.relation = LinearRow::Relation::AtLeast;
            lower.constant = entered * bounds[loop].min;
            problem_.rows.push_back(std::move(upper));
            problem_.rows.push_back(std::move(lower));
        }
    }

    void add_fact(const models::LinearFact& fact) {
        LinearRow row;
        row.constant = fact.constant;
        row.relation = fact.relation == models::Relation::AtMost    ? LinearRow::Relation::AtMost
                       : fact.relation == models::Relation::AtLeast ? LinearRow::Relation::AtLeast
                                                                    : LinearRow::Relation::Equal;
        for (const auto& term : fact.terms)
            add_term(row, term);
        problem_.rows.push_back(std::move(row));
    }

    [[nodiscard]] const FlowProblem& problem() const { return problem_; }

    /// Nodes of a path with the counts of a solution. None when the counts form no single path,
    /// when it is too long to be put in order, or when some loop traversal has too many or too few
    /// iterations: the rows only bound all traversals of a loop in total.
    [[nodiscard]] std::optional<std::vector<NodeIndex>>
    path_of(const std::vector<std::int64_t>& counts) const {
        if (!cuts_of(counts).empty()) return std::nullopt;
        models::Cycles length{0};
        for (std::size_t edge = 0; edge < counts.size(); ++edge)
            length += models::Cycles{counts[edge]};
        if (length.count() > longest_sequence) return std::nullopt;
        std::vector<NodeIndex> nodes = order(counts);
        if (!keeps_loop_bounds(nodes)) return std::nullopt;
        return nodes;
    }

    /// A path has no subtours: one cut for each subtour that is not reached from the entry over
    /// counted edges.
    [[nodiscard]] std::vector<ConnectionCut>
    cuts_of(const std::vector<std::int64_t>& counts) const {
        std::vector<ConnectionCut> cuts;
        PerNode<std::vector<NodeIndex>> successors(paths_.nodes.size());
        for (std::size_t edge = 0; edge < counts.size(); ++edge)
            if (!is_end(edge) && counts[edge] > 0)
                successors[ends_of_[edge].first].push_back(ends_of_[edge].second);
        for (const auto& subtour : subtours_of(successors)) {
            ConnectionCut cut;
            for (const NodeIndex node : subtour)
                for (const std::size_t into : into_[node])
                    (std::binary_search(subtour.begin(), subtour.end(), ends_of_[into].first)
                         ? cut.inside
                         : cut.entering)
                        .push_back(into);
            cuts.push_back(std::move(cut));
        }
        return cuts;
    }

private:
    [[nodiscard]] bool keeps_loop_bounds(const std::vector<NodeIndex>& path) const {
        std::vector<std::int64_t> iterations(graph_.loops.size(), 0);
        const auto inside = [&](std::size_t loop, BlockIndex block) {
            return has_block(graph_.loops[loop], block);
        };
        for (std::size_t i = 0; i < path.size(); ++i) {
            const BlockIndex from = paths_.nodes[path[i]].block;
            const auto to =
                i + 1 < path.size() ? std::optional{paths_.nodes[path[i + 1]].block} : std::nullopt;
            for (std::size_t loop = 0; loop < iterations.size(); ++loop) {
                if (!(*present_)[loop]) continue;
                const bool enters_header = to && *to == header_block(graph_.loops[loop]);
                if (!inside(loop, from)) {
                    if (enters_header) iterations[loop] = 0;
                } else if (enters_header) {
                    if (++iterations[loop] > (*bounds_)[loop].max) return false;
                } else if ((!to || !inside(loop, *to)) && iterations[loop] < (*bounds_)[loop].min) {
                    return false;
                }
            }
        }
        return true;
    }

    std::size_t variable(NodeIndex from, NodeIndex to, std::int64_t cost) {
        problem_.costs.push_back(cost);
        ends_of_.emplace_back(from, to);
        is_end_.push_back(false);
        return problem_.costs.size() - 1;
    }

    [[nodiscard]] bool is_end(std::size_t variable) const { return is_end_[variable]; }

    void flow_rows() {
        for (const NodeIndex node : paths_.nodes.indices()) {
            LinearRow row; // in - out = 0; the start of the path enters the entry once more
            for (const std::size_t edge : into_[node])
                row.terms.emplace_back(edge, 1);
            for (const std::size_t edge : out_[node])
                row.terms.emplace_back(edge, -1);
            row.constant = node == start_node ? -1 : 0;
            problem_.rows.push_back(std::move(row));
        }
        LinearRow once;
        for (const auto& [node, end] : ends_)
            once.terms.emplace_back(end, 1);
        once.constant = 1;
        problem_.rows.push_back(std::move(once));
    }

    void add_term(LinearRow& row, const models::LinearTerm& term) const {
        for (const NodeIndex node : paths_.nodes.indices()) {
            if (block_at(graph_, paths_.nodes[node].block).address != term.block) continue;
            if (node == start_node && !term.from) row.constant -= term.coefficient;
            for (const std::size_t edge : into_[node]) {
                const BlockIndex from = paths_.nodes[ends_of_[edge].first].block;
                if (!term.from || block_at(graph_, from).address == *term.from)
                    row.terms.emplace_back(edge, term.coefficient);
            }
        }
    }

    /// An order of the counted edges that forms one path (Hierholzer).
    [[nodiscard]] std::vector<NodeIndex> order(std::vector<std::int64_t> counts) const {
        std::vector<NodeIndex> path;
        std::vector<NodeIndex> stack{start_node};
        PerNode<std::size_t> next(paths_.nodes.size(), 0);
        while (!stack.empty()) {
            const NodeIndex node = stack.back();
            auto& position = next[node];
            while (position < out_[node].size() &&
                   (counts[out_[node][position]] == 0 || is_end(out_[node][position])))
                ++position;
            if (position < out_[node].size()) {
                --counts[out_[node][position]];
                stack.push_back(ends_of_[out_[node][position]].second);
            } else {
                path.push_back(node);
                stack.pop_back();
            }
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    const assembly::ControlFlowGraph& graph_;
    const PathGraph& paths_;
    const std::vector<BackEdgeBounds>* bounds_ = nullptr;
    const std::vector<bool>* present_ = nullptr;
    std::int64_t sign_;
    FlowProblem problem_;
    PerNode<std::vector<std::size_t>> into_; ///< Variables.
    PerNode<std::vector<std::size_t>> out_;
    std::vector<bool> is_end_;                             ///< Per variable: the warp ends.
    std::vector<std::pair<NodeIndex, NodeIndex>> ends_of_; ///< From, to per variable.
    std::vector<std::pair<NodeIndex, std::size_t>> ends_;  ///< Node, variable.
};

/// The block of each exclusive pair that is excluded, by case number.
std::set<std::int64_t> excluded_by_case(const models::FlowFacts& facts, std::size_t choice) {
    std::set<std::int64_t> addresses;
    for (std::size_t i = 0; i < std::min(exclusive_limit, facts.exclusives.size()); ++i)
        addresses.insert(((choice >> i) & 1U) != 0 ? facts.exclusives[i].first
                                                   : facts.exclusives[i].second);
    return addresses;
}

/// The same graph without the blocks at some addresses.
PathGraph without_blocks(const assembly::ControlFlowGraph& graph, PathGraph paths,
                         const std::set<std::int64_t>& addresses, Side side) {
    const auto is_excluded = [&](NodeIndex node) {
        return addresses.count(block_at(graph, paths.nodes[node].block).address) != 0;
    };
    for (const NodeIndex node : paths.nodes.indices()) {
        auto& edges = paths.nodes[node].successors;
        if (is_excluded(node)) {
            edges.clear();
            paths.nodes[node].end_cost.reset();
        }
        edges.erase(std::remove_if(edges.begin(), edges.end(),
                                   [&](const PathEdge& edge) { return is_excluded(edge.to); }),
                    edges.end());
    }
    return tidy(std::move(paths), side);
}

/// The path satisfies the linear facts, so no solver is needed.
bool satisfies(const assembly::ControlFlowGraph& graph, const BlockPath& path,
               const std::vector<models::LinearFact>& facts) {
    // Terms that count edges are left to the solver.
    std::map<std::int64_t, models::Cycles> executions; // by address
    for (const auto& [block, count] : counts_of(path))
        executions[block_at(graph, block).address] += models::Cycles{count};
    return std::all_of(facts.begin(), facts.end(), [&](const models::LinearFact& fact) {
        models::Cycles sum{0};
        for (const auto& term : fact.terms) {
            if (term.from) return false;
            sum += executions[term.block] * term.coefficient;
        }
        const models::Cycles limit{fact.constant};
        switch (fact.relation) {
        case models::Relation::AtMost:
            return sum <= limit;
        case models::Relation::AtLeast:
            return sum >= limit;
        case models::Relation::Equal:
            return sum == limit;
        }
        return false;
    });
}

/// Blocks that the solver has to see. Terms that count edges need all of them.
std::set<std::int64_t> mentioned_blocks(const assembly::ControlFlowGraph& graph,
                                        const std::vector<models::LinearFact>& facts) {
    std::set<std::int64_t> addresses;
    for (const auto& fact : facts)
        for (const auto& term : fact.terms) {
            addresses.insert(term.block);
            if (!term.from) continue;
            for (const auto& block : graph.blocks)
                addresses.insert(block.address);
        }
    return addresses;
}

} // namespace

ConstrainedPath solve_with_facts(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                 const std::vector<BackEdgeBounds>& bounds,
                                 const models::FlowFacts& all_facts, Side side,
                                 std::optional<std::chrono::steady_clock::time_point> deadline,
                                 std::uint64_t seed) {
    const std::int64_t sign = side == Side::Upper ? 1 : -1;
    const PairConstrainedPaths encoded = encode_pairs(graph, paths, all_facts, side);
    const models::FlowFacts& facts = encoded.remaining;
    const std::size_t cases = std::size_t{1} << std::min(exclusive_limit, facts.exclusives.size());
    ConstrainedPath result;
    std::optional<std::int64_t> bound; // of all cases, signed
    std::optional<std::int64_t> best;
    for (std::size_t choice = 0; choice < cases; ++choice) {
        const PathGraph allowed =
            without_blocks(graph, encoded.paths, excluded_by_case(facts, choice), side);
        const LoopBoundedPaths paths_by_bounds{graph, allowed, bounds, side};
        auto structural = paths_by_bounds.start_to_end();
        if (!structural) continue;
        std::int64_t of_case = sign * structural->cost;
        Proof proof = Proof::StructuralPath;
        std::optional<BlockPath> witness;
        if (satisfies(graph, *structural, facts.constraints)) {
            witness = std::move(structural);
        } else {
            result.solver_used = true;
            std::optional<std::chrono::duration<double>> seconds_left;
            if (deadline)
                seconds_left = std::max(std::chrono::duration<double>{0},
                                        std::chrono::duration<double>{
                                            *deadline - std::chrono::steady_clock::now()}) /
                               static_cast<double>(cases - choice);
            const Contraction contraction{graph, allowed, paths_by_bounds,
                                          mentioned_blocks(graph, facts.constraints), side};
            FlowProblemBuilder builder{graph, contraction.graph(), side};
            builder.add_loops(bounds, contraction.loop_kept());
            for (const auto& fact : facts.constraints)
                builder.add_fact(fact);
            const FlowSolution solved = solve_flow(
                builder.problem(), seconds_left, seed,
                [&](const std::vector<std::int64_t>& counts) { return builder.cuts_of(counts); });
            if (!solved.feasible) continue;
            if (solved.bound && *solved.bound < of_case) {
                of_case = *solved.bound;
                proof = solved.by_refutation ? Proof::Refutation : Proof::ExactLp;
            }
            if (solved.best)
                if (const auto nodes = builder.path_of(solved.counts)) {
                    witness = contraction.expand(*nodes);
                    witness->cost = sign * *solved.best;
                }
        }
        if (!bound || *bound < of_case) {
            bound = of_case;
            result.proof = proof;
        }
        if (!witness || (best && *best >= sign * witness->cost)) continue;
        best = sign * witness->cost;
        result.witness = std::move(witness);
    }
    result.feasible = bound.has_value();
    if (!bound) return result;
    result.bound = models::Cycles{sign * *bound};
    result.optimal = best == bound && facts.exclusives.size() <= exclusive_limit;
    return result;
}

} // namespace warpbound::analyzer
