#include "analyzer/evidence/certificate.hpp"
#include "analyzer/flow/flow_facts_template.hpp"
#include "analyzer/flow/infeasible_paths.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

std::string derived_facts(const std::string& body, const std::optional<models::Launch>& launch = {},
                          Convergence convergence = Convergence::Converged) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    std::string text;
    for (const auto& derived :
         derive_infeasible_paths(*context->request.function, context->graph, launch, convergence))
        text += (text.empty() ? "" : "; ") + text_of(derived);
    return text;
}

/// Two branches, from 0x0020 to 0x0030 or 0x0050 and from 0x0090 to 0x00a0 or 0x00c0.
std::string two_branches(const std::string& first, const std::string& between,
                         const std::string& second) {
    return "MOV R2, c[0x0][0x160]; " + first + "; @P0 BRA A; NOP; BRA B; A: NOP; B: NOP; " +
           between + "; " + second + "; @P1 BRA C; NOP; BRA D; C: NOP; D: EXIT;";
}

TEST(InfeasiblePaths, FollowFromABranchOnAConstant) {
    EXPECT_EQ(derived_facts("MOV R2, 0x7; ISETP.LT.AND P0, PT, R2, 0x5, PT; @P0 BRA A; NOP; BRA B; "
                            "A: NOP; B: EXIT;"),
              "0x0050 is never executed");
    EXPECT_EQ(
        derived_facts("MOV R2, 0x7; ISETP.GT.AND P0, PT, R2, 0x5, PT; @!P0 BRA B; NOP; B: EXIT;"),
        "0x0000 -> 0x0040 is never taken");
}

TEST(InfeasiblePaths, UseTheLaunchForGeometryOnly) {
    const std::string code = "S2R R2, SR_TID.X; ISETP.GE.U32.AND P0, PT, R2, 0x80, PT; "
                             "@P0 BRA A; NOP; BRA B; A: NOP; B: EXIT;";
    EXPECT_EQ(derived_facts(code), "");
    EXPECT_EQ(derived_facts(code, models::Launch{4, 128}), "0x0050 is never executed");
    EXPECT_EQ(derived_facts(code, models::Launch{4, 129}), "");
    EXPECT_EQ(
        derived_facts("S2R R2, SR_LANEID; ISETP.GT.AND P0, PT, R2, 0x1f, PT; @P0 EXIT; EXIT;"),
        "0x0000 -> 0x0030 is always taken");
}

TEST(InfeasiblePaths, UseTheShapesOfTheLaunch) {
    const auto guarded = [](const std::string& index, const std::string& limit) {
        return "S2R R2, " + index + "; ISETP.GE.U32.AND P0, PT, R2, " + limit +
               ", PT; @P0 BRA A; NOP; BRA B; A: NOP; B: EXIT;";
    };
    // Without a shape an index is only known to lie below the product of the extents.
    models::Launch launch{8, 64};
    EXPECT_EQ(derived_facts(guarded("SR_CTAID.Y", "0x2"), launch), "");
    EXPECT_EQ(derived_facts(guarded("SR_TID.Y", "0x4"), launch), "");
    launch.grid = models::GridShape{{4, 2, 1}};
    launch.shape = models::BlockShape{{16, 4, 1}};
    EXPECT_EQ(derived_facts(guarded("SR_CTAID.Y", "0x2"), launch), "0x0050 is never executed");
    EXPECT_EQ(derived_facts(guarded("SR_CTAID.Y", "0x1"), launch), "");
    EXPECT_EQ(derived_facts(guarded("SR_CTAID.X", "0x4"), launch), "0x0050 is never executed");
    EXPECT_EQ(derived_facts(guarded("SR_TID.Y", "0x4"), launch), "0x0050 is never executed");
    EXPECT_EQ(derived_facts(guarded("SR_TID.X", "0x10"), launch), "0x0050 is never executed");
    EXPECT_EQ(derived_facts(guarded("SR_TID.X", "0xf"), launch), "");
    EXPECT_EQ(derived_facts(guarded("SR_CTAID.Z", "0x1"), launch), "0x0050 is never executed");
}

