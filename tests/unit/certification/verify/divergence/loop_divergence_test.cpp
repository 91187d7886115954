/// \file
/// Bundles of kernels some of whose lanes leave a point by BREAK.

#include "certification/verify/structure.hpp"
#include "tests/unit/certification/divergent_bundle.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::Verdict;

/// Those at B0 (0x50) wait until the others have left it, behind a barrier of all.
const std::string left_later = R"(  BAR.SYNC 0x0 ?trans6;
  BSSY B1, `(.L_out) ?trans2;
  BSSY B0, `(.L_meet) ?trans2;
  @P0 BRA `(.L_past) ?trans5; // part
  MOV R3, R1 ?trans6;
.L_meet:
  BSYNC B0 ?trans5;
  MOV R4, R1 ?trans6;
  BRA `(.L_out) ?trans5;
.L_past:
  BREAK B0 ?trans2;
  MOV R5, R1 ?trans6;
  @P1 BRA `(.L_out) ?trans5; // part
  MOV R6, R1 ?trans6;
.L_out:
  BSYNC B1 ?trans5;
  EXIT ?trans5;
)";

/// In every turn some leave B0 and the loop.
const std::string left_in_turns = R"(  BSSY B0, `(.L_meet) ?trans2;
.L_turn:
  MOV R3, R1 ?trans6; // turns at most
  @P0 BREAK B0 ?trans2;
  @P0 BRA `(.L_past) ?trans5; // part
  @P1 BRA `(.L_turn) ?trans5;
.L_meet:
  BSYNC B0 ?trans5;
  EXIT ?trans5;
.L_past:
  MOV R5, R1 ?trans6;
  EXIT ?trans5;
)";

