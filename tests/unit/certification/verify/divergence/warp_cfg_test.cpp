/// \file
/// Bundles of kernels whose lanes diverge: what `verify` finds by following the lanes itself.

#include "analyzer/analyze.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "tests/unit/certification/divergent_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::Verdict;

const Bundle& sample() {
    static const Bundle made = [] {
        KernelInput input = input_of(two_points, "2x128");
        tests::add_runs(input, 20);
        return bundle_of(input).value();
    }();
    return made;
}

/// What the check of the structure says of the sample with a change.
verify::StepResult changed(const std::function<void(verify::KernelCase&)>& change) {
    const verify::Evidence evidence = verify::read_evidence(tests::plain(sample().files));
    change(*evidence.kernels.front());
    return verify::check_structure(evidence);
}

/// With so many adversarial runs.
Bundle observed(const std::string& body, const std::string& launch, std::int64_t runs) {
    KernelInput input = input_of(body, launch);
    tests::add_runs(input, runs, harness::Draw::Adversarial);
    return bundle_of(input).value();
}

std::string refusal(const std::string& body) {
    const auto bundle = bundle_of(input_of(body, "1x32"));
    return bundle ? "" : bundle.error().what;
}

TEST(DivergenceEvidence, ThatIsUntouchedHolds) {
    const auto steps = verify::verify(tests::plain(sample().files), options());
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
    EXPECT_EQ(sample().reports.front().observations.front().outside_bounds, 0);
}

TEST(DivergenceEvidence, ClaimsTheBoundOfAnalyze) {
    const auto loaded = load(input_of(two_points, "2x128"), "K1");
    const auto analysis = analyzer::analyze(request_of(*loaded.value(), 1)).value();
    for (const auto side : {analyzer::Side::Lower, analyzer::Side::Upper}) {
        const auto bounds = analysis.execution_time.bounds();
        EXPECT_EQ(sample().reports.front().claim("execution-time", side)->value,
                  (side == analyzer::Side::Lower ? bounds.lower() : bounds.upper()).count());
    }
}

TEST(DivergenceEvidence, UnderEveryKindOfPolicyHolds) {
    for (const char* policy : {"lrr", "srr", "variable-rate:fast=0,every=2"}) {
        KernelInput input = input_of(two_points, "3x128", policy);
        tests::add_runs(input, 20, harness::Draw::Adversarial);
        const auto steps = verify::verify(tests::plain(bundle_of(input).value().files), options());
        EXPECT_EQ(verify::overall(steps), Verdict::Holds) << policy << "\n" << text_of(steps);
    }
}

// From the end of a first way past the second one, in place of the way to that.
TEST(DivergenceEvidence, WithoutTheSecondWayOfABranchFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        const std::size_t end = block_at(kernel, 0xa0);
        const std::size_t behind = block_at(kernel, 0xb0);
        for (auto& copy : kernel.serialized)
            if (copy.of == end)
                std::erase_if(copy.successors,
                              [&](std::size_t to) { return kernel.serialized[to].of != behind; });
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("is missing at a node"));
}

// C102, whatever the mask is: all lanes go one way, which may be either.
TEST(DivergenceEvidence, HasBothSidesOfABranchOnActiveLanes) {
    const std::string body = "  BRA.DIV ~URZ, `(.L_slow) ?trans5;\n  MOV R3, R1 ?trans6;\n"
                             ".L_slow:\n  MOV R4, R1 ?trans6;\n  EXIT ?trans5;\n";
    const Bundle bundle = bundle_of(input_of(body, "1x32")).value();
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    EXPECT_EQ(verify::check_structure(evidence).verdict, Verdict::Holds);
    auto& block = evidence.kernels.front()->blocks.front();
    ASSERT_EQ(block.successors.size(), 2U);
    block.successors = {block_at(*evidence.kernels.front(), 0x20)};
    const auto step = verify::check_structure(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed) << step.detail;
    EXPECT_THAT(step.detail, HasSubstr("block 0x0000"));
}

/// To three places by a table, of which the second leads on to the third.
const std::string table = R"(  MOV R2, 0x3 ?trans4;
  BSSY B0, `(.L_end) ?trans2;
  BRX R3 -0x20 (*"BRANCH_TARGETS .L_a,.L_b,.L_c"*) ?trans5; // part
.L_a:
  MOV R3, R1 ?trans6;
  BRA `(.L_done) ?trans5;
