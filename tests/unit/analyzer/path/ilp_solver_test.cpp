#include "analyzer/path/ilp_solver.hpp"
#include "assembly/support/stop_token.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warpbound::analyzer {
namespace {

// Maximise 5x + 4y with 6x + 4y <= 24, x + 2y <= 6: the relaxation is 21 at (3, 3/2), the integer
// optimum 20 at (4, 0).
FlowProblem textbook() {
    FlowProblem problem;
    problem.variables = 2;
    problem.costs = {5, 4};
    problem.rows.push_back({{{0, 6}, {1, 4}}, LinearRow::Relation::AtMost, 24});
    problem.rows.push_back({{{0, 1}, {1, 2}}, LinearRow::Relation::AtMost, 6});
    return problem;
}

TEST(IlpSolver, TightensTheRelaxationByRefutation) {
    const auto solution = solve_flow(textbook(), std::nullopt, 1);
    EXPECT_TRUE(solution.optimal);
    EXPECT_TRUE(solution.by_refutation);
    EXPECT_EQ(solution.bound, 20);
    EXPECT_EQ(solution.counts, (std::vector<std::int64_t>{4, 0}));
}

TEST(IlpSolver, ProvesNothingWithoutTime) {
    const auto solution = solve_flow(textbook(), std::chrono::duration<double>{0}, 1);
    EXPECT_TRUE(solution.feasible);
    EXPECT_FALSE(solution.bound);
    EXPECT_FALSE(solution.optimal);
}

/// A subset sum of sixty weights, for which the solver needs minutes.
FlowProblem hopeless() {
    FlowProblem problem;
    problem.variables = 60;
    LinearRow row{{}, LinearRow::Relation::Equal, 6'000'034};
    for (std::size_t i = 0; i < problem.variables; ++i) {
        const auto number = static_cast<std::int64_t>(i);
        problem.costs.push_back(1 + number % 7);
        problem.rows.push_back({{{i, 1}}, LinearRow::Relation::AtMost, 1});
        row.terms.emplace_back(i, 2 * (100'003 + number * number * 7919 % 99'991));
    }
    problem.rows.push_back(std::move(row));
    return problem;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>{std::chrono::steady_clock::now() - start}.count();
}

TEST(IlpSolver, EndsAtItsTimeLimitAndKeepsTheRelaxation) {
    const auto start = std::chrono::steady_clock::now();
    const auto solution = solve_flow(hopeless(), std::chrono::duration<double>{2}, 1);
    EXPECT_LT(seconds_since(start), 20);
    EXPECT_TRUE(solution.bound);
    EXPECT_FALSE(solution.optimal);
}

TEST(IlpSolver, EndsWhenWorkHasToStop) {
    const auto start = std::chrono::steady_clock::now();
    const StopScope scope{StopToken{deadline_after(std::chrono::seconds{2})}};
    const auto solution = solve_flow(hopeless(), std::chrono::duration<double>{1000}, 1);
    EXPECT_LT(seconds_since(start), 20);
    EXPECT_FALSE(solution.optimal);
}

TEST(IlpSolver, ShowsThatThereIsNoSolution) {
    FlowProblem problem = textbook();
    problem.rows.push_back({{{0, 1}}, LinearRow::Relation::AtLeast, 5});
    EXPECT_FALSE(solve_flow(problem, std::nullopt, 1).feasible);
}

TEST(IlpSolver, AgreesWithEnumerationOnRandomProblems) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 engine{seed};
        const auto draw = [&](std::int64_t lo, std::int64_t hi) {
            return lo +
                   static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(hi - lo + 1));
        };
        FlowProblem problem;
        problem.variables = 3;
        for (int i = 0; i < 3; ++i)
            problem.costs.push_back(draw(-5, 9));
        for (std::size_t i = 0; i < 3; ++i)
            problem.rows.push_back({{{i, 1}}, LinearRow::Relation::AtMost, draw(0, 5)});
        for (int row = 0; row < 2; ++row)
            problem.rows.push_back({{{0, draw(-2, 3)}, {1, draw(-2, 3)}, {2, draw(-2, 3)}},
                                    LinearRow::Relation::AtMost,
                                    draw(-2, 8)});
        std::optional<std::int64_t> best;
        for (std::int64_t x = 0; x <= 5; ++x)
            for (std::int64_t y = 0; y <= 5; ++y)
                for (std::int64_t z = 0; z <= 5; ++z) {
                    const std::vector<std::int64_t> point{x, y, z};
                    bool inside = true;
                    for (const auto& row : problem.rows) {
                        std::int64_t sum = 0;
                        for (const auto& [variable, coefficient] : row.terms)
                            sum += coefficient * point[variable];
                        inside = inside && sum <= row.constant;
                    }
                    const std::int64_t cost =
                        x * problem.costs[0] + y * problem.costs[1] + z * problem.costs[2];
                    if (inside && (!best || *best < cost)) best = cost;
                }
        const auto solution = solve_flow(problem, std::nullopt, seed);
        ASSERT_EQ(solution.feasible, best.has_value()) << "seed " << seed;
        if (best) {
            ASSERT_EQ(solution.bound, best) << "seed " << seed;
        }
    }
}

} // namespace
} // namespace warpbound::analyzer
