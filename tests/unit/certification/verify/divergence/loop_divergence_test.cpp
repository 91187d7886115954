/// \file
/// Bundles of kernels some of whose lanes leave a point by BREAK.

#include "certification/verify/structure.hpp"
#include "tests/unit/certification/parting_bundle.hpp"

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
    for (const std::string& body : {left_later, left_in_turns, register_again})
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