.L_b:
  MOV R4, R1 ?trans6;
.L_c:
  MOV R5, R1 ?trans6;
.L_done:
  BSYNC B0 ?trans5;
.L_end:
  BAR.SYNC 0x0 ?trans6;
  EXIT ?trans5;
)";

TEST(DivergenceEvidence, OfLanesThatPartToSeveralWaysHoldsAndNeedsEachAfterEach) {
    const Bundle bundle = observed(table, "2x128", 40);
    EXPECT_EQ(bundle.reports.front().observations.front().outside_bounds, 0);
    const auto files = tests::plain(bundle.files);
    const auto steps = verify::verify(files, options());
    ASSERT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
    const verify::Evidence evidence = verify::read_evidence(files);
    const auto& kernel = *evidence.kernels.front();
    const std::size_t end = block_at(kernel, 0x70);
    std::size_t removed = 0;
    for (std::size_t copy = 0; copy < kernel.serialized.size(); ++copy)
        for (const std::size_t to : kernel.serialized[copy].successors) {
            if (kernel.serialized[copy].of != end ||
                kernel.serialized[to].of == block_at(kernel, 0x80))
                continue;
            const verify::Evidence changed = verify::read_evidence(files);
            std::erase(changed.kernels.front()->serialized[copy].successors, to);
            EXPECT_EQ(verify::check_structure(changed).verdict, Verdict::Failed)
                << copy << " to " << to;
            ++removed;
        }
    EXPECT_EQ(removed, 3U * 2 + 3U) << "behind each first way two remain, then one of three";
}

TEST(DivergenceEvidence, OnTheBlocksOfTheCodeFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        std::vector<verify::SerializedBlockRow> blocks(kernel.blocks.size());
        for (const auto& node : kernel.serialized)
            blocks[node.of].stacks.insert(blocks[node.of].stacks.end(), node.stacks.begin(),
                                          node.stacks.end());
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            blocks[block].of = block;
            blocks[block].successors = kernel.blocks[block].successors;
        }
        kernel.serialized = std::move(blocks);
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("is missing at a node"));
}

TEST(DivergenceEvidence, WithoutCopiesFails) {
    const auto step = changed([](verify::KernelCase& kernel) { kernel.serialized.clear(); });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("no serialized control flow is given"));
}

TEST(DivergenceEvidence, WithoutItsFactFails) {
    const auto step = changed([](verify::KernelCase& kernel) { kernel.facts.divergents.clear(); });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("no fact says that lanes may diverge"));
}

TEST(DivergenceEvidence, WithOneOfItsFactsMoreFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        kernel.facts.divergents.push_back({0xc0, {}});
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("0x00b0 to 0x0010 is missing at a node, or its stack"));
}

// The outer point is said to be where the inner one is.
TEST(DivergenceEvidence, WithAPointMovedFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        for (auto& instruction : kernel.program.functions.front().instructions)
            for (auto& operand : instruction.operands)
                if (auto* target = std::get_if<assembly::TargetOperand>(&operand);
                    target != nullptr && instruction.address == 0x10)
                    target->address = 0x70;
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("0x00a0: lanes go on elsewhere than their point says"));
}

TEST(DivergenceEvidence, ThatSaysThatLanesApartAreTogetherFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        for (auto& copy : kernel.serialized)
            copy.converged = true;
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("while others are elsewhere"));
}

// Loops then keep no lower bound, which no upper bound rests on: the sum is the same.
TEST(DivergenceEvidence, MaySayLessOfLanesThatAreTogether) {
    const auto step = changed([](verify::KernelCase& kernel) {
        for (auto& copy : kernel.serialized)
            copy.converged = false;
    });
    EXPECT_EQ(step.verdict, Verdict::Holds) << step.detail;
}

TEST(DivergenceEvidence, WithCopiesThatTurnWhereTheCodeDoesNotFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        for (std::size_t copy = 0; copy < kernel.serialized.size(); ++copy)
            if (kernel.serialized[copy].of == block_at(kernel, 0x90)) {
                kernel.serialized[copy].successors.push_back(copy);
                return;
            }
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("nodes form a loop at 0x0090 where the code does not"));
}

