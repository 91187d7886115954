#include "analyzer/fact_paths.hpp"

#include "analyzer/flow_solver.hpp"

#include <algorithm>
#include <set>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t exclusive_limit =
    6; ///< 64 cases; further pairs are left out, which only weakens the bound.
constexpr std::int64_t longest_sequence = 1'000'000;

/// The flow problem of a state graph; variables are edges and, behind them, the ends.
class Builder {
public:
    Builder(const assembly::ControlFlowGraph& graph, const StateGraph& states, Side side)
        : graph_{graph}, states_{states}, sign_{side == Side::Upper ? 1 : -1},
          into_(states.nodes.size()), out_(states.nodes.size()) {
        for (std::size_t from = 0; from < states.nodes.size(); ++from) {
            const StateNode& node = states.nodes[from];
            for (const std::size_t to : node.successors) {
                into_[to].push_back(variable(from, to, sign_ * states.nodes[to].cost));
                out_[from].push_back(into_[to].back());
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

    void add_loops(const std::vector<BackEdgeBounds>& bounds) {
        for (std::size_t loop = 0; loop < bounds.size(); ++loop) {
            LinearRow upper;
            LinearRow lower;
            const auto& blocks = graph_.loops[loop].blocks;
            std::int64_t entered = 0;
            for (std::size_t node = 0; node < states_.nodes.size(); ++node) {
                if (states_.nodes[node].block != graph_.loops[loop].header) continue;
                if (node == 0) entered = 1;
                for (const std::size_t edge : into_[node]) {
                    const std::size_t from = states_.nodes[ends_of_[edge].first].block;
                    const bool back = std::binary_search(blocks.begin(), blocks.end(), from);
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

    /// The same problem, some blocks not executed.
    [[nodiscard]] FlowProblem without(const std::vector<std::int64_t>& addresses) const {
        FlowProblem problem = problem_;
        for (const std::int64_t address : addresses) {
            LinearRow row;
            models::LinearTerm term;
            term.block = address;
            add_term(row, term);
            problem.rows.push_back(std::move(row));
        }
        return problem;
    }

    /// Cost of the entry node, which no variable stands for.
    [[nodiscard]] std::int64_t base() const { return sign_ * states_.nodes[0].cost; }

    /// The path that a solution's counts describe; nothing when they are no single path.
    [[nodiscard]] std::optional<NodePath> path_of(const std::vector<std::int64_t>& counts,
                                                  std::int64_t signed_cost) const {
        NodePath path;
        path.cost = sign_ * signed_cost;
        path.counts[0] = 1;
        std::int64_t total = 1;
        for (std::size_t edge = 0; edge < counts.size(); ++edge)
            if (!is_end(edge) && counts[edge] > 0) {
                path.counts[ends_of_[edge].second] += counts[edge];
                total += counts[edge];
            }
        for (const auto& [node, edge] : ends_)
            if (counts[edge] > 0) path.last = node;
        // Connected: everything counted is reached from the entry over counted edges.
        std::set<std::size_t> reached{0};
        std::vector<std::size_t> work{0};
        while (!work.empty()) {
            const std::size_t node = work.back();
            work.pop_back();
            for (const std::size_t edge : out_[node])
                if (!is_end(edge) && counts[edge] > 0 &&
                    reached.insert(ends_of_[edge].second).second)
                    work.push_back(ends_of_[edge].second);
        }
        if (reached.size() != path.counts.size()) return std::nullopt;
        if (total <= longest_sequence) path.sequence = order(counts);
        return path;
    }

private:
    std::size_t variable(std::size_t from, std::size_t to, std::int64_t cost) {
        problem_.costs.push_back(cost);
        ends_of_.emplace_back(from, to);
        is_end_.push_back(false);
        return problem_.costs.size() - 1;
    }

    [[nodiscard]] bool is_end(std::size_t variable) const { return is_end_[variable]; }

    void flow_rows() {
        for (std::size_t node = 0; node < states_.nodes.size(); ++node) {
            LinearRow row; // in - out = 0, the entry is entered once more
            for (const std::size_t edge : into_[node])
                row.terms.emplace_back(edge, 1);
            for (const std::size_t edge : out_[node])
                row.terms.emplace_back(edge, -1);
            row.constant = node == 0 ? -1 : 0;
            problem_.rows.push_back(std::move(row));
        }
        LinearRow once;
        for (const auto& [node, end] : ends_)
            once.terms.emplace_back(end, 1);
        once.constant = 1;
        problem_.rows.push_back(std::move(once));
    }

    void add_term(LinearRow& row, const models::LinearTerm& term) const {
        for (std::size_t node = 0; node < states_.nodes.size(); ++node) {
            if (graph_.blocks[states_.nodes[node].block].address != term.block) continue;
            if (node == 0 && !term.from) row.constant -= term.coefficient;
            for (const std::size_t edge : into_[node]) {
                const std::size_t from = states_.nodes[ends_of_[edge].first].block;
                if (!term.from || graph_.blocks[from].address == *term.from)
                    row.terms.emplace_back(edge, term.coefficient);
            }
        }
    }

    /// An order of the counted edges that forms one path (Hierholzer).
    [[nodiscard]] std::vector<std::size_t> order(std::vector<std::int64_t> counts) const {
        std::vector<std::size_t> path;
        std::vector<std::size_t> stack{0};
        std::vector<std::size_t> next(states_.nodes.size(), 0);
        while (!stack.empty()) {
            const std::size_t node = stack.back();
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
    const StateGraph& states_;
    std::int64_t sign_;
    FlowProblem problem_;
    std::vector<std::vector<std::size_t>> into_;
    std::vector<std::vector<std::size_t>> out_;
    std::vector<bool> is_end_;                                 ///< Per variable: the warp ends.
    std::vector<std::pair<std::size_t, std::size_t>> ends_of_; ///< From, to per variable.
    std::vector<std::pair<std::size_t, std::size_t>> ends_;    ///< Node, variable.
};

/// Which block of each exclusive pair is left out, by case number.
std::vector<std::int64_t> left_out(const models::FlowFacts& facts, std::size_t choice) {
    std::vector<std::int64_t> addresses;
    for (std::size_t i = 0; i < std::min(exclusive_limit, facts.exclusives.size()); ++i)
        addresses.push_back(((choice >> i) & 1U) != 0 ? facts.exclusives[i].first
                                                      : facts.exclusives[i].second);
    return addresses;
}

} // namespace

FactPathResult solve_with_facts(const assembly::ControlFlowGraph& graph, const StateGraph& states,
                                const std::vector<BackEdgeBounds>& bounds,
                                const models::FlowFacts& facts, Side side, std::int64_t structural,
                                std::optional<std::chrono::steady_clock::time_point> deadline,
                                std::uint64_t seed) {
    Builder builder{graph, states, side};
    builder.add_loops(bounds);
    for (const auto& fact : facts.constraints)
        builder.add_fact(fact);
    const std::int64_t sign = side == Side::Upper ? 1 : -1;
    const std::size_t cases = std::size_t{1} << std::min(exclusive_limit, facts.exclusives.size());
    FactPathResult result;
    std::optional<std::int64_t> bound; // of all cases, signed
    std::optional<std::int64_t> best;
    bool any_feasible = false;
    for (std::size_t choice = 0; choice < cases; ++choice) {
        std::optional<std::chrono::duration<double>> left;
        if (deadline)
            left = std::max(
                std::chrono::duration<double>{0},
                std::chrono::duration<double>{*deadline - std::chrono::steady_clock::now()});
        const FlowSolution solved =
            solve_flow(builder.without(left_out(facts, choice)), left, seed);
        if (!solved.feasible) continue;
        any_feasible = true;
        std::int64_t of_case = sign * structural;
        if (solved.bound) of_case = std::min(of_case, builder.base() + *solved.bound);
        result.by_refutation = result.by_refutation || solved.by_refutation;
        if (!bound || *bound < of_case) bound = of_case;
        if (solved.best && (!best || *best < builder.base() + *solved.best))
            if (auto path = builder.path_of(solved.counts, builder.base() + *solved.best)) {
                best = builder.base() + *solved.best;
                result.witness = std::move(path);
            }
    }
    result.feasible = any_feasible;
    if (!any_feasible) return result;
    result.bound = sign * *bound;
    result.by_relaxation = *bound < sign * structural;
    result.optimal = best && *best == *bound && facts.exclusives.size() <= exclusive_limit;
    return result;
}

} // namespace warpbound::analyzer
