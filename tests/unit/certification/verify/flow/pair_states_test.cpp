/// \file
/// States of infeasible pairs: which ones the check accepts, and the table that they give.

#include "certification/verify/flow/pair_states.hpp"
#include "certification/verify/flow/path_problem.hpp"
#include "tests/support/random_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {
namespace {

using tests::RandomSource;

constexpr std::int64_t address_of(std::size_t block) {
    return 16 * static_cast<std::int64_t>(block);
}

/// Blocks 0 to n - 1 at 0, 16, ..; the last one exits.
ControlFlow flow_of(const std::vector<std::vector<std::size_t>>& successors) {
    ControlFlow flow;
    for (std::size_t block = 0; block < successors.size(); ++block)
        flow.blocks.push_back({address_of(block), address_of(block), false, successors[block]});
    flow.blocks.back().exits = true;
    find_order_and_loops("K1", flow);
    return flow;
}

/// A node of each block; an edge costs what `cost` says.
Certificate table_of(const ControlFlow& flow,
                     const std::function<std::int64_t(std::size_t, std::size_t)>& cost) {
    Certificate table;
    table.id = "execution-time-upper";
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        table.nodes.push_back({block, std::nullopt});
        if (flow.blocks[block].exits) table.nodes.back().end = 0;
        for (const std::size_t to : flow.blocks[block].successors)
            table.edges.push_back({block, to, cost(block, to)});
    }
    return table;
}

/// Two branches on one word: 0 -> 1 | 2, 1 -> 2, 2 -> 3 | 4, 3 -> 4. Not both 1 and 3, and not both
/// edges past them.
struct TwoBranches {
    ControlFlow flow = flow_of({{1, 2}, {2}, {3, 4}, {4}, {}});
    Certificate certificate = table_of(flow, [](std::size_t from, std::size_t to) {
        return to == from + 1 ? std::int64_t{10} : std::int64_t{1};
    });
    models::FlowFacts facts;

    TwoBranches() {
        facts.exclusives.push_back({address_of(1), address_of(3), {}});
        models::LinearFact edges;
        edges.terms = {{1, address_of(0), address_of(2)}, {1, address_of(2), address_of(4)}};
        edges.constant = 1;
        facts.constraints.push_back(edges);
        certificate.pairs = {{{std::nullopt, address_of(1)}, {address_of(0), address_of(2)}},
                             {{0, {}, {1, 2}},
                              {1, {0}, {3}},
                              {2, {1}, {4}},
                              {2, {0}, {5}},
                              {3, {}, {5}},
                              {4, {}, {}}},
                             {},
                             {}};
    }

    [[nodiscard]] std::string finding() const {
        try {
            check_pair_states(facts, flow, certificate, "K1");
        } catch (const Finding& finding) {
            return finding.what();
        }
        return {};
    }
    PairStateRow& state(std::size_t number) { return certificate.pairs->states[number]; }
};

TEST(PairStates, LeaveOutWhatPairsExclude) {
    TwoBranches branches;
    EXPECT_EQ(branches.finding(), "");
    // Through both: 40, past both: 2. One of them: 10 + 10 + 1 = 21.
    const Certificate product = with_states(branches.facts, branches.flow, branches.certificate);
    EXPECT_EQ((PathProblem{branches.flow, product}.best()), 21);
    EXPECT_EQ(product.nodes.size(), 6U);
    EXPECT_TRUE(facts_of_script(branches.facts, product).exclusives.empty());
    branches.certificate.upper = false;
    EXPECT_EQ((PathProblem{branches.flow,
                           with_states(branches.facts, branches.flow, branches.certificate)}
                   .best()),
              21);
}

TEST(PairStates, MayForgetWhatOccurred) {
    TwoBranches branches;
    branches.certificate.pairs->states = {
        {0, {}, {1, 2}}, {1, {}, {2}}, {2, {}, {3, 4}}, {3, {}, {4}}, {4, {}, {}}};
    EXPECT_EQ(branches.finding(), "");
    EXPECT_EQ((PathProblem{branches.flow,
                           with_states(branches.facts, branches.flow, branches.certificate)}
                   .best()),
              40);
}

TEST(PairStates, StartWithoutMemory) {
    TwoBranches branches;
    branches.state(0).memory = {1};
    EXPECT_THAT(branches.finding(), testing::HasSubstr("block 0x0000 remembers what need not"));
}

TEST(PairStates, StartWhereThePathsOfTheTableStart) {
    TwoBranches branches;
    branches.certificate.pairs->states = {{4, {}, {}}};
    EXPECT_THAT(branches.finding(), testing::HasSubstr("state 0 is not where paths start"));
    branches.certificate.pairs->states.clear();
    EXPECT_THAT(branches.finding(), testing::HasSubstr("no states"));
}

