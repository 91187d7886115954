#include "certification/verify/flow/path_problem.hpp"

#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using BestCost = std::optional<std::int64_t>;
/// Best costs from each header node of a loop to each.
using CostMatrix = std::vector<std::vector<BestCost>>;

std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum) || sum > largest_number || sum < -largest_number)
        refuted("a sum of costs leaves +-2^62");
    return sum;
}

void improve(BestCost& best, std::int64_t value) {
    if (!best || *best < value) best = value;
}
void improve(std::map<std::size_t, std::int64_t>& best, std::size_t at, std::int64_t value) {
    const auto [known, fresh] = best.emplace(at, value);
    if (!fresh) known->second = std::max(known->second, value);
}

/// Best sums over two successive sets of iterations.
CostMatrix compose(const CostMatrix& a, const CostMatrix& b) {
    const std::size_t size = a.size();
    CostMatrix both(size, std::vector<BestCost>(size));
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t middle = 0; middle < size; ++middle)
            for (std::size_t j = 0; a[i][middle] && j < size; ++j)
                if (b[middle][j]) improve(both[i][j], checked_sum(*a[i][middle], *b[middle][j]));
    return both;
}

/// No iteration: every header node leads to itself at no cost.
CostMatrix no_iteration(std::size_t size) {
    CostMatrix matrix(size, std::vector<BestCost>(size));
    for (std::size_t i = 0; i < size; ++i)
        matrix[i][i] = 0;
    return matrix;
}

CostMatrix iterated(CostMatrix once, std::int64_t times) {
    CostMatrix result = no_iteration(once.size());
    for (; times > 0; times /= 2) {
        if (times % 2 == 1) result = compose(result, once);
        if (times > 1) once = compose(once, once);
    }
    return result;
}

CostMatrix or_no_iteration(CostMatrix matrix) {
    for (std::size_t i = 0; i < matrix.size(); ++i)
        improve(matrix[i][i], 0);
    return matrix;
}

void check_size(const ControlFlow& flow, const Certificate& certificate,
                const std::vector<std::vector<std::size_t>>& nodes_of) {
    for (const CheckedLoop& loop : flow.loops)
        if (nodes_of[loop.header].size() > most_nodes_of_a_header)
            refuted(fmt::format("{}: the header of a loop has more than {} nodes", certificate.id,
                                most_nodes_of_a_header));
}

} // namespace

std::vector<std::vector<std::size_t>> nodes_by_block(const Certificate& certificate,
                                                     std::size_t blocks) {
    std::vector<std::vector<std::size_t>> nodes(blocks);
    for (std::size_t node = 0; node < certificate.nodes.size(); ++node)
        nodes[certificate.nodes[node].block].push_back(node);
    return nodes;
}

PathProblem::PathProblem(const ControlFlow& flow, const Certificate& certificate)
    : flow_{flow}, certificate_{certificate}, sign_{certificate.upper ? 1 : -1},
      nodes_of_{nodes_by_block(certificate, flow.order.size())}, out_(certificate.nodes.size()),
      headed_(flow.order.size(), nullptr) {
    check_size(flow, certificate, nodes_of_);
    for (std::size_t edge = 0; edge < certificate.edges.size(); ++edge)
        out_[certificate.edges[edge].from].push_back(edge);
    for (const CheckedLoop& loop : flow.loops)
        headed_[loop.header] = &loop;
    Values values(certificate.nodes.size());
    for (const CheckedLoop& loop : flow.loops) // inner ones come first
        solve(loop, values);
}

std::vector<std::size_t> PathProblem::nodes_in(std::vector<std::size_t> blocks) const {
    std::sort(blocks.begin(), blocks.end(),
              [&](std::size_t a, std::size_t b) { return flow_.order[a] < flow_.order[b]; });
    std::vector<std::size_t> nodes;
    for (const std::size_t block : blocks)
        nodes.insert(nodes.end(), nodes_of_[block].begin(), nodes_of_[block].end());
    return nodes;
}

PathProblem::Reach PathProblem::explore(const CheckedLoop* loop,
                                        const std::vector<std::size_t>& nodes, std::size_t start,
                                        Values& values) const {
    Reach reach = spread(loop, nodes, start, values);
    for (const std::size_t node : nodes)
        values[node].reset();
    return reach;
}