TEST(InfeasiblePaths, UseTheLaunchForSumsOfGeometry) {
    const auto guarded = [](const std::string& comparison) {
        return "S2R R2, SR_TID.X; S2R R3, SR_CTAID.X; IMAD R2, R3, 0x80, R2; " + comparison +
               "; @P0 BRA A; NOP; BRA B; A: NOP; B: EXIT;";
    };
    const std::string beyond = guarded("ISETP.GE.AND P0, PT, R2, 0x200, PT");
    EXPECT_EQ(derived_facts(beyond), "");
    EXPECT_EQ(derived_facts(beyond, models::Launch{4, 128}), "0x0070 is never executed");
    EXPECT_EQ(derived_facts(beyond, models::Launch{5, 128}), "");
    EXPECT_EQ(derived_facts(beyond, models::Launch{4, 129}), "");
    const std::string one_less = guarded("ISETP.GE.AND P0, PT, R2, 0x1ff, PT");
    EXPECT_EQ(derived_facts(one_less, models::Launch{4, 128}), "");
    // 0x80 b - t lies between -127 and 384.
    const std::string difference =
        "S2R R2, SR_TID.X; S2R R3, SR_CTAID.X; IMAD R2, R2, -0x1, RZ; IMAD R2, R3, 0x80, R2; "
        "ISETP.LT.AND P0, PT, R2, -0x7f, PT; @P0 BRA A; NOP; BRA B; A: NOP; B: EXIT;";
    EXPECT_EQ(derived_facts(difference, models::Launch{4, 128}), "0x0080 is never executed");
    EXPECT_EQ(derived_facts(difference, models::Launch{4, 129}), "");
    // Sums that may be any number, and sums with one that is not known.
    EXPECT_EQ(
        derived_facts("S2R R2, SR_CTAID.X; S2R R3, SR_TID.X; IMAD R2, R2, 0x10000000, R3; "
                      "ISETP.GE.U32.AND P0, PT, R2, -0x10, PT; @P0 BRA A; NOP; BRA B; A: NOP; "
                      "B: EXIT;",
                      models::Launch{17, 128}),
        "");
    EXPECT_EQ(
        derived_facts("S2R R2, SR_TID.X; IADD3 R2, R2, c[0x0][0x160], RZ; "
                      "ISETP.GE.AND P0, PT, R2, 0x200, PT; @P0 BRA A; NOP; BRA B; A: NOP; B: EXIT;",
                      models::Launch{4, 128}),
        "");
}

TEST(InfeasiblePaths, IncludeAnExitThatTerminatesNoThread) {
    const std::string code =
        "S2R R2, SR_TID.X ?trans6; S2R R3, SR_CTAID.X ?trans6; IMAD R2, R3, 0x80, R2 ?trans6; "
        "ISETP.GE.AND P0, PT, R2, 0x200, PT ?trans6; @P0 EXIT ?trans6; NOP ?trans6; NOP ?trans6; "
        "EXIT ?trans6;";
    EXPECT_EQ(derived_facts(code, models::Launch{4, 128}), "0x0000 -> 0x0050 is always taken");
    EXPECT_EQ(derived_facts(code, models::Launch{5, 128}), "");
    const auto context = analyzed(code, {}, "turing-t4", 75);
    context->request.launch = {4, 128};
    const auto before = envelope(*context);
    context->request.follow_branches = true;
    const auto after = envelope(*context);
    EXPECT_LE(after.upper.proved, before.upper.proved);
    EXPECT_GT(after.lower.proved, before.lower.proved);
    // The path graph keeps the fact: no solver is asked.
    EXPECT_EQ(after.lower.proof, Proof::StructuralPath);
    // The template states the same.
    const auto read = models::read_flow_facts(
        {"template", flow_facts_template(context->program, *context->request.function,
                                         context->graph, context->request.launch)});
    ASSERT_TRUE(read) << to_string(read.error());
    const auto derived = derive_infeasible_paths(*context->request.function, context->graph,
                                                 context->request.launch, Convergence::Converged);
    ASSERT_EQ(derived.size(), 1);
    ASSERT_EQ(read.value().constraints.size(), 1);
    const auto& fact = std::get<models::LinearFact>(derived[0].fact);
    EXPECT_EQ(read.value().constraints[0].terms, fact.terms);
    EXPECT_EQ(read.value().constraints[0].relation, fact.relation);
    EXPECT_EQ(read.value().constraints[0].constant, fact.constant);
    // An EXIT that terminates every thread.
    EXPECT_EQ(derived_facts("MOV R2, 0x7; ISETP.GT.AND P0, PT, R2, 0x5, PT; @P0 EXIT; NOP; EXIT;"),
              "0x0030 is never executed");
}

