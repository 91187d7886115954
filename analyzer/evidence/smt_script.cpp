#include "analyzer/evidence/smt_script.hpp"

#include "analyzer/path/loop_bounded_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace warpbound::analyzer {

namespace {

using SmtTerms = std::vector<std::string>;

std::string number(std::int64_t value) {
    if (value >= 0) return std::to_string(value);
    return fmt::format("(- {})", std::to_string(value).substr(1));
}

std::string times(std::int64_t coefficient, const std::string& variable) {
    if (coefficient == 1) return variable;
    return fmt::format("(* {} {})", number(coefficient), variable);
}

std::string sum(const SmtTerms& terms) {
    if (terms.empty()) return "0";
    if (terms.size() == 1) return terms.front();
    return fmt::format("(+ {})", fmt::join(terms, " "));
}

/// The variables of a path problem and the constraints on them.
class SmtScript {
public:
    SmtScript(const assembly::ControlFlowGraph& graph, const models::FlowFacts& facts,
              const std::vector<BackEdgeBounds>& bounds, const PathCertificate& certificate)
        : graph_{graph}, facts_{facts}, bounds_{loops_of_paths(bounds, certificate.ends)},
          certificate_{certificate}, structural_{graph, certificate.paths, bounds_,
                                                 certificate.side},
          nodes_of_block_(graph.blocks.size()) {
        into_.resize(certificate.paths.nodes.size());
        out_.resize(certificate.paths.nodes.size());
        for (const NodeIndex from : certificate.paths.nodes.indices())
            for (const PathEdge& edge : certificate.paths.nodes[from].successors) {
                into_[edge.to].push_back(edges_.size());
                out_[from].push_back(edges_.size());
                edges_.push_back({from, edge.to, edge.cost});
            }
        for (const NodeIndex node : certificate.paths.nodes.indices()) {
            nodes_of_block_[block_of(node)].push_back(node);
            auto& edges = edges_to_[block_at(graph_, block_of(node)).address];
            edges.insert(edges.end(), into_[node].begin(), into_[node].end());
        }
        for (auto& [address, edges] : edges_to_)
            std::sort(edges.begin(), edges.end());
        declare();
    }

    std::string text() {
        const auto& nodes = certificate_.paths.nodes;
        for (const NodeIndex node : nodes.indices())
            add(fmt::format("flow_{}", node.value()), "=", arrivals(node), sum(departures(node)));
        SmtTerms ends;
        for (const NodeIndex node : nodes.indices())
            if (nodes[node].end_cost) ends.push_back(end_name(node));
        add("once", "=", sum(ends), "1");
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop)
            if (!headers(loop).empty()) loop_rows(loop);
        if (certificate_.facts == Facts::All) fact_rows();
        region_rows();
        const bool upper = certificate_.side == Side::Upper;
        std::vector<NodeIndex> all;
        for (const NodeIndex node : nodes.indices())
            all.push_back(node);
        add("goal", upper ? ">=" : "<=", sum(cost(all)),
            number(upper ? certificate_.bound + 1 : certificate_.bound - 1));
        return fmt::format("; {}: {}\n; expected: unsat, no path costs {} than {} cycles\n"
                           "(set-info :smt-lib-version 2.6)\n(set-info :status unsat)\n"
                           "(set-logic QF_LIA)\n{}{}(check-sat)\n(exit)\n",
                           certificate_.id, certificate_.text, upper ? "more" : "less",
                           certificate_.bound, declarations_, assertions_);
    }

private:
    static constexpr NodeIndex path_end{SIZE_MAX}; ///< Not a node; in order after all of them.

    struct Edge {
        NodeIndex from;
        NodeIndex to;
        std::int64_t cost = 0;
    };

    static std::string edge_name(std::size_t edge) { return fmt::format("x{}", edge); }
    static std::string end_name(NodeIndex node) { return fmt::format("e{}", node.value()); }
    /// A node, or the end of the path.
    static std::string exit_name(NodeIndex exit) {
        return exit == path_end ? "end" : std::to_string(exit.value());
    }
    static std::string traversal_name(NodeIndex header, NodeIndex exit) {
        return fmt::format("s{}_{}", header.value(), exit_name(exit));
    }

    void declare(const std::string& name) {
        declarations_ += fmt::format("(declare-const {} Int)\n", name);
        assertions_ += fmt::format("(assert (>= {} 0))\n", name);
    }

