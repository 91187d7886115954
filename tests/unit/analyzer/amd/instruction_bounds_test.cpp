// Bounds on single instructions of a wavefront (S68), on cdna2-mi210 with a few exact times.
#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/policies/instruction_bounds.hpp"
#include "analyzer/preparation.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {
namespace {

/// A scalar load takes 50 to 100 cycles, a branch that is taken 16 to 32.
class InstructionBoundsOfAWavefront : public testing::Test {
protected:
    InstructionBoundsOfAWavefront() : machine_{models::load_architecture("cdna2-mi210").value()} {
        tests::put_value(machine_, "classes/load-constant/latency", {50, std::nullopt, 100});
        tests::put_value(machine_, "classes/float-add/latency", {8, std::nullopt, 12});
    }

    Result<InstructionBounds> bounds_of(const std::string& body, models::Launch launch,
                                        const char* policy = "unknown") {
        function_ = assembly::amd::function_of("gfx90a", body).value();
        graph_ = assembly::build_control_flow_graph(function_).value();
        models::FlowFacts stated;
        for (const auto& loop : graph_.loops)
            stated.loops.push_back({graph_.blocks[loop.header].address, 1, 4, {}});
        facts_ = facts_in_use(function_, graph_, machine_, launch, stated).value();
        request_.function = &function_;
        request_.graph = &graph_;
        request_.architecture = &machine_;
        request_.facts = &facts_;
        request_.launch = launch;
        request_.policy = models::read_policy(policy).value();
        return InstructionBounds::of(prepare(request_).value());
    }

    models::Architecture machine_;
    assembly::Function function_;
    assembly::ControlFlowGraph graph_;
    models::FlowFacts facts_;
    Request request_;
};

const std::string load_and_wait = "s_load_dword s4, s[0:1], 0x0\n"
                                  "v_add_f32 v0, v1, v2\n"
                                  "v_add_f32 v3, v4, v5\n"
                                  "s_waitcnt lgkmcnt(0)\n"
                                  "v_add_f32 v6, v0, v3\n";
const models::Launch one_wavefront{1, 64};

TEST_F(InstructionBoundsOfAWavefront, CountFromTheTimesThatWereRecorded) {
    auto bounds = bounds_of(load_and_wait, one_wavefront).value();
    EXPECT_FALSE(bounds.issue(0, 0));
    const auto first = bounds.issue(1, 4);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->lower, 4);
    EXPECT_EQ(first->upper, 4);
    EXPECT_EQ(bounds.issue(2, 30)->upper, 4); // Late: it is outside, and time has passed.
    const auto wait = bounds.issue(3, 40);
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->lower, 50 - 34);
    EXPECT_EQ(wait->upper, 100 - 34);
    EXPECT_EQ(bounds.issue(4, 4)->upper, 4);
}

TEST_F(InstructionBoundsOfAWavefront, StartAgainBehindAGap) {
    auto bounds = bounds_of(load_and_wait, one_wavefront).value();
    bounds.gap(); // What came before is not known.
    EXPECT_FALSE(bounds.issue(2, 4));
    const auto wait = bounds.issue(3, 40);
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->lower, 4);
    EXPECT_GE(wait->upper, 100 - 4);
    EXPECT_FALSE(bounds.issue(1, 4)); // Does not follow in the code.
    bounds.start();
    EXPECT_FALSE(bounds.issue(0, 4));
    EXPECT_TRUE(bounds.issue(1, 4));
}

TEST_F(InstructionBoundsOfAWavefront, TakeTheGapOfTheWayThatABranchGoes) {
    auto bounds = bounds_of("L:\ns_cmp_lt_u32 s4, s5\ns_cbranch_scc1 L\n", one_wavefront).value();
    EXPECT_FALSE(bounds.issue(0, 0));
    EXPECT_TRUE(bounds.issue(1, 4));
    const auto taken = bounds.issue(0, 20);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->lower, 16);
    EXPECT_EQ(taken->upper, 32);
    EXPECT_TRUE(bounds.issue(1, 4));
    EXPECT_EQ(bounds.issue(2, 4)->lower, 4);
}

TEST_F(InstructionBoundsOfAWavefront, HaveNoUpperEndWhereOthersDelayIt) {
    const auto absent = [&](const models::Launch& launch, std::size_t instruction,
                            const char* policy = "unknown") {
        auto bounds = bounds_of("v_add_f32 v0, v1, v2\ns_barrier\nv_add_f32 v3, v4, v5\n"
                                "ds_read_b32 v6, v7\ns_waitcnt lgkmcnt(0)\n",
                                launch, policy)
                          .value();
        std::optional<InstructionBound> bound;
        for (std::size_t i = 0; i <= instruction; ++i)
            bound = bounds.issue(i, 4);
        EXPECT_EQ(bound->upper.has_value(), !bound->absent);
        EXPECT_GE(bound->lower, 4);
        return bound->absent;
    };
    using enum NoUpperBound;
    EXPECT_EQ(absent(one_wavefront, 2), std::nullopt);
    EXPECT_EQ(absent(one_wavefront, 3), std::nullopt);
    EXPECT_EQ(absent({1, 256}, 1), std::nullopt); // One on each SIMD.
    EXPECT_EQ(absent({1, 256}, 2), Barrier);
    EXPECT_EQ(absent({1, 256}, 3), SharedPort);
    EXPECT_EQ(absent({1, 512}, 1), SharedScheduler);
    EXPECT_EQ(absent(one_wavefront, 1, "variable-rate:fast=0,every=2"), Policy);
}

TEST_F(InstructionBoundsOfAWavefront, HaveNoUpperEndWhereAtomicsQueue) {
    const std::string body = "global_atomic_add v0, v[2:3], v1, off glc\n"
                             "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                             "s_waitcnt vmcnt(0)\nv_add_f32 v4, v0, v0\n";
    for (const auto& [path, cycles] :
         {std::pair{"classes/atomic-global/latency", 500}, std::pair{"memories/l2/atomic", 40},
          std::pair{"classes/atomic-global/initiation", 4},
          std::pair{"classes/atomic-global/pass-cost", 0}})
        tests::put_value(machine_, path, {cycles, cycles, cycles});
    std::vector<std::optional<NoUpperBound>> absent;
    auto alone = bounds_of(body, one_wavefront).value();
    for (std::size_t i = 0; i < 5; ++i)
        if (const auto bound = alone.issue(i, 900)) absent.push_back(bound->absent);
    using enum NoUpperBound;
    EXPECT_THAT(absent, testing::ElementsAre(std::nullopt, std::nullopt, Queueing, Queueing));
}

} // namespace
} // namespace warpbound::analyzer