TEST(InfeasiblePaths, CombineOppositeBranchesOfTheSameCondition) {
    const std::string first = "ISETP.LT.AND P0, PT, R2, 0x5, PT";
    EXPECT_EQ(derived_facts(two_branches(first, "NOP", "ISETP.LT.AND P1, PT, R2, 0x5, PT")),
              "0x0050 or 0x00a0, not both; 0x0030 or 0x00c0, not both");
    // 4 >= x, written with the sides exchanged.
    EXPECT_EQ(derived_facts(two_branches(first, "MOV R3, 0x4", "ISETP.GE.AND P1, PT, R3, R2, PT")),
              "0x0050 or 0x00a0, not both; 0x0030 or 0x00c0, not both");
    EXPECT_EQ(derived_facts(
                  two_branches(first, "MOV R2, c[0x0][0x164]", "ISETP.LT.AND P1, PT, R2, 0x5, PT")),
              "");
}

TEST(InfeasiblePaths, UseWhatOneConditionImpliesForAnother) {
    // x < 5 and x >= 10 exclude each other; x >= 5 and x < 10 do not.
    EXPECT_EQ(derived_facts(two_branches("ISETP.LT.AND P0, PT, R2, 0x5, PT", "NOP",
                                         "ISETP.LT.AND P1, PT, R2, 0xa, PT")),
              "0x0050 or 0x00a0, not both");
    // As an unsigned number, a negative number is large.
    EXPECT_EQ(derived_facts(two_branches("ISETP.LT.AND P0, PT, R2, 0x5, PT", "NOP",
                                         "ISETP.LT.U32.AND P1, PT, R2, 0xa, PT")),
              "");
}

TEST(InfeasiblePaths, UseUnknownValuesThatAreDefinedOnce) {
    // Nothing is known of a loaded value but that it is the same in both comparisons.
    EXPECT_EQ(
        derived_facts("LDG R2, [R4]; ISETP.EQ.AND P0, PT, R2, RZ, PT; @P0 BRA A; NOP; A: "
                      "IADD3 R3, R2, 0x1, RZ; ISETP.NE.AND P1, PT, R3, 0x1, PT; @P1 BRA B; NOP; "
                      "B: EXIT;"),
        "0x0030 or 0x0070, not both; 0x0000 -> 0x0040 or 0x0040 -> 0x0080, not both");
    // In a loop every iteration loads another value.
    EXPECT_EQ(derived_facts("L: LDG R2, [R4]; ISETP.EQ.AND P0, PT, R2, RZ, PT; @P0 BRA A; NOP; A: "
                            "ISETP.NE.AND P1, PT, R2, RZ, PT; @P1 BRA L; EXIT;"),
              "");
}

TEST(InfeasiblePaths, HoldInLoopsWhoseConditionIsLoopInvariant) {
    EXPECT_EQ(
        derived_facts("MOV R2, c[0x0][0x160]; L: ISETP.LT.AND P0, PT, R2, 0x5, PT; @P0 BRA A; NOP; "
                      "BRA B; A: NOP; B: ISETP.NE.AND P1, PT, R4, RZ, PT; IADD3 R4, R4, -0x1, RZ; "
                      "@P1 BRA L; EXIT;"),
        "0x0030 or 0x0050, not both");
}

