#include "certification/verify/flow/path_problem.hpp"

#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpbound::certification::verify {

namespace {

using BestCost = std::optional<std::int64_t>;
/// Best costs from each header node of a loop to each.
using CostMatrix = std::vector<std::vector<BestCost>>;

std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum) || sum > largest_number || sum < -largest_number)
        throw Finding{Verdict::Failed, "a sum of costs leaves +-2^62"};
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

void check_size(const Certificate& certificate, std::size_t blocks) {
    std::vector<std::size_t> nodes(blocks, 0);
    for (const Certificate::Node& node : certificate.nodes)
        if (++nodes[node.block] > most_nodes_of_a_block)
            throw Finding{Verdict::Failed,
                          fmt::format("{}: a block has more than {} nodes in its table",
                                      certificate.id, most_nodes_of_a_block)};
}

} // namespace

PathProblem::PathProblem(const ControlFlow& flow, const Certificate& certificate)
    : flow_{flow}, certificate_{certificate}, sign_{certificate.upper ? 1 : -1},
      nodes_(certificate.nodes.size()), out_(certificate.nodes.size()),
      headed_(flow.order.size(), nullptr) {
    check_size(certificate, flow.order.size());
    std::iota(nodes_.begin(), nodes_.end(), std::size_t{0});
    std::stable_sort(nodes_.begin(), nodes_.end(), [&](std::size_t a, std::size_t b) {
        return flow.order[certificate.nodes[a].block] < flow.order[certificate.nodes[b].block];
    });
    for (std::size_t edge = 0; edge < certificate.edges.size(); ++edge)
        out_[certificate.edges[edge].from].push_back(edge);
    for (const CheckedLoop& loop : flow.loops)
        headed_[loop.header] = &loop;
    for (const CheckedLoop& loop : flow.loops) // inner ones come first
        solve(loop);
}

PathProblem::Reach PathProblem::explore(const CheckedLoop* loop, std::size_t start) const {
    Reach reach;
    std::vector<BestCost> values(nodes_.size());
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
    for (const std::size_t node : nodes_) {
        if (!values[node]) continue;
        const std::size_t block = certificate_.nodes[node].block;
        if (headed_[block] != nullptr && headed_[block] != loop) {
            const auto inner = traversals_.find(node);
            if (inner == traversals_.end()) continue;
            for (const auto& [exit, value] : inner->second.exits)
                arrive(exit, checked_sum(*values[node], value));
            if (inner->second.end)
                improve(reach.out.end, checked_sum(*values[node], *inner->second.end));
            continue;
        }
        for (const std::size_t edge : out_[node])
            arrive(certificate_.edges[edge].to,
                   checked_sum(*values[node], sign_ * certificate_.edges[edge].cost));
        if (certificate_.nodes[node].end)
            improve(reach.out.end,
                    checked_sum(*values[node], sign_ * *certificate_.nodes[node].end));
    }
    return reach;
}

void PathProblem::solve(const CheckedLoop& loop) {
    std::vector<std::size_t> headers;
    for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
        if (certificate_.nodes[node].block == loop.header) headers.push_back(node);
    std::vector<Reach> iterations;
    for (const std::size_t header : headers)
        iterations.push_back(explore(&loop, header));
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

std::optional<std::int64_t> PathProblem::best() const {
    const BestCost end = explore(nullptr, 0).out.end;
    if (!end) return std::nullopt;
    return sign_ * *end;
}

TraversalCosts PathProblem::traversal_from(std::size_t header) const {
    TraversalCosts traversal = traversals_.at(header);
    for (auto& exit : traversal.exits)
        exit.second *= sign_;
    if (traversal.end) *traversal.end *= sign_;
    return traversal;
}

namespace {

/// A sequence of blocks of the witness, with the best costs of its paths through the table: from
/// entering the first block at a node to entering the last block at a node.
struct WitnessSegment {
    std::size_t first = 0; ///< Block.
    std::size_t last = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> costs;
};

class WitnessPath {
public:
    explicit WitnessPath(const Certificate& certificate)
        : certificate_{certificate}, sign_{certificate.upper ? 1 : -1} {
        for (const auto& edge : certificate.edges)
            edge_costs_[{edge.from, edge.to}] = edge.cost;
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
        for (const auto& [nodes, cost] : rules.back()->costs) {
            const auto& end = certificate_.nodes[nodes.second].end;
            if (nodes.first == 0 && end) improve(best, checked_sum(cost, sign_ * *end));
        }
        if (!best) return std::nullopt;
        return sign_ * *best;
    }

private:
    [[nodiscard]] WitnessSegment of_block(std::size_t block) const {
        WitnessSegment segment{block, block, {}};
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
            if (certificate_.nodes[node].block == block) segment.costs[{node, node}] = 0;
        return segment;
    }

    [[nodiscard]] WitnessSegment concatenated(const WitnessSegment& a,
                                              const WitnessSegment& b) const {
        WitnessSegment both{a.first, b.last, {}};
        for (const auto& [first, cost] : a.costs)
            for (const auto& [second, more] : b.costs) {
                const auto edge = edge_costs_.find({first.second, second.first});
                if (edge == edge_costs_.end()) continue;
                const std::int64_t sum = checked_sum(checked_sum(cost, sign_ * edge->second), more);
                const auto [known, fresh] =
                    both.costs.emplace(std::pair{first.first, second.second}, sum);
                if (!fresh) known->second = std::max(known->second, sum);
            }
        return both;
    }

    const Certificate& certificate_;
    std::int64_t sign_;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> edge_costs_;
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