TEST(PairStates, RememberOnlyWhatOccurredOnAllPathsToThem) {
    TwoBranches branches;
    branches.state(2).memory = {0, 1};
    EXPECT_THAT(branches.finding(), testing::HasSubstr("block 0x0020 remembers what need not"));
    // Reached after block 1, and over the edge past it.
    TwoBranches joined;
    joined.state(0).successors = {1, 3};
    EXPECT_THAT(joined.finding(), testing::HasSubstr("block 0x0020 remembers what need not"));
    TwoBranches twice;
    twice.state(1).memory = {0, 0};
    EXPECT_THAT(twice.finding(), testing::HasSubstr("not a set of events"));
}

TEST(PairStates, LeadOverEachEdgeThatNoFactExcludes) {
    TwoBranches missing;
    missing.state(0).successors = {1};
    EXPECT_THAT(missing.finding(), testing::HasSubstr("does not lead to 0x0020, which no fact"));
    TwoBranches forgotten; // What excludes block 3 is not remembered.
    forgotten.state(3).memory = {};
    EXPECT_THAT(forgotten.finding(), testing::HasSubstr("does not lead to 0x0030, which no fact"));
    TwoBranches without;
    without.facts.exclusives.clear();
    EXPECT_THAT(without.finding(), testing::HasSubstr("does not lead to 0x0030, which no fact"));
    TwoBranches looser;
    looser.facts.constraints.front().constant = 2;
    EXPECT_THAT(looser.finding(), testing::HasSubstr("does not lead to 0x0040, which no fact"));
    TwoBranches least;
    least.facts.constraints.front().relation = models::Relation::AtLeast;
    EXPECT_THAT(least.finding(), testing::HasSubstr("does not lead to 0x0040, which no fact"));
    TwoBranches negative; // One edge less another is at most 1: they exclude nothing.
    negative.facts.constraints.front().terms.front().coefficient = -1;
    EXPECT_THAT(negative.finding(), testing::HasSubstr("does not lead to 0x0040, which no fact"));
}

TEST(PairStates, LeadNowhereElse) {
    TwoBranches elsewhere;
    elsewhere.state(0).successors = {1, 2, 4};
    EXPECT_THAT(elsewhere.finding(), testing::HasSubstr("leads to 0x0030, its table does not"));
    TwoBranches twice;
    twice.state(0).successors = {1, 2, 2};
    EXPECT_THAT(twice.finding(), testing::HasSubstr("two states of 0x0020"));
}

TEST(PairStates, BelongToFactsAboutWholePaths) {
    TwoBranches branches;
    branches.certificate.all_facts = false;
    EXPECT_THAT(branches.finding(), testing::HasSubstr("uses no facts about whole paths"));
    TwoBranches beyond;
    beyond.certificate.pairs->exclusives = {1};
    EXPECT_THAT(beyond.finding(), testing::HasSubstr("states facts that are not in use"));
    TwoBranches twice;
    twice.certificate.pairs->constraints = {0, 0};
    EXPECT_THAT(twice.finding(), testing::HasSubstr("states facts that are not in use"));
}

/// Executions of one block in two iterations are no pair, and an event of an earlier iteration is
/// still remembered: conditions are on numbers that a run does not change.
TEST(PairStates, KeepTheirMemoryInLoops) {
    ControlFlow flow = flow_of({{1}, {2, 3}, {4}, {4}, {1, 5}, {}});
    ASSERT_EQ(flow.loops.size(), 1U);
    flow.loops.front().max_back_edges = 3;
    Certificate certificate = table_of(flow, [](std::size_t from, std::size_t) {
        return from == 2 ? std::int64_t{10} : from == 3 ? std::int64_t{7} : std::int64_t{0};
    });
    models::FlowFacts facts;
    facts.exclusives.push_back({address_of(2), address_of(3), {}});
    certificate.pairs = {{{std::nullopt, address_of(2)}, {std::nullopt, address_of(3)}},
                         {{0, {}, {1}},
                          {1, {}, {2, 3}},
                          {2, {0}, {4}},
                          {3, {1}, {5}},
                          {4, {0}, {6, 8}},
                          {4, {1}, {7, 8}},
                          {1, {0}, {2}},
                          {1, {1}, {3}},
                          {5, {}, {}}},
                         {},
                         {}};
    EXPECT_NO_THROW(check_pair_states(facts, flow, certificate, "K1"));
    EXPECT_EQ((PathProblem{flow, with_states(facts, flow, certificate)}.best()), 40);
    certificate.upper = false;
    flow.loops.front().min_back_edges = 3;
    EXPECT_EQ((PathProblem{flow, with_states(facts, flow, certificate)}.best()), 28);
    facts.exclusives.front() = {address_of(2), address_of(2), {}};
    EXPECT_THROW(check_pair_states(facts, flow, certificate, "K1"), Finding);
}