    void declare() {
        for (std::size_t edge = 0; edge < edges_.size(); ++edge)
            declare(edge_name(edge));
        for (const NodeIndex node : certificate_.paths.nodes.indices())
            if (certificate_.paths.nodes[node].end_cost) declare(end_name(node));
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop)
            for (const NodeIndex header : headers(loop))
                for (const auto& [exit, traversal_cost] : traversals(header))
                    declare(traversal_name(header, exit));
    }

    void add(const std::string& label, const std::string& relation, const std::string& left,
             const std::string& right) {
        assertions_ +=
            fmt::format("(assert (! ({} {} {}) :named {}))\n", relation, left, right, label);
    }

    [[nodiscard]] BlockIndex block_of(NodeIndex node) const {
        return certificate_.paths.nodes[node].block;
    }
    [[nodiscard]] bool inside(std::size_t loop, NodeIndex node) const {
        return has_block(graph_.loops[loop], block_of(node));
    }
    [[nodiscard]] const std::vector<NodeIndex>& headers(std::size_t loop) const {
        return nodes_of_block_[header_block(graph_.loops[loop])];
    }
    /// Nodes of the blocks of a loop, sorted.
    [[nodiscard]] std::vector<NodeIndex> nodes_of(std::size_t loop) const {
        std::vector<NodeIndex> nodes;
        for (const std::size_t block : graph_.loops[loop].blocks) {
            const auto& of_block = nodes_of_block_[BlockIndex{block}];
            nodes.insert(nodes.end(), of_block.begin(), of_block.end());
        }
        std::sort(nodes.begin(), nodes.end());
        return nodes;
    }

    /// Traversals of a loop from a header node: the node after each exit, and the best cost.
    [[nodiscard]] std::vector<std::pair<NodeIndex, std::int64_t>>
    traversals(NodeIndex header) const {
        std::vector<std::pair<NodeIndex, std::int64_t>> list;
        const auto traversal = structural_.traversal_from(header);
        for (const PathEdge& exit : traversal.exits)
            list.emplace_back(exit.to, exit.cost);
        if (traversal.end_cost) list.emplace_back(path_end, *traversal.end_cost);
        return list;
    }

    /// Edges into these nodes, sorted.
    [[nodiscard]] std::vector<std::size_t> edges_into(const std::vector<NodeIndex>& nodes) const {
        std::vector<std::size_t> edges;
        for (const NodeIndex node : nodes)
            edges.insert(edges.end(), into_[node].begin(), into_[node].end());
        std::sort(edges.begin(), edges.end());
        return edges;
    }

    /// Edges into a node from wanted nodes.
    template <class Wanted> [[nodiscard]] SmtTerms into_where(NodeIndex node, Wanted wanted) const {
        SmtTerms terms;
        for (const std::size_t edge : into_[node])
            if (wanted(edges_[edge].from)) terms.push_back(edge_name(edge));
        return terms;
    }

    /// Number of entries of a node.
    [[nodiscard]] std::string arrivals(NodeIndex node) const {
        SmtTerms terms = into_where(node, [](NodeIndex) { return true; });
        if (node == start_node) terms.emplace_back("1");
        return sum(terms);
    }
    [[nodiscard]] SmtTerms departures(NodeIndex node) const {
        SmtTerms terms;
        for (const std::size_t edge : out_[node])
            terms.push_back(edge_name(edge));
        if (certificate_.paths.nodes[node].end_cost) terms.push_back(end_name(node));
        return terms;
    }

    /// Cost of the edges and ends of these nodes, which are sorted.
    [[nodiscard]] SmtTerms cost(const std::vector<NodeIndex>& nodes) const {
        SmtTerms terms;
        for (const NodeIndex node : nodes)
            for (const std::size_t edge : out_[node])
                if (edges_[edge].cost != 0)
                    terms.push_back(times(edges_[edge].cost, edge_name(edge)));
        for (const NodeIndex node : nodes) {
            const auto& end = certificate_.paths.nodes[node].end_cost;
            if (end && *end != 0) terms.push_back(times(*end, end_name(node)));
        }
        return terms;
    }

    void loop_rows(std::size_t loop) {
        const BlockIndex header_of_loop = header_block(graph_.loops[loop]);
        const std::size_t block = header_of_loop.value();
        const auto into = [&](bool from_inside) {
            SmtTerms terms;
            for (const std::size_t edge : edges_into(headers(loop)))
                if (inside(loop, edges_[edge].from) == from_inside)
                    terms.push_back(edge_name(edge));
            return terms;
        };
        SmtTerms entries = into(false);
        if (block_of(start_node) == header_of_loop) entries.emplace_back("1");
        const std::string iterations = sum(into(true));
        const std::string entered = sum(entries);
        add(fmt::format("iterations_at_most_b{}", block), "<=", iterations,
            times(bounds_[loop].max, entered));
        add(fmt::format("iterations_at_least_b{}", block), ">=", iterations,
            times(bounds_[loop].min, entered));

        const auto is_inside = [&](NodeIndex node) { return inside(loop, node); };
        const std::vector<NodeIndex> nodes = nodes_of(loop);
        std::map<NodeIndex, SmtTerms> left; // by the next node
        SmtTerms& ended = left[path_end];
        for (const NodeIndex node : nodes) {
            if (certificate_.paths.nodes[node].end_cost) ended.push_back(end_name(node));
            for (const std::size_t edge : out_[node])
                if (!is_inside(edges_[edge].to)) left[edges_[edge].to].push_back(edge_name(edge));
        }
        std::map<NodeIndex, SmtTerms> traversing; // by the next node
        SmtTerms limit;
        for (const NodeIndex header : headers(loop)) {
            SmtTerms parts;
            for (const auto& [exit, traversal_cost] : traversals(header)) {
                parts.push_back(traversal_name(header, exit));
                traversing[exit].push_back(traversal_name(header, exit));
                if (traversal_cost != 0)
                    limit.push_back(times(traversal_cost, traversal_name(header, exit)));
            }
            SmtTerms entries_of_header =
                into_where(header, [&](NodeIndex from) { return !is_inside(from); });
            if (header == start_node) entries_of_header.emplace_back("1");
            add(fmt::format("traversals_into_{}", header.value()), "=", sum(parts),
                sum(entries_of_header));
        }
        for (const auto& [exit, edges] : left)
            add(fmt::format("traversals_b{}_to_{}", block, exit_name(exit)), "=",
                sum(traversing[exit]), sum(edges));
        add(fmt::format("cut_b{}", block),
            certificate_.side == Side::Upper ? "<=" : ">=", sum(cost(nodes)), sum(limit));
    }

    /// Executions of a block, or of an edge of the control-flow graph.
    [[nodiscard]] SmtTerms executions(const models::LinearTerm& term) const {
        const auto at = [&](NodeIndex node, std::int64_t address) {
            return block_at(graph_, block_of(node)).address == address;
        };
        SmtTerms terms;
        if (const auto edges = edges_to_.find(term.block); edges != edges_to_.end())
            for (const std::size_t edge : edges->second)
                if (!term.from || at(edges_[edge].from, *term.from))
                    terms.push_back(times(term.coefficient, edge_name(edge)));
        if (!term.from && at(start_node, term.block)) terms.push_back(number(term.coefficient));
        return terms;
    }

    void fact_rows() {
        for (std::size_t i = 0; i < facts_.exclusives.size(); ++i) {
            const auto none = [&](std::int64_t block) {
                return fmt::format("(= {} 0)", sum(executions({1, std::nullopt, block})));
            };
            const auto& [first, second, from] = facts_.exclusives[i];
            add(fmt::format("exclusive_{}", i), "or", none(first), none(second));
            if (!executes_at_most_once(graph_, first) || !executes_at_most_once(graph_, second))
                continue;
            SmtTerms both = executions({1, std::nullopt, first});
            for (auto& term : executions({1, std::nullopt, second}))
                both.push_back(std::move(term));
            add(fmt::format("exclusive_once_{}", i), "<=", sum(both), "1");
        }
        for (std::size_t i = 0; i < facts_.constraints.size(); ++i) {
            const models::LinearFact& fact = facts_.constraints[i];
            SmtTerms terms;
            for (const auto& term : fact.terms)
                for (auto& part : executions(term))
                    terms.push_back(std::move(part));
            add(fmt::format("linear_{}", i),
                fact.relation == models::Relation::AtMost    ? "<="
                : fact.relation == models::Relation::AtLeast ? ">="
                                                             : "=",
                sum(terms), number(fact.constant));
        }
    }

    void region_rows() {
        for (std::size_t i = 0; i < certificate_.regions.size(); ++i) {
            const auto& region = certificate_.regions[i];
            const auto edges = [&](bool from_inside) {
                SmtTerms terms;
                for (const std::size_t edge : edges_into(region))
                    if (std::binary_search(region.begin(), region.end(), edges_[edge].from) ==
                        from_inside)
                        terms.push_back(edge_name(edge));
                return sum(terms);
            };
            add(fmt::format("region_{}", i), "or", fmt::format("(= {} 0)", edges(true)),
                fmt::format("(>= {} 1)", edges(false)));
        }
    }

    const assembly::ControlFlowGraph& graph_;
    const models::FlowFacts& facts_;
    std::vector<BackEdgeBounds> bounds_;
    const PathCertificate& certificate_;
    LoopBoundedPaths structural_;
    std::vector<Edge> edges_;
    PerNode<std::vector<std::size_t>> into_; ///< Edges that lead to it.
    PerNode<std::vector<std::size_t>> out_;  ///< Edges that leave it.
    PerBlock<std::vector<NodeIndex>> nodes_of_block_;
    std::map<std::int64_t, std::vector<std::size_t>> edges_to_; ///< By the address that they reach.
    std::string declarations_;
    std::string assertions_;
};

} // namespace

std::string proof_script(const assembly::ControlFlowGraph& graph, const models::FlowFacts& facts,
                         const std::vector<BackEdgeBounds>& bounds,
                         const PathCertificate& certificate) {
    if (const auto& pairs = certificate.pairs) {
        const models::FlowFacts stated = facts_at(facts, pairs->exclusives, pairs->constraints);
        return SmtScript{graph, stated, bounds, certificate}.text();
    }
    return SmtScript{graph, facts, bounds, certificate}.text();
}

} // namespace warpbound::analyzer