/// Those who left B0 join another point of its register while others are in the first one.
const std::string register_again = R"(  BSSY B0, `(.L_meet) ?trans2;
  @P0 BREAK B0 ?trans2;
  @P0 BRA `(.L_past) ?trans5; // part
  MOV R3, R1 ?trans6;
.L_meet:
  BSYNC B0 ?trans5;
  MOV R4, R1 ?trans6;
.L_past:
  BSSY B0, `(.L_end) ?trans2;
  @P1 BRA `(.L_end) ?trans5; // part
  MOV R5, R1 ?trans6;
.L_end:
  BSYNC B0 ?trans5;
  EXIT ?trans5;
)";

/// Those who leave both loops are passed by those who waited at B2, in the next outer turn.
const std::string left_both = R"(  BSSY B0, `(.L_out) ?trans2;
.L_around:
  MOV R2, R1 ?trans6; // turns at most
  BSSY B2, `(.L_join) ?trans2;
.L_inner:
  MOV R3, R1 ?trans6; // turns at most
  @P0 BREAK B2 ?trans2;
  @P0 BRA `(.L_left) ?trans5; // part
  @P1 BRA `(.L_inner) ?trans5; // part
  BSYNC B2 ?trans5;
.L_join:
  MOV R5, R1 ?trans6;
  @P2 BRA `(.L_around) ?trans5; // part
  BRA `(.L_out) ?trans5;
.L_left:
  MOV R4, R1 ?trans6;
.L_out:
  BSYNC B0 ?trans5;
  EXIT ?trans5;
)";

const Bundle& loop_exit_bundle() {
    static const Bundle made = bundle_of(input_of(left_later, "2x128")).value();
    return made;
}

verify::StepResult changed_loop_exits(const std::function<void(verify::KernelCase&)>& change,
                                      const Bundle& bundle = loop_exit_bundle()) {
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    change(*evidence.kernels.front());
    return verify::check_structure(evidence);
}

TEST(LoopExitEvidence, VerifiesAndHoldsRuns) {
    for (const std::string& body : {left_later, left_in_turns, register_again, left_both})
        for (const char* policy : {"gto", "srr", "variable-rate:fast=0,every=2"}) {
            KernelInput input = input_of(body, "2x128", policy);
            tests::add_runs(input, 20, harness::Draw::Adversarial);
            const Bundle bundle = bundle_of(input).value();
            const auto steps = verify::verify(tests::plain(bundle.files), options());
            EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
            EXPECT_EQ(bundle.reports.front().observations.front().outside_bounds, 0);
        }
}

// To those who leave B0 while others wait there, behind the BREAK, and back to those who waited.
TEST(LoopExitEvidence, WithoutAWayOfCopiesFails) {
    for (const auto& [from, to] : {std::pair{0x50, 0x80}, {0x80, 0xb0}, {0xc0, 0x60}}) {
        const auto step = changed_loop_exits([from = from, to = to](verify::KernelCase& kernel) {
            for (auto& copy : kernel.serialized)
                if (kernel.blocks[copy.of].first == from)
                    std::erase_if(copy.successors, [&](std::size_t next) {
                        return kernel.blocks[kernel.serialized[next].of].first == to;
                    });
        });
        EXPECT_EQ(step.verdict, Verdict::Failed);
        EXPECT_THAT(step.detail,
                    HasSubstr(fmt::format("0x{:04x} to 0x{:04x} is missing at a node", from, to)));
    }
}

TEST(LoopExitEvidence, OfFewerGroupsThatLeaveALoopFails) {
    const Bundle bundle = bundle_of(input_of(left_in_turns, "1x32")).value();
    const auto step = changed_loop_exits(
        [](verify::KernelCase& kernel) {
            for (auto& copy : kernel.serialized)
                if (copy.repeated) copy.repeated = 1;
        },
        bundle);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("more often than a node states"));
}

// Three turns of each loop, in each of which a group may leave (S67, loop bounds, item 4).
TEST(LoopExitEvidence, OfFewerGroupsThatLeaveTwoLoopsFails) {
    const Bundle bundle = bundle_of(input_of(left_both, "1x32")).value();
    int lowered = 0;
    const auto step = changed_loop_exits(
        [&](verify::KernelCase& kernel) {
            for (auto& copy : kernel.serialized)
                if (copy.repeated == 9 && ++lowered > 0) copy.repeated = 8;
        },
        bundle);
    EXPECT_GT(lowered, 0);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("0x00b0 more often than a node states"));
}

// Without the outer loop's header around them, those who waited might come to the branch at will.
TEST(LoopExitEvidence, CountsLanesThatComeToTheBranchAgainByTheirLoop) {
    const Bundle bundle = bundle_of(input_of(left_both, "1x32")).value();
    const auto step = changed_loop_exits(
        [](verify::KernelCase& kernel) {
            for (auto& loop : kernel.facts.loops)
                if (loop.header == 0x10) loop.max = 4;
        },
        bundle);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("more often than a node states"));
}

TEST(LoopExitEvidence, UnderAnotherGuardThanItsBranchFails) {
    const Bundle bundle = bundle_of(input_of(left_in_turns, "1x32")).value();
    const auto step = changed_loop_exits(
        [](verify::KernelCase& kernel) {
            for (auto& instruction : kernel.program.functions.front().instructions)
                if (instruction.mnemonic == "BREAK") instruction.guard->predicate.index = 5;
        },
        bundle);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("0x0020: lanes that leave a point under a guard without a "
                                       "branch to another block with the same guard"));
}

// Nobody leaves B0 then.
TEST(LoopExitEvidence, OfAnotherRegisterFails) {
    const auto step = changed_loop_exits([](verify::KernelCase& kernel) {
        for (auto& instruction : kernel.program.functions.front().instructions)
            if (instruction.mnemonic == "BREAK")
                for (auto& operand : instruction.operands)
                    if (auto* reg = std::get_if<assembly::RegisterOperand>(&operand))
                        reg->index = 3;
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("is missing at a node, or its stack"));
}

} // namespace
} // namespace warpbound::certification
