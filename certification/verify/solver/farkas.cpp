#include "certification/verify/solver/farkas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

namespace {

/// Per block: the header of the outermost loop that contains it.
std::vector<std::optional<std::size_t>> outermost_headers(const ControlFlow& flow) {
    std::vector<std::optional<std::size_t>> headers(flow.blocks.size());
    for (auto loop = flow.loops.rbegin(); loop != flow.loops.rend(); ++loop) // outer ones first
        if (!headers[loop->header])
            for (const std::size_t block : loop->blocks)
                headers[block] = loop->header;
    return headers;
}

/// A weighted sum of constraints that says: it is at most 0.
class WeightedSum {
public:
    explicit WeightedSum(std::size_t variables) : coefficients_(variables, 0) {}

    void add(const Constraint& constraint, std::int64_t multiplier) {
        const bool turned = (constraint.relation == models::Relation::AtMost && multiplier < 0) ||
                            (constraint.relation == models::Relation::AtLeast && multiplier > 0);
        if (turned) is_valid_ = false;
        add(constraint.left, multiplier);
        std::int64_t right = 0;
        if (__builtin_mul_overflow(multiplier, constraint.factor, &right) ||
            __builtin_sub_overflow(std::int64_t{0}, right, &right))
            is_valid_ = false;
        add(constraint.right, right);
    }

    /// Whether it is above 0 for all counts.
    [[nodiscard]] bool is_contradiction() const {
        return is_valid_ && constant_ > 0 &&
               std::all_of(coefficients_.begin(), coefficients_.end(),
                           [](std::int64_t coefficient) { return coefficient >= 0; });
    }

private:
    void add(const LinearSum& sum, std::int64_t multiplier) {
        for (const auto& [coefficient, variable] : sum) {
            std::int64_t& into = variable ? coefficients_[*variable] : constant_;
            std::int64_t part = 0;
            if (__builtin_mul_overflow(coefficient, multiplier, &part) ||
                __builtin_add_overflow(into, part, &into))
                is_valid_ = false;
        }
    }

    std::vector<std::int64_t> coefficients_;
    std::int64_t constant_ = 0;
    bool is_valid_ = true;
};

} // namespace

Multipliers distance_multipliers(const ControlFlow& flow, const Certificate& certificate) {
    const PathProblem problem{flow, certificate};
    const auto best = problem.best();
    if (!best) return {};
    const std::int64_t side = certificate.upper ? 1 : -1;
    const std::vector<std::int64_t> distances = problem.distances();
    const auto headers = outermost_headers(flow);
    const auto block_of = [&](std::size_t node) { return certificate.nodes[node].block; };
    Multipliers multipliers{{"goal", -side}, {"once", side * *best}};
    for (std::size_t node = 0; node < certificate.nodes.size(); ++node) {
        const auto header = headers[block_of(node)];
        if (!header)
            multipliers[fmt::format("flow_{}", node)] = side * distances[node];
        else if (*header == block_of(node)) {
            multipliers[fmt::format("traversals_into_{}", node)] = -side * distances[node];
            multipliers[fmt::format("cut_b{}", *header)] = side;
            multipliers[fmt::format("traversals_b{}_to_end", *header)] = side * *best;
        }
    }
    for (const auto& edge : certificate.edges)
        if (const auto left = headers[block_of(edge.from)];
            left && headers[block_of(edge.to)] != left)
            multipliers[fmt::format("traversals_b{}_to_{}", *left, edge.to)] =
                side * distances[edge.to];
    return multipliers;
}

bool is_refuted_by(const Script& script, const Multipliers& multipliers) {
    WeightedSum sum{script.variables.size()};
    for (const ScriptRow& row : script.rows) {
        const auto* constraint = std::get_if<Constraint>(&row.content);
        const auto multiplier = multipliers.find(row.label);
        if (constraint != nullptr && multiplier != multipliers.end())
            sum.add(*constraint, multiplier->second);
    }
    return sum.is_contradiction();
}

} // namespace warpbound::certification::verify