TEST(InfeasiblePaths, UsePredicateLogic) {
    const std::string conjunction =
        "ISETP.LT.AND P0, PT, R2, 0x5, PT; ISETP.GT.AND P0, PT, R2, 0x1, P0";
    EXPECT_EQ(derived_facts(two_branches(conjunction, "NOP", "ISETP.EQ.AND P1, PT, R2, 0x9, PT")),
              "0x0060 or 0x00d0, not both");
    // P2 = not P3 by the table of PLOP3: rows 0 to 3.
    EXPECT_EQ(derived_facts(two_branches("ISETP.LT.AND P3, PT, R2, 0x5, PT; "
                                         "PLOP3.LUT P0, PT, P3, PT, PT, 0xf, 0x0",
                                         "NOP", "ISETP.LT.AND P1, PT, R2, 0x5, PT")),
              "0x0040 or 0x00b0, not both; 0x0060 or 0x00d0, not both");
    // An exclusive or implies nothing about either operand.
    EXPECT_EQ(derived_facts(two_branches("ISETP.LT.AND P3, PT, R2, 0x5, PT; "
                                         "PLOP3.LUT P0, PT, P3, P4, PT, 0x3c, 0x0",
                                         "NOP", "ISETP.LT.AND P1, PT, R2, 0x5, PT")),
              "");
}

TEST(InfeasiblePaths, IncludeAContradictionInOneBranch) {
    const std::string contradiction = "ISETP.LT.AND P0, PT, R2, 0x5, PT; "
                                      "ISETP.GT.AND P0, PT, R2, 0x9, P0; @P0 BRA A; NOP; BRA B; "
                                      "A: NOP; B: ";
    EXPECT_EQ(derived_facts("MOV R2, c[0x0][0x160]; " + contradiction + "EXIT;"),
              "0x0060 is never executed");
    // In a loop it forms no pair with itself.
    const std::string loop = "MOV R2, c[0x0][0x160]; L: " + contradiction +
                             "ISETP.NE.AND P1, PT, R4, RZ, PT; IADD3 R4, R4, -0x1, RZ; @P1 BRA L; "
                             "EXIT;";
    EXPECT_EQ(derived_facts(loop), "0x0060 is never executed");
    const auto context = analyzed(loop, {}, "turing-t4", 75);
    const auto derived = derive_infeasible_paths(*context->request.function, context->graph, {},
                                                 Convergence::Converged);
    ASSERT_EQ(derived.size(), 1);
    EXPECT_EQ(derived.front().reason,
              "the branch at 0x0030 never goes there: that would need c[0x0][0x160] > 9 and "
              "c[0x0][0x160] < 5");
}

TEST(InfeasiblePaths, UseUniformRegistersOnlyWithoutDivergence) {
    // The threads at A read in UR4 what the others wrote, if the fall-through path executes first.
    const std::string code =
        "UMOV UR4, 0x0; BSSY B0, J; @P0 BRA A; UMOV UR4, 0x1; BRA J; A: "
        "ISETP.EQ.AND P1, PT, RZ, UR4, PT; @P1 BRA J; FADD R4, R4, R4; J: BSYNC B0; EXIT;";
    EXPECT_EQ(derived_facts(code), "0x0070 is never executed");
    EXPECT_EQ(derived_facts(code, {}, Convergence::MayDiverge), "");
    const std::string predicate =
        "UISETP.EQ.AND UP0, UPT, URZ, URZ, UPT; BSSY B0, J; @P0 BRA A; "
        "UISETP.NE.AND UP0, UPT, URZ, URZ, UPT; BRA J; A: PLOP3.LUT P1, PT, PT, UP0, PT, 0xc0, "
        "0x0; @P1 BRA J; FADD R4, R4, R4; J: BSYNC B0; EXIT;";
    EXPECT_EQ(derived_facts(predicate), "0x0070 is never executed");
    EXPECT_EQ(derived_facts(predicate, {}, Convergence::MayDiverge), "");

    const auto assumptions_with = [&](const std::vector<models::DivergentFact>& divergents) {
        std::string timed;
        for (const char c : code)
            timed += c == ';' ? std::string{" ?trans6;"} : std::string{c};
        auto context = analyzed(timed, {}, "turing-t4", 75);
        context->facts.divergents = divergents;
        context->request.follow_branches = true;
        const auto analysis = context->run();
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        std::string texts;
        for (const auto& assumption : analysis.value().assumptions)
            texts += assumption.text + "\n";
        return texts;
    };
    EXPECT_THAT(assumptions_with({}), HasSubstr("0x0070 is never executed"));
    EXPECT_THAT(assumptions_with({{0x20, {}}}), testing::Not(HasSubstr("is never executed")));
}

