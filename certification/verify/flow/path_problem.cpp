#include "certification/verify/flow/path_problem.hpp"

#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpbound::certification::verify {

namespace {

using Value = std::optional<std::int64_t>;
using Matrix = std::vector<std::vector<Value>>;

std::int64_t plus(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum) || sum > largest_number || sum < -largest_number)
        throw Finding{Verdict::Failed, "a sum of costs leaves +-2^62"};
    return sum;
}

void raise(Value& best, std::int64_t value) {
    if (!best || *best < value) best = value;
}
void raise(std::map<std::size_t, std::int64_t>& best, std::size_t at, std::int64_t value) {
    const auto [known, fresh] = best.emplace(at, value);
    if (!fresh) known->second = std::max(known->second, value);
}

/// Best sums over a first part and a second part.
Matrix compose(const Matrix& a, const Matrix& b) {
    const std::size_t size = a.size();
    Matrix both(size, std::vector<Value>(size));
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t middle = 0; middle < size; ++middle)
            for (std::size_t j = 0; a[i][middle] && j < size; ++j)
                if (b[middle][j]) raise(both[i][j], plus(*a[i][middle], *b[middle][j]));
    return both;
}

/// No turn: every header node leads to itself for nothing.
Matrix standing(std::size_t size) {
    Matrix matrix(size, std::vector<Value>(size));
    for (std::size_t i = 0; i < size; ++i)
        matrix[i][i] = 0;
    return matrix;
}

Matrix repeated(Matrix once, std::int64_t times) {
    Matrix result = standing(once.size());
    for (; times > 0; times /= 2) {
        if (times % 2 == 1) result = compose(result, once);
        if (times > 1) once = compose(once, once);
    }
    return result;
}

Matrix or_standing(Matrix matrix) {
    for (std::size_t i = 0; i < matrix.size(); ++i)
        raise(matrix[i][i], 0);
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
    std::vector<Value> values(nodes_.size());
    values[start] = 0;
    const auto arrive = [&](std::size_t node, std::int64_t value) {
        const std::size_t block = certificate_.nodes[node].block;
        if (loop != nullptr && block == loop->header)
            raise(reach.turns, node, value);
        else if (loop != nullptr && loop->blocks.count(block) == 0)
            raise(reach.out.exits, node, value);
        else
            raise(values[node], value);
    };
    for (const std::size_t node : nodes_) {
        if (!values[node]) continue;
        const std::size_t block = certificate_.nodes[node].block;
        if (headed_[block] != nullptr && headed_[block] != loop) {
            const auto inner = stays_.find(node);
            if (inner == stays_.end()) continue;
            for (const auto& [exit, value] : inner->second.exits)
                arrive(exit, plus(*values[node], value));
            if (inner->second.end) raise(reach.out.end, plus(*values[node], *inner->second.end));
            continue;
        }
        for (const std::size_t edge : out_[node])
            arrive(certificate_.edges[edge].to,
                   plus(*values[node], sign_ * certificate_.edges[edge].cost));
        if (certificate_.nodes[node].end)
            raise(reach.out.end, plus(*values[node], sign_ * *certificate_.nodes[node].end));
    }
    return reach;
}

void PathProblem::solve(const CheckedLoop& loop) {
    std::vector<std::size_t> headers;
    for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
        if (certificate_.nodes[node].block == loop.header) headers.push_back(node);
    std::vector<Reach> turns;
    for (const std::size_t header : headers)
        turns.push_back(explore(&loop, header));
    Matrix once(headers.size(), std::vector<Value>(headers.size()));
    for (std::size_t i = 0; i < headers.size(); ++i)
        for (std::size_t j = 0; j < headers.size(); ++j)
            if (const auto turn = turns[i].turns.find(headers[j]); turn != turns[i].turns.end())
                once[i][j] = turn->second;
    const Matrix all = compose(repeated(once, loop.min_turns),
                               repeated(or_standing(once), loop.max_turns - loop.min_turns));
    for (std::size_t i = 0; i < headers.size(); ++i) {
        TraversalCosts stay;
        for (std::size_t j = 0; j < headers.size(); ++j) {
            if (!all[i][j]) continue;
            for (const auto& [exit, value] : turns[j].out.exits)
                raise(stay.exits, exit, plus(*all[i][j], value));
            if (turns[j].out.end) raise(stay.end, plus(*all[i][j], *turns[j].out.end));
        }
        stays_[headers[i]] = std::move(stay);
    }
}

std::optional<std::int64_t> PathProblem::best() const {
    const Value end = explore(nullptr, 0).out.end;
    if (!end) return std::nullopt;
    return sign_ * *end;
}

TraversalCosts PathProblem::stay_at(std::size_t header) const {
    TraversalCosts stay = stays_.at(header);
    for (auto& exit : stay.exits)
        exit.second *= sign_;
    if (stay.end) *stay.end *= sign_;
    return stay;
}

namespace {

/// Best costs of the ways through a part of the witness: from entering its first block at a node to
/// entering its last block at a node.
struct Part {
    std::size_t first = 0; ///< Block.
    std::size_t last = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> ways;
};

class Witness {
public:
    explicit Witness(const Certificate& certificate)
        : certificate_{certificate}, sign_{certificate.upper ? 1 : -1} {
        for (const auto& edge : certificate.edges)
            costs_[{edge.from, edge.to}] = edge.cost;
    }

    std::optional<std::int64_t> cost() {
        std::vector<std::optional<Part>> rules;
        for (const auto& rule : certificate_.witness) {
            std::optional<Part> part;
            for (const std::int64_t symbol : rule) {
                if (symbol < 0) {
                    const auto& inner = rules[static_cast<std::size_t>(-1 - symbol)];
                    if (inner) part = part ? joined(*part, *inner) : *inner;
                } else {
                    const Part block = of_block(static_cast<std::size_t>(symbol));
                    part = part ? joined(*part, block) : block;
                }
            }
            rules.push_back(std::move(part));
        }
        if (rules.empty() || !rules.back()) return std::nullopt;
        std::optional<std::int64_t> best;
        for (const auto& [way, cost] : rules.back()->ways) {
            const auto& end = certificate_.nodes[way.second].end;
            if (way.first == 0 && end) raise(best, plus(cost, sign_ * *end));
        }
        if (!best) return std::nullopt;
        return sign_ * *best;
    }

private:
    [[nodiscard]] Part of_block(std::size_t block) const {
        Part part{block, block, {}};
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
            if (certificate_.nodes[node].block == block) part.ways[{node, node}] = 0;
        return part;
    }

    [[nodiscard]] Part joined(const Part& a, const Part& b) const {
        Part both{a.first, b.last, {}};
        for (const auto& [first, cost] : a.ways)
            for (const auto& [second, more] : b.ways) {
                const auto edge = costs_.find({first.second, second.first});
                if (edge == costs_.end()) continue;
                const std::int64_t sum = plus(plus(cost, sign_ * edge->second), more);
                const auto [known, fresh] =
                    both.ways.emplace(std::pair{first.first, second.second}, sum);
                if (!fresh) known->second = std::max(known->second, sum);
            }
        return both;
    }

    const Certificate& certificate_;
    std::int64_t sign_;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> costs_;
};

} // namespace

std::optional<std::int64_t> witness_cost(const Certificate& certificate) {
    return Witness{certificate}.cost();
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
            count = plus(count, uses[rule]);
        }
    return counts;
}

} // namespace warpbound::certification::verify