TEST(DivergenceEvidence, WithASecondCopyOfABarrierFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        for (std::size_t copy = 0; copy < kernel.serialized.size(); ++copy) {
            if (kernel.serialized[copy].of != block_at(kernel, 0xb0)) continue;
            kernel.serialized.push_back(kernel.serialized[copy]);
            for (auto& other : kernel.serialized)
                if (std::find(other.successors.begin(), other.successors.end(), copy) !=
                    other.successors.end())
                    other.successors.push_back(kernel.serialized.size() - 1);
            return;
        }
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("the barrier at 0x00b0 has several nodes"));
}

TEST(DivergenceEvidence, UnderFactsOfOneLaneFails) {
    const auto step = changed([](verify::KernelCase& kernel) {
        kernel.facts.exclusives.push_back({0x50, 0x90, {}});
        for (auto& certificate : kernel.certificates)
            if (certificate.id == "execution-time-upper-stall") certificate.all_facts = true;
    });
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("facts that speak of"));
}

// Without a stack, or a group of one, a step of the lanes leads nowhere.
TEST(DivergenceEvidence, WithStacksChangedFails) {
    const auto without_groups = changed([](verify::KernelCase& kernel) {
        for (verify::SimtStack& stack : kernel.stacks) {
            auto entries = stack.entries();
            std::erase_if(entries, [](const auto& entry) {
                return entry.kind == verify::SimtStack::Kind::Pending;
            });
            stack = verify::SimtStack::of(entries, stack.left()).value();
        }
    });
    EXPECT_EQ(without_groups.verdict, Verdict::Failed);
    EXPECT_THAT(without_groups.detail, HasSubstr("is missing at a node, or its stack"));
    const auto not_at_the_start =
        changed([](verify::KernelCase& kernel) { kernel.serialized.front().stacks.clear(); });
    EXPECT_EQ(not_at_the_start.verdict, Verdict::Failed);
    EXPECT_THAT(not_at_the_start.detail, HasSubstr("node 0 lacks the empty stack"));
    const auto unknown_point = changed([](verify::KernelCase& kernel) {
        kernel.stacks.push_back(
            verify::SimtStack::of({{verify::SimtStack::Kind::Explicit, 100'000}}, {}).value());
        kernel.serialized.back().stacks.push_back(kernel.stacks.size() - 1);
    });
    EXPECT_EQ(unknown_point.verdict, Verdict::Failed);
    EXPECT_THAT(unknown_point.detail, HasSubstr("a point that the code lacks"));
}

/// Each lane iterates three times. Lanes might leave in different iterations, but for the fact.
const std::string one_path = R"(  MOV R2, 0x3 ?trans4;
.L_turn:
  BSSY B0, `(.L_end) ?trans2; // turns
  MOV R3, R1 ?trans6;
  BSYNC B0 ?trans5;
.L_end:
  @P1 EXIT ?trans5; // part
  @P0 BRA `(.L_turn) ?trans5; // part
  EXIT ?trans5;
)";

TEST(DivergenceEvidence, OfLanesWithOnePathHasNoCopies) {
    for (const char* policy : {"gto", "srr", "variable-rate:fast=0,every=2"}) {
        KernelInput input = input_of(one_path, "2x128", policy);
        tests::add_runs(input, 20, harness::Draw::Adversarial);
        const Bundle bundle = bundle_of(input).value();
        EXPECT_EQ(bundle.reports.front().observations.front().outside_bounds, 0);
        const auto files = tests::plain(bundle.files);
        const auto steps = verify::verify(files, options());
        EXPECT_EQ(verify::overall(steps), Verdict::Holds) << policy << "\n" << text_of(steps);
        const verify::Evidence evidence = verify::read_evidence(files);
        EXPECT_TRUE(evidence.kernels.front()->serialized.empty());
        EXPECT_FALSE(verify::check_flows(*evidence.kernels.front()).of_warp);
    }
}

/// What the check says of the kernel without copies, with a change.
std::string refusal_of_one_path(const std::string& body,
                                const std::function<void(verify::KernelCase&)>& change) {
    const Bundle bundle = bundle_of(input_of(body, "1x96")).value();
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    verify::KernelCase& kernel = *evidence.kernels.front();
    change(kernel);
    const auto step = verify::check_structure(evidence);
    return step.verdict == Verdict::Failed ? step.detail : "";
}

TEST(DivergenceEvidence, OfLanesWithTwoPathsNeedsCopies) {
    const std::string needed = "lanes may diverge, and no serialized control flow is given";
    EXPECT_EQ(refusal_of_one_path(one_path, [](auto&) {}), "");
    // They may leave the loop one after the other.
    EXPECT_THAT(
        refusal_of_one_path(one_path, [](auto& kernel) { kernel.facts.loops.front().min = 2; }),
        HasSubstr(needed));
    // One of the ways of a branch is left out, which is not what the code says.
    EXPECT_THAT(refusal_of_one_path(one_path,
                                    [](auto& kernel) {
                                        auto& last = kernel.blocks[block_at(kernel, 0x50)];
                                        last.successors.pop_back();
                                    }),
                HasSubstr("block 0x0050"));
}

// Of a guarded push no edge says which lanes join the point.
TEST(DivergenceEvidence, OfLanesWithOnePathHasNoGuardedPush) {
    std::string guarded = one_path;
    guarded.replace(guarded.find("  BSSY"), 6, "  @P2 BSSY");
    EXPECT_THAT(refusal(guarded), HasSubstr("a guarded push of a reconvergence point"));
    std::string uniform = guarded;
    for (std::size_t at = uniform.find("// part"); at != std::string::npos;
         at = uniform.find("// part"))
        uniform.erase(at, 7);
    EXPECT_THAT(refusal_of_one_path(uniform,
                                    [](auto& kernel) {
                                        kernel.facts.uniforms.clear();
                                        kernel.facts.divergents.push_back({0x50, {}});
                                    }),
                HasSubstr("lanes may diverge, and no serialized control flow is given"));
}

// That traps are not executed is an assumption, without which nothing is known of them.
TEST(DivergenceEvidence, OfTrapsNeedsThatTheyAreNotExecuted) {
    const std::string body = R"(  @P0 BRA `(.L_trap) ?trans5;
  EXIT ?trans5;
.L_trap:
  BPT.TRAP 0x1 ?trans5;
)";
    const Bundle bundle = bundle_of(input_of(body, "1x32")).value();
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    EXPECT_EQ(verify::check_structure(evidence).verdict, Verdict::Holds);
    evidence.kernels.front()->facts.nevers.clear();
    const auto step = verify::check_structure(evidence);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("control flow that this check does not support"));
}

// Under a guard, threads that do not trap go on.
TEST(DivergenceEvidence, OfGuardedTrapsHasWhatFollows) {
    const std::string body = R"(  @P0 BPT.TRAP 0x1 ?trans5;
  MOV R3, R1 ?trans6;
  EXIT ?trans5;
)";
    const Bundle bundle = bundle_of(input_of(body, "1x32")).value();
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    const auto step = verify::check_structure(evidence);
    EXPECT_EQ(step.verdict, Verdict::Holds) << step.detail;
    evidence.kernels.front()->blocks.front().successors.clear();
    EXPECT_THAT(verify::check_structure(evidence).detail, HasSubstr("lacks the successor"));
}