TEST(InfeasiblePaths, HaveAReason) {
    const auto context = analyzed(
        two_branches("ISETP.LT.AND P0, PT, R2, 0x5, PT", "NOP", "ISETP.GE.AND P1, PT, R2, 0x9, PT"),
        {}, "turing-t4", 75);
    const auto derived = derive_infeasible_paths(*context->request.function, context->graph, {},
                                                 Convergence::Converged);
    ASSERT_EQ(derived.size(), 1);
    EXPECT_EQ(derived.front().reason,
              "the branch at 0x0020 goes to 0x0050 if c[0x0][0x160] < 5, that at 0x0090 to "
              "0x00c0 if c[0x0][0x160] >= 9");
}

TEST(InfeasiblePaths, TightenTheBoundAndAreNamed) {
    const auto context = analyzed(
        two_branches("ISETP.LT.AND P0, PT, R2, 0x5, PT", "NOP", "ISETP.LT.AND P1, PT, R2, 0x5, PT"),
        {});
    const auto without = context->run();
    context->request.follow_branches = true;
    const auto with = context->run();
    ASSERT_TRUE(without && with);
    EXPECT_LE(with.value().execution_time.upper.proved,
              without.value().execution_time.upper.proved);
    EXPECT_EQ(with.value().execution_time.upper.outcome, Outcome::Optimal);
    std::string texts;
    for (const auto& assumption : with.value().assumptions)
        texts += assumption.text + "\n";
    EXPECT_THAT(texts, HasSubstr("0x0028 or 0x0050, not both"));
}

/// Loop bounds alone show the bound on the table of the certificate, whose nodes keep the pairs.
TEST(InfeasiblePaths, AreKeptByTheTablesOfCertificates) {
    const auto context = analyzed(
        two_branches("ISETP.LT.AND P0, PT, R2, 0x5, PT", "NOP", "ISETP.LT.AND P1, PT, R2, 0x5, PT"),
        {});
    append(context->facts,
           derive_infeasible_paths(*context->request.function, context->graph,
                                   context->request.launch, Convergence::Converged));
    ASSERT_FALSE(context->facts.exclusives.empty());
    CertificateStore store;
    context->request.certificates = &store;
    const auto analysis = context->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto certificate =
        std::find_if(store.certificates.begin(), store.certificates.end(),
                     [](const PathCertificate& one) { return one.side == Side::Lower; });
    ASSERT_NE(certificate, store.certificates.end());
    EXPECT_EQ(certificate->facts, Facts::All);
    const std::vector<BackEdgeBounds> no_loops;
    const LoopBoundedPaths paths{context->graph, certificate->paths, no_loops, Side::Lower};
    EXPECT_EQ(paths.start_to_end()->cost, certificate->bound);
    EXPECT_TRUE(certificate->regions.empty());
}

