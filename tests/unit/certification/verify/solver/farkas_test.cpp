/// \file
/// Scripts are refuted by addition exactly where the bound of their table holds.

#include "certification/verify/solver/farkas.hpp"
#include "certification/verify/solver/solver.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warpbound::certification::verify {
namespace {

using Random = std::mt19937_64;

std::int64_t number_in(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random);
}

/// Code of sequences, if-else statements and loops; each part has one entry and one last block.
class RandomCode {
public:
    explicit RandomCode(Random& random) : random_{random} {}

    ControlFlow flow(std::int64_t depth) {
        const std::size_t last = part(block(), depth);
        flow_.blocks[last].exits = true;
        find_order_and_loops("K1", flow_);
        for (CheckedLoop& loop : flow_.loops) {
            loop.min_back_edges = number_in(random_, 0, 2);
            loop.max_back_edges = loop.min_back_edges + number_in(random_, 0, 3);
        }
        return flow_;
    }

private:
    std::size_t block() {
        flow_.blocks.emplace_back();
        flow_.blocks.back().first = static_cast<std::int64_t>(flow_.blocks.size());
        return flow_.blocks.size() - 1;
    }
    std::size_t block_after(std::size_t block_before) {
        const std::size_t next = block();
        flow_.blocks[block_before].successors.push_back(next);
        return next;
    }
    /// Appends a part behind a block. Returns its last block.
    std::size_t part(std::size_t from, std::int64_t depth) {
        if (depth == 0) return block_after(from);
        switch (number_in(random_, 0, 2)) {
        case 0:
            return part(part(from, depth - 1), depth - 1);
        case 1: {
            const std::size_t first = part(block_after(from), depth - 1);
            const std::size_t second = part(block_after(from), depth - 1);
            const std::size_t join = block_after(first);
            flow_.blocks[second].successors.push_back(join);
            return join;
        }
        default: {
            const std::size_t header = block_after(from);
            const std::size_t latch = part(header, depth - 1);
            flow_.blocks[latch].successors.push_back(header);
            return block_after(number_in(random_, 0, 1) == 0 ? header : latch);
        }
        }
    }

    Random& random_;
    ControlFlow flow_;
};

/// One to three nodes of each block, of which no path may reach some.
Certificate random_table(Random& random, const ControlFlow& flow, bool upper) {
    Certificate table;
    table.upper = upper;
    table.all_facts = false;
    std::vector<std::vector<std::size_t>> nodes(flow.blocks.size());
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (std::int64_t i = block == 0 ? 1 : number_in(random, 1, 3); i > 0; --i) {
            nodes[block].push_back(table.nodes.size());
            table.nodes.push_back({block, std::nullopt});
            if (flow.blocks[block].exits) table.nodes.back().end = number_in(random, -5, 20);
        }
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (const std::size_t next : flow.blocks[block].successors)
            for (const std::size_t from : nodes[block])
                for (const std::size_t to : nodes[next])
                    if (to == nodes[next].front() || number_in(random, 0, 2) == 0)
                        table.edges.push_back({from, to, number_in(random, -5, 20)});
    return table;
}

bool is_refuted(const ControlFlow& flow, const Certificate& table) {
    return is_refuted_by(script_of(KernelCase{}, flow, table), distance_multipliers(flow, table));
}

Answer answer_to(const ControlFlow& flow, const Certificate& table) {
    return ask_z3(text_of(script_of(KernelCase{}, flow, table)), std::chrono::seconds{60});
}

TEST(Farkas, RefutesTheScriptsOfBoundsThatLoopBoundsShow) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random{seed};
        const ControlFlow flow = RandomCode{random}.flow(1 + static_cast<std::int64_t>(seed % 4));
        Certificate table = random_table(random, flow, seed % 2 == 0);
        const auto best = PathProblem{flow, table}.best();
        if (!best) continue;
        const std::int64_t further = table.upper ? 1 : -1;
        table.bound = *best;
        EXPECT_TRUE(is_refuted(flow, table));
        table.bound = *best + further * number_in(random, 1, 9);
        EXPECT_TRUE(is_refuted(flow, table));
        table.bound = *best - further;
        EXPECT_FALSE(is_refuted(flow, table));
    }
}

TEST(Farkas, AgreesWithZ3) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random{seed};
        const ControlFlow flow = RandomCode{random}.flow(2);
        Certificate table = random_table(random, flow, seed % 2 == 0);
        const auto best = PathProblem{flow, table}.best();
        if (!best) continue;
        table.bound = *best;
        EXPECT_EQ(answer_to(flow, table), Answer::Unsat);
        table.bound = *best + (table.upper ? -1 : 1);
        EXPECT_EQ(answer_to(flow, table), Answer::Sat);
    }
}

/// a + b >= 3, a <= 1, b <= 1.
Script three_from_two() {
    const auto constant = [](std::int64_t value) { return LinearSum{{value, std::nullopt}}; };
    using models::Relation;
    Script script;
    script.variables = {"a", "b"};
    script.rows = {{"goal", Constraint{Relation::AtLeast, {{1, 0}, {1, 1}}, constant(3)}},
                   {"first", Constraint{Relation::AtMost, {{1, 0}}, constant(1)}},
                   {"second", Constraint{Relation::AtMost, {{1, 1}}, constant(1)}}};
    return script;
}

TEST(Farkas, AddsConstraintsUpByTheirMultipliers) {
    const Script script = three_from_two();
    EXPECT_TRUE(is_refuted_by(script, {{"goal", -1}, {"first", 1}, {"second", 1}}));
    EXPECT_FALSE(is_refuted_by(script, {{"goal", -1}, {"first", 1}}));
    EXPECT_FALSE(is_refuted_by(script, {}));
}

TEST(Farkas, TakesNoMultiplierThatTurnsAConstraintRound) {
    Script script = three_from_two();
    std::get<Constraint>(script.rows[0].content).right = {{1, std::nullopt}}; // a + b >= 1: fits
    EXPECT_FALSE(is_refuted_by(script, {{"goal", 1}, {"first", -1}, {"second", -1}}));
    EXPECT_FALSE(is_refuted_by(script, {{"goal", -1}, {"first", 1}, {"second", 1}}));
}

TEST(Farkas, TakesNoSumBeyond64Bits) {
    Script script = three_from_two();
    constexpr std::int64_t large = std::int64_t{1} << 62;
    std::get<Constraint>(script.rows[0].content).right = {{large, std::nullopt}};
    EXPECT_TRUE(is_refuted_by(script, {{"goal", -1}, {"first", 1}, {"second", 1}}));
    EXPECT_FALSE(is_refuted_by(script, {{"goal", -4}, {"first", 4}, {"second", 4}}));
}

} // namespace
} // namespace warpbound::certification::verify