TEST(PairStates, KnowEdgesThatNoPathTakesAndBlocksLeftOverOneEdge) {
    TwoBranches never;
    models::LinearFact edge;
    edge.terms = {{1, address_of(0), address_of(2)}};
    never.facts.constraints.push_back(edge);
    never.state(0).successors = {1};
    EXPECT_EQ(never.finding(), "");
    TwoBranches only;
    models::LinearFact way;
    way.terms = {{1, address_of(0), address_of(1)}, {-1, std::nullopt, address_of(0)}};
    way.relation = models::Relation::AtLeast;
    only.facts.constraints.push_back(way);
    only.state(0).successors = {1};
    EXPECT_EQ(only.finding(), "");
    only.facts.constraints.back().constant = -1;
    EXPECT_THAT(only.finding(), testing::HasSubstr("does not lead to 0x0020, which no fact"));
    // A block that is always left over an edge ends no path.
    TwoBranches ends;
    ends.certificate.nodes[2].end = 100;
    way.terms = {{1, address_of(2), address_of(4)}, {-1, std::nullopt, address_of(2)}};
    ends.facts.constraints.push_back(way);
    EXPECT_EQ((PathProblem{ends.flow, with_states(ends.facts, ends.flow, ends.certificate)}.best()),
              21);
}

/// Random states that pass the check: the product has each path that keeps the facts.
TEST(PairStates, KeepEveryPathThatTheFactsAllow) {
    std::size_t excluded = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SCOPED_TRACE(seed);
        RandomSource random{seed};
        const auto blocks = static_cast<std::size_t>(random.whole(4, 9));
        std::vector<std::vector<std::size_t>> successors(blocks);
        for (std::size_t block = 0; block + 1 < blocks; ++block) {
            successors[block] = {block + 1};
            if (block + 2 < blocks && random.whole(0, 1) == 0)
                successors[block].push_back(static_cast<std::size_t>(random.whole(
                    static_cast<std::int64_t>(block) + 2, static_cast<std::int64_t>(blocks) - 1)));
        }
        const ControlFlow flow = flow_of(successors);
        const bool upper = random.whole(0, 1) == 0;
        Certificate certificate =
            table_of(flow, [&](std::size_t, std::size_t) { return random.whole(0, 50); });
        certificate.upper = upper;
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        models::FlowFacts facts;
        for (std::int64_t i = random.whole(1, 4); i > 0; --i) {
            const auto one =
                static_cast<std::size_t>(random.whole(1, static_cast<std::int64_t>(blocks) - 2));
            const auto other =
                static_cast<std::size_t>(random.whole(1, static_cast<std::int64_t>(blocks) - 2));
            if (one == other) continue;
            pairs.emplace_back(one, other);
            facts.exclusives.push_back({address_of(one), address_of(other), {}});
        }
        // States: what of the pairs occurred, of which some is forgotten at random.
        PairStatesRow rows;
        for (std::size_t block = 0; block < blocks; ++block)
            rows.events.emplace_back(std::nullopt, address_of(block));
        using Memory = std::set<std::size_t>;
        std::map<std::pair<std::size_t, Memory>, std::size_t> numbers{{{0, {}}, 0}};
        std::vector<std::pair<std::size_t, Memory>> states{{0, {}}};
        for (std::size_t at = 0; at < states.size(); ++at) {
            const auto [block, memory] = states[at];
            PairStateRow row{block, {memory.begin(), memory.end()}, {}};
            for (const std::size_t to : successors[block]) {
                Memory next = memory;
                bool is_excluded = false;
                for (const auto& [one, other] : pairs) {
                    is_excluded |= (to == one && memory.count(other) != 0) ||
                                   (to == other && memory.count(one) != 0);
                    if (to == one || to == other) next.insert(to);
                }
                if (is_excluded) continue;
                if (!next.empty() && random.whole(0, 9) == 0) next.erase(next.begin());
                const auto [known, fresh] = numbers.try_emplace({to, next}, states.size());
                if (fresh) states.emplace_back(to, next);
                row.successors.push_back(known->second);
            }
            rows.states.push_back(std::move(row));
        }
        certificate.pairs = std::move(rows);
        ASSERT_NO_THROW(check_pair_states(facts, flow, certificate, "K1"));
        // By enumeration.
        std::optional<std::int64_t> best;
        std::size_t left_out = 0;
        const std::function<void(std::size_t, std::set<std::size_t>, std::int64_t)> walk =
            [&](std::size_t block, std::set<std::size_t> entered, std::int64_t cost) {
                entered.insert(block);
                if (flow.blocks[block].exits) {
                    const bool keeps =
                        std::none_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
                            return entered.count(pair.first) != 0 &&
                                   entered.count(pair.second) != 0;
                        });
                    left_out += keeps ? 0U : 1U;
                    if (keeps && (!best || (upper ? cost > *best : cost < *best))) best = cost;
                    return;
                }
                for (const auto& edge : certificate.edges)
                    if (edge.from == block) walk(edge.to, entered, cost + edge.cost);
            };
        walk(0, {}, 0);
        excluded += left_out;
        const auto found = PathProblem{flow, with_states(facts, flow, certificate)}.best();
        if (!best) continue;
        ASSERT_TRUE(found);
        if (upper)
            EXPECT_GE(*found, *best);
        else
            EXPECT_LE(*found, *best);
    }
    EXPECT_GT(excluded, 500U);
}

} // namespace
} // namespace warpbound::certification::verify