/// Pairs of branches on the same condition, whose long paths are on opposite sides.
std::string correlated_pairs(int pairs) {
    std::string code;
    for (int i = 0; i < pairs; ++i) {
        code += fmt::format("ISETP.LT.AND P0, PT, RZ, c[0x0][0x{:x}], PT; ", 0x160 + 4 * i);
        for (const bool taken_is_long : {true, false}) {
            const auto label = fmt::format("{}_{}", i, taken_is_long ? 1 : 2);
            const std::string slow = "MUFU.COS R4, R4; FADD R4, R4, R4; ";
            code += fmt::format("@P0 BRA A{0}; {1}BRA B{0}; A{0}: {2}NOP; B{0}: FADD R5, R5, R4;\n",
                                label, taken_is_long ? "" : slow, taken_is_long ? slow : "");
        }
    }
    return code + "EXIT;";
}

TEST(InfeasiblePaths, OfManyCorrelatedPairsGiveAnExactBound) {
    const auto difference = [](int pairs) {
        const auto context = analyzed(correlated_pairs(pairs));
        const auto stated = context->run();
        context->request.follow_branches = true;
        const auto followed = context->run();
        EXPECT_TRUE(stated && followed);
        const auto& upper = followed.value().execution_time.upper;
        EXPECT_EQ(upper.outcome, Outcome::Optimal);
        EXPECT_EQ(upper.best_found, upper.proved);
        EXPECT_EQ(followed.value().solver, "");
        return stated.value().execution_time.upper.proved.count() - upper.proved.count();
    };
    const std::int64_t of_one = difference(1);
    EXPECT_GT(of_one, 0);
    EXPECT_EQ(difference(60), 60 * of_one);
}

/// A branch per condition, a loop of three iterations, and the branches again with their long paths
/// on the opposite sides.
std::string pairs_around_a_loop(int pairs) {
    std::string code;
    for (const bool taken_is_long : {true, false}) {
        for (int i = 0; i < pairs; ++i)
            code += fmt::format(
                "ISETP.LT.AND P0, PT, RZ, c[0x0][0x{0:x}], PT; @P0 BRA A{1}; {2}BRA B{1}; "
                "A{1}: {3}NOP; B{1}: FADD R5, R5, R4;\n",
                0x160 + 4 * i, fmt::format("{}_{}", i, taken_is_long ? 1 : 2),
                taken_is_long ? "" : "MUFU.COS R4, R4; FADD R4, R4, R4; ",
                taken_is_long ? "MUFU.COS R4, R4; FADD R4, R4, R4; " : "");
        if (taken_is_long)
            code += "MOV R9, RZ; L: IADD R9, R9, 0x1; ISETP.LT.AND P1, PT, R9, 0x3, PT; @P1 BRA "
                    "L;\n";
    }
    return code + "EXIT;";
}

TEST(InfeasiblePaths, AreUsedForSomePairsWhereALoopHeaderWouldNeedTooManyNodes) {
    const auto saved = [](int pairs) {
        const auto context = analyzed(pairs_around_a_loop(pairs));
        const auto stated = context->run();
        context->request.follow_branches = true;
        const auto followed = context->run();
        EXPECT_TRUE(stated && followed);
        return stated.value().execution_time.upper.proved -
               followed.value().execution_time.upper.proved;
    };
    const std::int64_t of_one = saved(1).count();
    EXPECT_EQ(saved(8).count(), 8 * of_one);
    // 2^12 nodes for the header are too many; with 12 pairs pending, of 6 branches, it has 2^6.
    EXPECT_GE(saved(12).count(), 6 * of_one);
}

TEST(InfeasiblePaths, RefuseStatedFactsThatContradict) {
    const auto context = analyzed("MOV R2, 0x7; ISETP.LT.AND P0, PT, R2, 0x5, PT; @P0 BRA A; NOP; "
                                  "BRA B; A: NOP; B: EXIT;",
                                  {});
    context->facts.nevers.push_back({0x18, {}});
    EXPECT_TRUE(context->run());
    context->request.follow_branches = true;
    const auto refused = context->run();
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("contradict each other or the code"));
}

} // namespace
} // namespace warpbound::analyzer
