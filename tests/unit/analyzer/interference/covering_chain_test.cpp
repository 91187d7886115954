// Chains of blocks that cover a multiprocessor (docs/theory, S74).

#include "analyzer/interference/covering_chain.hpp"
#include "analyzer/interference/critical_path.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace warpbound::analyzer {
namespace {

using models::ThreadBlocks;

std::int64_t cost_of(const CoveringChain& chain, const ChainCosts& costs) {
    return chain.kept * costs.kept + chain.changed * costs.changed;
}

// docs/theory, example of S74: 84 cycles for 3 starts, 122 for 4.
TEST(CoveringChain, TakesTheStartsThatCostMost) {
    const ChainCosts costs{84, 122};
    const ThreadBlocks alive{3};
    const ThreadBlocks resident{4};
    EXPECT_EQ(costliest_chain(ThreadBlocks{12}, alive, resident, costs), (CoveringChain{0, 3}));
    EXPECT_EQ(costliest_chain(ThreadBlocks{11}, alive, resident, costs), (CoveringChain{1, 2}));
    EXPECT_EQ(costliest_chain(ThreadBlocks{2}, alive, resident, costs), (CoveringChain{0, 0}));
}

TEST(CoveringChain, IsTheCostliestOfAllThatTheStartsAllow) {
    for (ThreadBlocks resident{1}; resident <= ThreadBlocks{5}; ++resident)
        for (ThreadBlocks alive{1}; alive <= resident; ++alive)
            for (ThreadBlocks starts{0}; starts <= ThreadBlocks{40}; ++starts)
                for (const ChainCosts costs : {ChainCosts{10, 31}, ChainCosts{10, 9},
                                               ChainCosts{0, 7}, ChainCosts{30, 41}}) {
                    std::int64_t most = 0;
                    for (std::int64_t kept = 0; kept * alive <= starts; ++kept)
                        most = std::max(most,
                                        cost_of({kept, (starts - kept * alive) / resident}, costs));
                    const auto found = costliest_chain(starts, alive, resident, costs);
                    EXPECT_LE(found.kept * alive + found.changed * resident, starts);
                    EXPECT_EQ(cost_of(found, costs), most)
                        << starts.count() << " starts, " << alive.count() << " of "
                        << resident.count();
                }
}

// docs/theory, example of S74: 450 + 192 + 160.
TEST(CoveringChain, AddsUpAsByHand) {
    LaunchGeometry shape;
    shape.blocks = ThreadBlocks{17};
    shape.warps_per_block = models::Warps{2};
    shape.resident = ThreadBlocks{4};
    shape.schedulers = 2;
    shape.refill = {30, 30, 30};
    Interference cost;
    cost.stall = 82;
    cost.prefix_stall = 82;
    cost.own_scheduler = 8;
    cost.other_schedulers = 4;
    cost.barrier_interval = 4;
    cost.carry_in = 2;
    EXPECT_EQ(value_of(sum_of_covering_chain(shape, cost)).count(), 802);
    EXPECT_EQ(value_of(upper_bound_of(shape, cost)).count(), 802);
    // Waits that only a chain visits: 12 more would make it no better than S20.
    cost.further_fetches = 7;
    EXPECT_EQ(value_of(upper_bound_of(shape, cost)).count(), 809);
    cost.further_fetches = 20;
    EXPECT_EQ(value_of(upper_bound_of(shape, cost)).count(), 814);
    cost.prefix_stall.reset();
    EXPECT_EQ(value_of(upper_bound_of(shape, cost)).count(), 814);
}

/// Blocks of eight warps on four schedulers, four at a time.
std::unique_ptr<Analyzed> launch_of(const std::string& body) {
    auto context = analyzed(body, {}, "turing-t4", 75);
    for (const char* value : {"blocks/replacement", "blocks/start"})
        tests::put_value(context->architecture, value, {10, 10, 10});
    tests::put_value(context->architecture, "classes/special-function/latency", {40, 40, 40});
    context->request.launch = {100, 256};
    context->request.policy = models::read_policy("gto").value();
    return context;
}

/// Whether the sum of a chain is among those of the bound.
bool has_chain(const Envelope& bounds) {
    const auto is_chain = [](const BoundExpression& sum) {
        return sum.text.find("chain of blocks") != std::string::npos;
    };
    const BoundExpression& bound = bounds.upper.bound;
    return is_chain(bound) || std::any_of(bound.parts.begin(), bound.parts.end(), is_chain);
}

TEST(CoveringChain, IsOfWavesWithoutBarriers) {
    EXPECT_TRUE(has_chain(envelope(*launch_of("MOV R1, R2 ?trans1; EXIT ?trans1;"))));
    EXPECT_FALSE(
        has_chain(envelope(*launch_of("MOV R1, R2 ?trans1; BAR.SYNC 0x0 ?trans1; EXIT ?trans1;"))));
    auto one_wave = launch_of("MOV R1, R2 ?trans1; EXIT ?trans1;");
    one_wave->request.launch = {4, 256};
    EXPECT_FALSE(has_chain(envelope(*one_wave)));
    auto in_set = launch_of("MOV R1, R2 ?trans1; EXIT ?trans1;");
    in_set->request.policy = models::read_policy("two-level:active=2").value();
    EXPECT_FALSE(has_chain(envelope(*in_set)));
}

/// The largest time less demand: of whole paths, and of their beginnings.
std::pair<std::int64_t, std::int64_t> stalls_of(const std::string& body) {
    const Envelope bounds = envelope(*launch_of(body));
    std::int64_t whole = 0;
    std::int64_t beginning = 0;
    const auto look_at = [&](const BoundExpression& sum) {
        if (sum.text.find("chain of blocks") == std::string::npos) return;
        for (const BoundTerm& term : sum.terms) {
            if (term.text.find("of the chain") != std::string::npos) beginning = term.cycles;
            if (term.text.find("in a block") != std::string::npos) whole = term.cycles;
        }
    };
    look_at(bounds.upper.bound);
    for (const BoundExpression& part : bounds.upper.bound.parts)
        look_at(part);
    return {whole, beginning};
}

// A wait for a result of 40 cycles, after an instruction whose port is held for 8. What follows
// demands more than the warp waits for: MUFU and FADD hold their ports for 8 and 2 cycles, and a
// pair of them takes 8. As FADD has a wait mask, S98 does not count it within the 8.
TEST(CoveringChain, CountsBeginningsOfPaths) {
    std::string busy;
    for (int i = 0; i < 30; ++i)
        busy += "MUFU.RCP R3, R4 ?trans1; FADD R7, R8, R8 &req={1} ?trans1;";
    const auto [whole, beginning] = stalls_of("MUFU.RCP R1, R2 &wr=0x0 ?trans1; "
                                              "FADD R3, R1, R1 &req={0} ?trans1;" +
                                              busy + "EXIT ?trans1;");
    EXPECT_EQ(beginning, 40 - 8);
    EXPECT_LT(whole, beginning);
}

} // namespace
} // namespace warpbound::analyzer