PathProblem::Reach PathProblem::spread(const CheckedLoop* loop,
                                       const std::vector<std::size_t>& nodes, std::size_t start,
                                       Values& values) const {
    Reach reach;
    if (start >= values.size()) return reach; // a table without nodes has no path
    values[start] = 0;
    const auto arrive = [&](std::size_t node, std::int64_t value) {
        const std::size_t block = certificate_.nodes[node].block;
        if (loop != nullptr && block == loop->header)
            improve(reach.next_headers, node, value);
        else if (loop != nullptr && loop->blocks.count(block) == 0)
            improve(reach.out.exits, node, value);
        else
            improve(values[node], value);
    };
    for (const std::size_t node : nodes) {
        const BestCost value = values[node];
        if (!value) continue;
        const std::size_t block = certificate_.nodes[node].block;
        if (headed_[block] != nullptr && headed_[block] != loop) {
            const auto inner = traversals_.find(node);
            if (inner == traversals_.end()) continue;
            for (const auto& [exit, cost] : inner->second.exits)
                arrive(exit, checked_sum(*value, cost));
            if (inner->second.end) improve(reach.out.end, checked_sum(*value, *inner->second.end));
            continue;
        }
        for (const std::size_t edge : out_[node])
            arrive(certificate_.edges[edge].to,
                   checked_sum(*value, sign_ * certificate_.edges[edge].cost));
        if (certificate_.nodes[node].end)
            improve(reach.out.end, checked_sum(*value, sign_ * *certificate_.nodes[node].end));
    }
    return reach;
}

void PathProblem::solve(const CheckedLoop& loop, Values& values) {
    const std::vector<std::size_t>& headers = nodes_of_[loop.header];
    const std::vector<std::size_t> inside = nodes_in({loop.blocks.begin(), loop.blocks.end()});
    std::vector<Reach> iterations;
    for (const std::size_t header : headers)
        iterations.push_back(explore(&loop, inside, header, values));
    CostMatrix once(headers.size(), std::vector<BestCost>(headers.size()));
    for (std::size_t i = 0; i < headers.size(); ++i)
        for (std::size_t j = 0; j < headers.size(); ++j)
            if (const auto next = iterations[i].next_headers.find(headers[j]);
                next != iterations[i].next_headers.end())
                once[i][j] = next->second;
    const CostMatrix all =
        compose(iterated(once, loop.min_back_edges),
                iterated(or_no_iteration(once), loop.max_back_edges - loop.min_back_edges));
    for (std::size_t i = 0; i < headers.size(); ++i) {
        TraversalCosts traversal;
        for (std::size_t j = 0; j < headers.size(); ++j) {
            if (!all[i][j]) continue;
            for (const auto& [exit, value] : iterations[j].out.exits)
                improve(traversal.exits, exit, checked_sum(*all[i][j], value));
            if (iterations[j].out.end)
                improve(traversal.end, checked_sum(*all[i][j], *iterations[j].out.end));
        }
        traversals_[headers[i]] = std::move(traversal);
    }
}

std::vector<std::size_t> PathProblem::all_nodes() const {
    std::vector<std::size_t> blocks(nodes_of_.size());
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    return nodes_in(std::move(blocks));
}

std::optional<std::int64_t> PathProblem::best() const {
    Values values(certificate_.nodes.size());
    const BestCost end = explore(nullptr, all_nodes(), 0, values).out.end;
    if (!end) return std::nullopt;
    return sign_ * *end;
}

std::vector<std::int64_t> PathProblem::distances() const {
    const std::vector<std::size_t> nodes = all_nodes();
    Values values(certificate_.nodes.size());
    const std::int64_t end = spread(nullptr, nodes, 0, values).out.end.value_or(0);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
        if (!values[*node]) values[*node] = largest_distance(*node, values, end);
    std::vector<std::int64_t> distances;
    for (const BestCost& value : values)
        distances.push_back(sign_ * value.value_or(0));
    return distances;
}

std::int64_t PathProblem::largest_distance(std::size_t node, const Values& values,
                                           std::int64_t end) const {
    BestCost largest;
    const auto limit = [&](std::int64_t value, std::int64_t cost) {
        const std::int64_t distance = checked_sum(value, -cost);
        if (!largest || distance < *largest) largest = distance;
    };
    if (const auto traversal = traversals_.find(node); traversal != traversals_.end()) {
        for (const auto& [exit, cost] : traversal->second.exits)
            limit(values[exit].value_or(0), cost);
        if (traversal->second.end) limit(end, *traversal->second.end);
        return largest.value_or(0);
    }
    for (const std::size_t edge : out_[node])
        limit(values[certificate_.edges[edge].to].value_or(0),
              sign_ * certificate_.edges[edge].cost);
    if (certificate_.nodes[node].end) limit(end, sign_ * *certificate_.nodes[node].end);
    return largest.value_or(0);
}

TraversalCosts PathProblem::traversal_from(std::size_t header) const {
    TraversalCosts traversal = traversals_.at(header);
    for (auto& exit : traversal.exits)
        exit.second *= sign_;
    if (traversal.end) *traversal.end *= sign_;
    return traversal;
}

namespace {

/// Best costs of the paths through the table along a sequence of blocks of the witness: from
/// entering the first block at a node to entering the last block at a node, in this order.
using WitnessSegment = std::map<std::size_t, std::map<std::size_t, std::int64_t>>;

class WitnessPath {
public:
    explicit WitnessPath(const Certificate& certificate)
        : certificate_{certificate}, sign_{certificate.upper ? 1 : -1} {
        for (const auto& edge : certificate.edges)
            edge_costs_[{edge.from, edge.to}] = edge.cost;
        for (std::size_t node = 0; node < certificate.nodes.size(); ++node)
            nodes_of_[certificate.nodes[node].block].push_back(node);
    }

