/// \file
/// The gap between lanes (C41), case by case: of one warp the longest simulated run is the upper
/// bound, whichever of the two gaps of a branch is the longer one.

#include "tests/support/loop_exit_kernel.hpp"
#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

struct Case {
    std::string name;
    std::string body;
    std::vector<std::int64_t> divergent_at;
    std::vector<models::LoopFact> loops{};
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"TwoPaths",
         "@P0 BRA B ?trans2; FADD R1, R2, R2 ?trans4; BRA C ?trans2; B: FADD R3, R2, R2 ?trans4; "
         "C: FADD R4, R2, R2 ?trans4; EXIT ?trans2;",
         {0x00}},
        // Lanes wait at C, which the others reach by falling through.
        {"WaitAtTheNextInstruction",
         "@P0 BRA C ?trans2; FADD R1, R2, R2 ?trans4; C: FADD R4, R2, R2 ?trans4; EXIT ?trans2;",
         {0x00}},
        // Lanes that wait at B, or are pending there, go on after the branch in front of it.
        {"OthersGoOnAtTheNextInstruction",
         "@P0 BRA B ?trans2; FADD R1, R2, R2 ?trans4; @P1 BRA R ?trans2; "
         "B: FADD R3, R2, R2 ?trans4; R: FADD R4, R2, R2 ?trans4; EXIT ?trans2;",
         {0x00, 0x20}},
        {"ConvergenceBarrier",
         "BSSY B0, C ?trans1; @P0 BRA B ?trans2; FADD R1, R2, R2 ?trans4; BRA C ?trans2; "
         "B: FADD R3, R2, R2 ?trans4; C: BSYNC B0 ?trans2; FADD R4, R2, R2 ?trans4; EXIT ?trans2;",
         {0x10}},
        {"Break",
         "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; @P0 BRA PAST ?trans2; "
         "FADD R5, R2, R2 ?trans2; MEET: BSYNC B0 ?trans2; FADD R6, R5, R5 ?trans4; "
         "BRA OUT ?trans2; PAST: BREAK B0 ?trans1; FADD R7, R2, R2 ?trans2; OUT: BSYNC B1 ?trans2; "
         "FADD R8, R7, R7 ?trans4; EXIT ?trans2;",
         {0x20}},
        {"LoopExit",
         "L: FADD R1, R2, R2 ?trans4; @P0 BRA X ?trans2; FADD R3, R2, R2 ?trans4; @P1 BRA L "
         "?trans2; "
         "X: FADD R4, R2, R2 ?trans4; EXIT ?trans2;",
         {0x10, 0x30},
         {{0x00, 0, 3, {}}}},
        {"Returns",
         "MOV R20, 0x40 ?trans4; @P0 BRA B ?trans2; FADD R1, R2, R2 ?trans4; "
         "CALL.REL.NOINC F ?trans2; B: FADD R3, R2, R2 ?trans4; EXIT ?trans2; "
         "F: FADD R4, R2, R2 ?trans4; RET.REL.NODEC R20 0x0 ?trans2;",
         {0x10}},
        {"GuardedExit",
         "@P0 BRA B ?trans2; FADD R1, R2, R2 ?trans4; @P1 EXIT ?trans2; "
         "B: FADD R3, R2, R2 ?trans4; EXIT ?trans2;",
         {0x00, 0x20}},
        // A target is the next instruction: lanes come there in both ways.
        {"IndirectBranchToTheNextInstruction",
         "H: FADD R3, R2, R2 ?trans4; @P0 BRX R2 -0x10 (*\"BRANCH_TARGETS A,H\"*) ?trans2; "
         "A: FADD R1, R2, R2 ?trans4; EXIT ?trans2;",
         {0x10},
         {{0x00, 0, 3, {}}}},
    };
    return all;
}

tests::TinyLaunch launch_of(models::Architecture machine, std::string text, const Case& one) {
    tests::TinyLaunch tiny{
        .machine = std::move(machine), .text = std::move(text), .facts = {}, .launch = {1, 32}};
    tiny.facts.loops = one.loops;
    for (const std::int64_t at : one.divergent_at)
        tiny.facts.divergents.push_back({at, {}});
    tiny.read();
    return tiny;
}

void expect_exact(const tests::TinyLaunch& tiny) {
    const models::Bounds<models::Cycles> bounds = tiny.bounds();
    const harness::Kernel kernel{&tiny.function(), &tiny.graph, &tiny.facts, tiny.launch};
    const auto machine = harness::simulator::Machine::prepare(tiny.machine, kernel, tiny.policy, 1);
    ASSERT_TRUE(machine) << to_string(machine.error());
    models::Cycles longest{0};
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        const auto seen = machine.value()->run({seed, harness::Draw::Uniform, {}});
        ASSERT_TRUE(seen) << to_string(seen.error());
        longest = std::max(longest, seen.value().execution_time);
    }
    EXPECT_EQ(longest, bounds.upper());
}

class LaneGaps : public testing::TestWithParam<Case> {};

TEST_P(LaneGaps, AreThoseOfTheLongestRun) {
    for (const auto& [taken, not_taken] : {std::pair{40, 5}, {5, 40}}) {
        SCOPED_TRACE(taken);
        models::Architecture machine = tests::machine_of_loop_exit_kernels().value();
        tests::set(machine.control_flow, "branch-taken", taken);
        tests::set(machine.control_flow, "branch-not-taken", not_taken);
        expect_exact(launch_of(std::move(machine),
                               "!Arch sm_75\n!Kernel k\n" + GetParam().body + "\n!EndKernel\n",
                               GetParam()));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LaneGaps, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

// Some lanes wait at the point, which is at the next instruction. The others pass it, as they were
// not transferred, and end; only then does the point open.
TEST(LaneGaps, OfLanesThatPassAPointAtTheNextInstruction) {
    for (const char* arrival : {"SSY N; @P0 NOP.S;", "PBK N; @P0 BRK;"})
        expect_exact(launch_of(models::load_architecture("fermi-gtx470").value(),
                               "!Arch sm_20\n!Kernel k\n" + std::string{arrival} +
                                   " N: FADD R1, R1, R1; FADD R1, R1, R1; EXIT;\n!EndKernel\n",
                               {{}, {}, {0x08}}));
}

} // namespace
} // namespace warpbound