/// Lanes leave the loop at different turns, to code before they meet.
const std::string leaving = R"(  BSSY B0, `(.L_end) ?trans2;
.L_turn:
  MOV R3, R1 ?trans6; // turns at most
  @P0 BRA `(.L_turn) ?trans5; // part
  MOV R4, R1 ?trans6;
  BSYNC B0 ?trans5;
.L_end:
  EXIT ?trans5;
)";

TEST(DivergenceEvidence, OfLanesThatLeaveALoopToCodeBeforeTheyMeetHolds) {
    const Bundle bundle = observed(leaving, "1x96", 20);
    const auto steps = verify::verify(tests::plain(bundle.files), options());
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
}

// Of 3 executions of the branch two leave waiting groups behind those that turn.
TEST(DivergenceEvidence, OfFewerGroupsThatLeaveALoopFails) {
    const Bundle bundle = bundle_of(input_of(leaving, "1x32")).value();
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    auto& copies = evidence.kernels.front()->serialized;
    const auto late = std::find_if(copies.begin(), copies.end(),
                                   [](const auto& copy) { return copy.repeated.has_value(); });
    ASSERT_NE(late, copies.end());
    late->repeated = 1;
    const auto fewer = verify::check_structure(evidence);
    EXPECT_EQ(fewer.verdict, Verdict::Failed);
    EXPECT_THAT(fewer.detail, HasSubstr("0x0030 more often than a node states"));
    late->repeated.reset();
    const auto none = verify::check_structure(evidence);
    EXPECT_EQ(none.verdict, Verdict::Failed);
    EXPECT_THAT(none.detail, HasSubstr("nodes form a loop at 0x0030 where the code does not"));
}

/// They leave it in its middle, too, and come to the point over one block.
const std::string leaving_at_two_places = R"(  @P2 BRA `(.L_out) ?trans5; // part
  BSSY B0, `(.L_end) ?trans2;
.L_turn:
  MOV R3, R1 ?trans6; // turns at most
  @P1 BRA `(.L_tail) ?trans5; // part
  MOV R5, R1 ?trans6;
  @P0 BRA `(.L_turn) ?trans5; // part
  MOV R4, R1 ?trans6;
.L_tail:
  BSYNC B0 ?trans5;
.L_end:
  MOV R7, R1 ?trans6;
.L_out:
  EXIT ?trans5;
)";

TEST(DivergenceEvidence, OfLanesThatLeaveALoopAtSeveralPlacesHolds) {
    const Bundle bundle = observed(leaving_at_two_places, "1x96", 20);
    const auto steps = verify::verify(tests::plain(bundle.files), options());
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
}

// At most 3 groups wait that left in the middle, and 2 that left at the end.
TEST(DivergenceEvidence, OfFewerGroupsThatLeaveALoopAtSeveralPlacesFails) {
    const Bundle bundle = bundle_of(input_of(leaving_at_two_places, "1x32")).value();
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    auto& copies = evidence.kernels.front()->serialized;
    const auto late = std::find_if(copies.begin(), copies.end(),
                                   [](const auto& copy) { return copy.repeated.has_value(); });
    ASSERT_NE(late, copies.end());
    EXPECT_EQ(late->repeated, 3 + 2);
    late->repeated = 4;
    const auto fewer = verify::check_structure(evidence);
    EXPECT_EQ(fewer.verdict, Verdict::Failed);
    EXPECT_THAT(fewer.detail, HasSubstr("0x0070 more often than a node states"));
}

// What `analyze` bounds and the check of the bundle does not follow.
// As compilers write a loop that is left by break when all its turns are written out: any of 2^20
// sets of groups may wait.
TEST(DivergenceEvidence, OfManyWaysToOnePlaceHolds) {
    std::string body = "  BSSY B0, `(.L_end) ?trans2;\n";
    for (int turn = 0; turn < 20; ++turn)
        body += "  @P0 BRA `(.L_found) ?trans5; // part\n  MOV R2, R1 ?trans6;\n";
    body += "  MOV R3, R1 ?trans6;\n.L_found:\n  BSYNC B0 ?trans5;\n.L_end:\n  EXIT ?trans5;\n";
    const Bundle bundle = observed(body, "2x64", 30);
    for (const auto& step : verify::verify(tests::plain(bundle.files), {}))
        EXPECT_NE(step.verdict, Verdict::Failed) << step.step << ": " << step.detail;
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    // The way of a group behind another one is missing.
    auto& kernel = *evidence.kernels.front();
    const std::size_t found = block_at(kernel, 16 * 42);
    std::size_t missed = 0;
    for (auto& copy : kernel.serialized) {
        if (copy.of != found || copy.successors.size() < 2) continue;
        const auto all = copy.successors;
        copy.successors.pop_back();
        const auto step = verify::check_structure(evidence);
        if (step.verdict == Verdict::Failed) ++missed;
        copy.successors = all;
        if (missed == 3) break;
    }
    EXPECT_EQ(missed, 3U);
}

TEST(DivergenceEvidence, OfAGuardedArrivalAtABarrierRegisterIsRefused) {
    EXPECT_THAT(refusal(R"(  BSSY B0, `(.L_end) ?trans2;
  @P0 BRA `(.L_done) ?trans5; // part
  MOV R4, R1 ?trans6;
.L_done:
  @P1 BSYNC B0 ?trans5;
.L_end:
  EXIT ?trans5;
)"),
                HasSubstr("a BSYNC under a guard"));
}

} // namespace
} // namespace warpbound::certification