    std::optional<std::int64_t> cost() {
        std::vector<std::optional<WitnessSegment>> rules;
        for (const auto& rule : certificate_.witness) {
            std::optional<WitnessSegment> segment;
            for (const std::int64_t symbol : rule) {
                if (symbol < 0) {
                    const auto& inner = rules[static_cast<std::size_t>(-1 - symbol)];
                    if (inner) segment = segment ? concatenated(*segment, *inner) : *inner;
                } else {
                    const WitnessSegment block = of_block(static_cast<std::size_t>(symbol));
                    segment = segment ? concatenated(*segment, block) : block;
                }
            }
            rules.push_back(std::move(segment));
        }
        if (rules.empty() || !rules.back()) return std::nullopt;
        std::optional<std::int64_t> best;
        if (const auto from_start = rules.back()->find(0); from_start != rules.back()->end())
            for (const auto& [last, cost] : from_start->second)
                if (const auto& end = certificate_.nodes[last].end)
                    improve(best, checked_sum(cost, sign_ * *end));
        if (!best) return std::nullopt;
        return sign_ * *best;
    }

private:
    [[nodiscard]] WitnessSegment of_block(std::size_t block) const {
        WitnessSegment segment;
        if (const auto nodes = nodes_of_.find(block); nodes != nodes_of_.end())
            for (const std::size_t node : nodes->second)
                segment[node][node] = 0;
        return segment;
    }

    /// All paths of both with an edge between them. The edges are added to `b` first, so that the
    /// work grows with the cube of the nodes of a block, not with their fourth power.
    [[nodiscard]] WitnessSegment concatenated(const WitnessSegment& a,
                                              const WitnessSegment& b) const {
        WitnessSegment entered; // by the last node of `a`
        WitnessSegment both;
        for (const auto& [first, to_last] : a)
            for (const auto& [last, cost] : to_last) {
                const auto [onward, fresh] = entered.try_emplace(last);
                if (fresh) onward->second = entered_from(last, b);
                for (const auto& [end, more] : onward->second)
                    improve(both[first], end, checked_sum(cost, more));
            }
        return both;
    }
    [[nodiscard]] std::map<std::size_t, std::int64_t> entered_from(std::size_t node,
                                                                   const WitnessSegment& b) const {
        std::map<std::size_t, std::int64_t> costs;
        for (const auto& [first, to_last] : b) {
            const auto edge = edge_costs_.find({node, first});
            if (edge == edge_costs_.end()) continue;
            for (const auto& [last, cost] : to_last)
                improve(costs, last, checked_sum(sign_ * edge->second, cost));
        }
        return costs;
    }

    const Certificate& certificate_;
    std::int64_t sign_;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> edge_costs_;
    std::map<std::size_t, std::vector<std::size_t>> nodes_of_; ///< By block.
};

/// One node per live block, which costs its sum on every edge and at the end.
Certificate block_sum_table(const ControlFlow& flow, const std::vector<std::int64_t>& sums,
                            bool upper) {
    const std::vector<bool> live = live_blocks(flow, std::nullopt);
    Certificate table;
    table.upper = upper;
    std::vector<std::size_t> node(flow.blocks.size(), SIZE_MAX);
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        if (live[block]) {
            node[block] = table.nodes.size();
            table.nodes.push_back({block, std::nullopt});
            if (flow.blocks[block].exits) table.nodes.back().end = sums[block];
        }
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (const std::size_t to : flow.blocks[block].successors)
            if (live[block] && live[to])
                table.edges.push_back({node[block], node[to], sums[block]});
    return table;
}

} // namespace

std::optional<std::int64_t> best_block_sum(const ControlFlow& flow,
                                           const std::vector<std::int64_t>& sums, bool upper) {
    const Certificate table = block_sum_table(flow, sums, upper);
    return PathProblem{flow, table}.best();
}

std::optional<std::int64_t> witness_cost(const Certificate& certificate) {
    return WitnessPath{certificate}.cost();
}

std::map<std::size_t, std::int64_t> witness_counts(const Certificate& certificate) {
    std::vector<std::int64_t> uses(certificate.witness.size(), 0);
    std::map<std::size_t, std::int64_t> counts;
    if (uses.empty()) return counts;
    uses.back() = 1;
    for (std::size_t rule = uses.size(); rule-- > 0;)
        for (const std::int64_t symbol : certificate.witness[rule]) {
            std::int64_t& count = symbol >= 0 ? counts[static_cast<std::size_t>(symbol)]
                                              : uses[static_cast<std::size_t>(-1 - symbol)];
            count = checked_sum(count, uses[rule]);
        }
    return counts;
}

} // namespace warpbound::certification::verify
