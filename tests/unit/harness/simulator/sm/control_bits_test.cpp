// Stall counts and yield flags (C4) in simulated runs, against Huerta et al., MICRO 2025 (H25),
// sections 4 and 5.

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;

models::Architecture with_yield() {
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    set(machine.schedulers, "yield", 1);
    set(machine.control_flow, "stall-zero-yield", 45);
    for (auto& [opcode_class, timing] : machine.classes)
        set(timing.values, "initiation", 1);
    set_class(machine, {assembly::OpcodeClass::MemoryFence, "alu", 1, 1});
    set_class(machine, {assembly::OpcodeClass::Half, "alu", 5, 1});
    set_class(machine, {assembly::OpcodeClass::FloatMultiplyAdd, "alu", 4, 1});
    return machine;
}

assembly::Instruction yielding(assembly::Instruction instruction, int stalls) {
    assembly::Control control = stall(stalls);
    control.yield = true;
    return with(std::move(instruction), control);
}

std::vector<std::int64_t> issues_of(const std::vector<assembly::Instruction>& code,
                                    const RunOptions& options = {}) {
    return run(program_of({code}), with_yield(), {1, 32}, options).issues();
}

assembly::Instruction last() {
    return with(exit(), stall(1));
}

// H25 5.1.2: a bubble of one without another warp, and no effect with a stall above 1.
TEST(ControlBits, OfAYieldLeaveABubble) {
    const auto first = float_add(1, 2, 3);
    EXPECT_THAT(issues_of({with(first, stall(1)), last()}), ElementsAre(0, 1));
    EXPECT_THAT(issues_of({yielding(first, 1), last()}), ElementsAre(0, 2));
    EXPECT_THAT(issues_of({yielding(first, 0), last()}), ElementsAre(0, 2));
    EXPECT_THAT(issues_of({yielding(first, 2), last()}), ElementsAre(0, 2));
    EXPECT_THAT(issues_of({yielding(first, 5), last()}), ElementsAre(0, 5));
}

// H25 4: stall 0 with yield of an ERRBAR takes 45 cycles.
TEST(ControlBits, OfAnErrbarHoldItForFortyFiveCycles) {
    const auto errbar = make("ERRBAR", assembly::OpcodeClass::MemoryFence);
    EXPECT_THAT(issues_of({yielding(errbar, 0), last()}), ElementsAre(0, 45));
    EXPECT_THAT(issues_of({yielding(errbar, 1), last()}), ElementsAre(0, 2));
}

// H25 4: above 11 without yield 1 or 2 cycles are seen; anything up to the stall count may be.
TEST(ControlBits, OfALongStallWithoutYieldMayCountForLess) {
    std::set<std::int64_t> seen;
    for (const Draw draw : {Draw::AllLow, Draw::AllHigh})
        seen.insert(issues_of({with(float_add(1, 2, 3), stall(13)), last()},
                              {.seed = 1, .draw = draw, .path = {}})
                        .at(1));
    EXPECT_THAT(seen, ElementsAre(1, 13));
    EXPECT_THAT(issues_of({with(float_add(1, 2, 3), stall(11)), last()}), ElementsAre(0, 11));
    EXPECT_THAT(issues_of({yielding(float_add(1, 2, 3), 13), last()}), ElementsAre(0, 13));
}

// H25 5.3: results of fixed latency never delay each other: both of one bank in the same cycle.
TEST(ControlBits, AndResultsOfOneBankInOneCycleDelayNothing) {
    const auto half =
        with(make("HADD2", assembly::OpcodeClass::Half, {reg(4), reg(6), reg(7)}), stall(1));
    const auto single = with(
        make("FFMA", assembly::OpcodeClass::FloatMultiplyAdd, {reg(2), reg(8), reg(9), reg(11)}),
        stall(1));
    std::vector<std::int64_t> results;
    for (const Event& event : run(program_of({{half, single, last()}}), with_yield()).events)
        if (const auto* done = std::get_if<Completed>(&event); done && done->instruction < 2)
            results.push_back(done->cycle);
    EXPECT_THAT(results, ElementsAre(5, 5));
}

} // namespace
} // namespace warpbound::harness::simulator::test
