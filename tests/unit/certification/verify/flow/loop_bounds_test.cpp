#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/verify/flow/loop_bounds.hpp"
#include "certification/verify/verdict.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {
namespace {

using Bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;

enum class Branches { Uniform, Divergent };

/// Claims bounds of the loops of a kernel, outer loops first.
ShownLoops check(const std::string& body, const Bounds& bounds, const std::string& launch = "1x32",
                 Branches branches = Branches::Uniform) {
    const auto program =
        assembly::read_program({"kernel", "!Arch sm_75\n!Kernel k\n" + body + "\n!EndKernel\n"});
    if (!program) throw std::runtime_error{to_string(program.error())};
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    if (!graph) throw std::runtime_error{to_string(graph.error())};
    models::FlowFacts facts;
    std::set<std::int64_t> headers;
    for (std::size_t loop = 0; loop < bounds.size(); ++loop) {
        const auto& header = graph.value().blocks[graph.value().loops.at(loop).header];
        facts.loops.push_back({header.address, bounds[loop].first, bounds[loop].second, {}});
        headers.insert(header.address);
    }
    for (const auto& instruction : function.instructions)
        if (assembly::transfers_control(instruction.control_flow) &&
            assembly::is_guarded(instruction)) {
            if (branches == Branches::Uniform)
                facts.uniforms.push_back({instruction.address, {}});
            else
                facts.divergents.push_back({instruction.address, {}});
        }
    return check_loop_bounds(function, facts, headers, models::parse_launch(launch).value(), "k");
}

/// What is refuted; empty: nothing.
std::string refutation(const std::string& body, const Bounds& bounds,
                       const std::string& launch = "1x32") {
    try {
        (void)check(body, bounds, launch);
    } catch (const Finding& finding) {
        return finding.verdict == Verdict::Failed ? finding.what() : "another verdict";
    }
    return {};
}

constexpr ShownLoops one_shown{1, 0};
constexpr ShownLoops none_shown{0, 1};

struct Form {
    std::string name;
    std::string body;
    Bounds bounds;
    std::string launch = "1x32";
};
std::ostream& operator<<(std::ostream& out, const Form& form) {
    return out << form.name;
}

class CountedLoops : public testing::TestWithParam<Form> {};

TEST_P(CountedLoops, AreShownWithTheirExactBoundOnly) {
    const auto& [name, body, bounds, launch] = GetParam();
    EXPECT_EQ(check(body, bounds, launch), (ShownLoops{bounds.size(), 0}));
    for (std::size_t loop = 0; loop < bounds.size(); ++loop) {
        Bounds lowered = bounds;
        if (--lowered[loop].second < lowered[loop].first) lowered[loop].first = 1;
        if (lowered[loop].second == 0) continue;
        ShownLoops found;
        try {
            found = check(body, lowered, launch);
        } catch (const Finding& finding) {
            EXPECT_EQ(finding.verdict, Verdict::Failed);
            found = {bounds.size() - 1, 1};
        }
        EXPECT_EQ(found, (ShownLoops{bounds.size() - 1, 1})) << loop;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, CountedLoops,
    testing::Values(
        Form{"TestAtTheBottom",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND P0, PT, R2, 0xa, PT; @!P0 BRA L; "
             "EXIT;",
             {{10, 10}}},
        Form{"TestAtTheTop",
             "MOV R2, RZ; L: ISETP.GE.AND P0, PT, R2, 0xa, PT; @P0 EXIT; IADD3 R2, R2, 0x1, RZ; "
             "BRA L;",
             {{11, 11}}},
        Form{"TestOfTheOldNumber",
             "MOV R2, RZ; L: ISETP.LT.AND P0, PT, R2, 0x9, PT; IADD3 R2, R2, 0x1, RZ; @P0 BRA L; "
             "EXIT;",
             {{10, 10}}},
        Form{"DownToZero",
             "IMAD.MOV.U32 R2, RZ, RZ, 0x20; L: IADD3 R2, R2, -0x4, RZ; "
             "ISETP.NE.AND P0, PT, R2, RZ, PT; @P0 BRA L; EXIT;",
             {{8, 8}}},
        Form{"DownBelowZero",
             "MOV R2, 0x7; L: IADD3 R2, R2, -0x2, RZ; ISETP.GT.AND P0, PT, R2, -0x1, PT; "
             "@P0 BRA L; EXIT;",
             {{4, 4}}},
        Form{"HalvedUntilZero",
             "MOV R2, 0x40; L: SHF.R.U32.HI R2, RZ, 0x1, R2; ISETP.NE.AND P0, PT, R2, RZ, PT; "
             "@P0 BRA L; EXIT;",
             {{7, 7}}},
        Form{"DoubledUpToTheLimit",
             "MOV R2, 0x1; L: IMAD.SHL.U32 R2, R2, 0x2, RZ; ISETP.GE.U32.AND P0, PT, R2, 0x40, "
             "PT; @!P0 BRA L; EXIT;",
             {{6, 6}}},
        Form{"StridesOfThreads",
             "S2R R1, SR_TID.X; L: IADD R1, R1, 0x20; ISETP.LT.AND P0, PT, R1, 0x64, PT; @P0 BRA "
             "L; EXIT;",
             {{3, 4}}},
        Form{"StridesOfBlocks",
             "S2R R1, SR_CTAID.X; S2R R2, SR_TID.X; IMAD R1, R1, c[0x0][0x0], R2; "
             "ISETP.GE.AND P0, PT, R1, c[0x0][0x160], PT; @P0 EXIT; "
             "L: MOV R3, c[0x0][0xc]; IMAD R1, R3, c[0x0][0x0], R1; "
             "ISETP.GE.AND P0, PT, R1, c[0x0][0x160], PT; @!P0 BRA L; EXIT;",
             {{3, 4}},
             "4x64,grid=4,0x160=1000"},
        Form{"LimitOfTheLaunch",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND P0, PT, R2, c[0x0][0x160], PT; "
             "@!P0 BRA L; EXIT;",
             {{12, 12}},
             "1x32,0x160=12"},
        Form{"UnrolledByFour",
             "LDG.E.U8 R2, [R8]; ISETP.NE.AND P1, PT, R2, RZ, PT; @!P1 EXIT; "
             "IADD3 R3, R2, -0x1, RZ; ISETP.GE.U32.AND P0, PT, R3, 0x3, PT; @!P0 EXIT; "
             "LOP3.LUT R4, R2, 0xfc, RZ, 0xc0, !PT; "
             "L: IADD3 R4, R4, -0x4, RZ; ISETP.GT.AND P0, PT, R4, RZ, PT; @P0 BRA L; EXIT;",
             {{1, 63}}},
        Form{"InnerLoopFromTheOuterCounter",
             "MOV R2, RZ; O: MOV R3, R2; I: IADD3 R3, R3, 0x1, RZ; "
             "ISETP.LT.AND P0, PT, R3, 0x8, PT; @P0 BRA I; IADD3 R2, R2, 0x1, RZ; "
             "ISETP.LT.AND P1, PT, R2, 0x8, PT; @P1 BRA O; EXIT;",
             {{8, 8}, {1, 8}}},
        Form{"UniformRegisters",
             "UMOV UR4, URZ; L: UIADD3 UR4, UR4, 0x1, URZ; UISETP.GE.AND UP0, UPT, UR4, 0x5, UPT; "
             "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0; @!P0 BRA L; EXIT;",
             {{5, 5}}},
        Form{"CombinedPredicates",
             "MOV R2, RZ; LDG.E R5, [R8]; L: IADD3 R2, R2, 0x1, RZ; "
             "ISETP.NE.AND P1, PT, R5, RZ, PT; ISETP.LT.AND P0, PT, R2, 0xa, P1; @P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"OfSixtyFourBits",
             "MOV R2, RZ; MOV R3, RZ; L: IADD3 R2, P1, R2, 0x1, RZ; "
             "IADD3.X R3, RZ, R3, RZ, P1, !PT; ISETP.GE.U32.AND P0, PT, R2, 0xa, PT; "
             "ISETP.GE.U32.AND.EX P0, PT, R3, RZ, PT, P0; @!P0 BRA L; EXIT;",
             {{10, 10}}},
        Form{"WideExtentOfAStatedBlock",
             "MOV R2, RZ; ULDC.64 UR4, c[0x0][0x0]; L: IADD3 R2, R2, 0x1, RZ; "
             "ISETP.LT.AND P0, PT, R2, UR5, PT; @P0 BRA L; EXIT;",
             {{8, 8}},
             "1x64,block=8x8x1"},
        Form{"OneOfTwoExits",
             "MOV R2, RZ; L: LDG.E R5, [R8]; ISETP.EQ.AND P1, PT, R5, RZ, PT; @P1 EXIT; "
             "IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA L; EXIT;",
             {{1, 10}}}),
    [](const auto& row) { return row.param.name; });

class OtherLoops : public testing::TestWithParam<Form> {};

TEST_P(OtherLoops, AreLeftToReAnalysis) {
    const auto& [name, body, bounds, launch] = GetParam();
    EXPECT_EQ(check(body, bounds, launch), none_shown);
}

INSTANTIATE_TEST_SUITE_P(
    Traps, OtherLoops,
    testing::Values(
        Form{"UpdateUnderAGuard",
             "MOV R2, RZ; L: @P3 IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; "
             "@P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"UpdateOnOnePath",
             "MOV R2, RZ; L: @P3 BRA M; IADD3 R2, R2, 0x1, RZ; M: ISETP.LT.AND P0, PT, R2, 0xa, "
             "PT; @P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"TestOnOnePath",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; @P3 BRA L; ISETP.LT.AND P0, PT, R2, 0xa, PT; "
             "@P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"PredicateSetUnderAGuard",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; @P3 ISETP.LT.AND P0, PT, R2, 0xa, PT; "
             "@P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"AlternativePredicate",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.LT.OR P0, PT, R2, 0xa, P3; @P0 BRA L; "
             "EXIT;",
             {{1, 10}}},
        Form{"LimitFromMemory",
             "MOV R2, RZ; LDG.E R3, [R8]; L: IADD3 R2, R2, 0x1, RZ; "
             "ISETP.LT.AND P0, PT, R2, R3, PT; @P0 BRA L; EXIT;",
             {{1, 1000}}},
        Form{"LimitThatNobodyStates",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND P0, PT, R2, c[0x0][0x160], PT; "
             "@!P0 BRA L; EXIT;",
             {{1, 12}}},
        Form{"AnotherBank",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND P0, PT, R2, c[0x3][0x160], PT; "
             "@!P0 BRA L; EXIT;",
             {{1, 12}},
             "1x32,0x160=12"},
        Form{"WrittenByAWideLoad",
             "MOV R3, RZ; L: IADD3 R3, R3, 0x1, RZ; LDG.E.64 R2, [R8]; "
             "ISETP.LT.AND P0, PT, R3, 0xa, PT; @P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"ResetInTheLoop",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; @P3 MOV R2, RZ; "
             "ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"WrittenInAnInnerLoop",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; I: LDG.E R5, [R8]; IADD3 R2, R2, -0x1, RZ; "
             "ISETP.NE.AND P1, PT, R5, RZ, PT; @P1 BRA I; "
             "ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"SecondDestination",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.GE.AND PT, P0, R2, 0xa, PT; @P0 BRA L; "
             "EXIT;",
             {{1, 10}}},
        Form{"HalvedWithItsSign",
             "LDG.E R2, [R8]; L: SHF.R.S32.HI R2, RZ, 0x1, R2; ISETP.NE.AND P0, PT, R2, RZ, PT; "
             "@P0 BRA L; EXIT;",
             {{1, 32}}},
        Form{"AnotherExitThanTheLeastBoundSays",
             "MOV R2, RZ; L: LDG.E R5, [R8]; ISETP.EQ.AND P1, PT, R5, RZ, PT; @P1 EXIT; "
             "IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA L; EXIT;",
             {{10, 10}}},
        Form{"ExtentOfAnotherDimensionInAWideLoad",
             "MOV R2, RZ; ULDC.64 UR4, c[0x0][0x0]; L: IADD3 R2, R2, 0x1, RZ; "
             "ISETP.LT.AND P0, PT, R2, UR5, PT; @P0 BRA L; EXIT;",
             {{1, 1}},
             "1x64"},
        Form{"UpperWordOfANegatedPair",
             "MOV R2, RZ; MOV R3, 0x5; L: IADD3 R2, R2, 0x1, RZ; LEA.HI R4, -R3, 0xa, RZ, 0x1; "
             "ISETP.LT.AND P0, PT, R2, R4, PT; @P0 BRA L; EXIT;",
             {{1, 11}}},
        Form{"SecondCarry",
             "MOV R2, RZ; MOV R3, -0x1; L: IADD3 R2, R2, 0x1, RZ; IADD3 R4, PT, P1, R3, R3, RZ; "
             "ISETP.LT.OR P0, PT, R2, 0xa, !P1; @P0 BRA L; EXIT;",
             {{1, 10}}},
        Form{"PredicateOfARegister",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; "
             "R2P PR, R7, 0x7f; @P0 BRA L; EXIT;",
             {{1, 10}}}),
    [](const auto& row) { return row.param.name; });

class WrongLoops : public testing::TestWithParam<Form> {};

TEST_P(WrongLoops, AreRefuted) {
    const auto& [name, body, bounds, launch] = GetParam();
    EXPECT_NE(refutation(body, bounds, launch), "");
}

INSTANTIATE_TEST_SUITE_P(
    Traps, WrongLoops,
    testing::Values(
        Form{"StepsOverTheLimit",
             "MOV R2, RZ; L: IADD3 R2, R2, 0x4, RZ; ISETP.NE.AND P0, PT, R2, 0xa, PT; @P0 BRA L; "
             "EXIT;",
             {{1, 3}}},
        Form{"PastTheLargestNumber",
             "MOV R2, 0x7ffffff0; L: IADD3 R2, R2, 0x4, RZ; "
             "ISETP.LE.AND P0, PT, R2, 0x7fffffff, PT; @P0 BRA L; EXIT;",
             {{1, 4}}},
        Form{"WithoutSign",
             "MOV R2, 0x7; L: IADD3 R2, R2, -0x2, RZ; ISETP.GT.U32.AND P0, PT, R2, RZ, PT; "
             "@P0 BRA L; EXIT;",
             {{1, 4}}},
        Form{"LimitThatChanges",
             "MOV R2, RZ; MOV R3, 0xa; L: IADD3 R2, R2, 0x1, RZ; IADD3 R3, R3, 0x1, RZ; "
             "ISETP.LT.AND P0, PT, R2, R3, PT; @P0 BRA L; EXIT;",
             {{1, 10}}}),
    [](const auto& row) { return row.param.name; });

// Other lanes may have counted on, too.
TEST(VerifiedLoops, UniformCountersAreNotShownWhereLanesDiverge) {
    const std::string counted =
        "UMOV UR4, URZ; L: UIADD3 UR4, UR4, 0x1, URZ; UISETP.LT.AND UP0, UPT, UR4, 0x5, UPT; "
        "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0; @P0 BRA L; EXIT;";
    EXPECT_EQ(check(counted, {{5, 5}}), one_shown);
    EXPECT_EQ(check(counted, {{1, 5}}, "1x32", Branches::Divergent), none_shown);
    // The limit alone may be the warp's: each lane writes the same.
    const std::string limited = "MOV R2, RZ; ULDC UR4, c[0x0][0x160]; L: IADD3 R2, R2, 0x1, RZ; "
                                "ISETP.LT.AND P0, PT, R2, UR4, PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(check(limited, {{6, 6}}, "1x32,0x160=6", Branches::Divergent), one_shown);
}

TEST(VerifiedLoops, AreNotEnteredWhereNoPathLeads) {
    const std::string body = "MOV R2, 0x5; ISETP.GT.AND P0, PT, R2, 0x3, PT; @P0 EXIT; "
                             "L: LDG.E R3, [R8]; ISETP.NE.AND P1, PT, R3, RZ, PT; @P1 BRA L; EXIT;";
    EXPECT_EQ(check(body, {{1, 1}}), one_shown);
}

TEST(VerifiedLoops, RefuteBoundsThatTheCodeExcludes) {
    const std::string counted =
        "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(refutation(counted, {{10, 10}}), "");
    EXPECT_NE(refutation(counted, {{1, 9}}).find("said to execute 1 to 9 times"),
              std::string::npos);
    EXPECT_NE(refutation(counted, {{11, 20}}).find("at most 10 times"), std::string::npos);
    // One thread is enough: the first takes 100 iterations, others fewer.
    const std::string by_thread = "S2R R1, SR_TID.X; L: IADD R1, R1, 0x1; "
                                  "ISETP.LT.AND P0, PT, R1, 0x64, PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(refutation(by_thread, {{69, 100}}), "");
    EXPECT_NE(refutation(by_thread, {{69, 99}}), "");
    EXPECT_NE(refutation(by_thread, {{70, 100}}), "");
}

TEST(VerifiedLoops, RefuteNothingThatAThreadMayAvoid) {
    // Not entered, left early, or with a limit that nobody knows.
    const std::string rest =
        "MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(
        refutation("LDG.E R5, [R8]; ISETP.NE.AND P1, PT, R5, RZ, PT; @P1 EXIT; " + rest, {{1, 9}}),
        "");
    EXPECT_EQ(refutation("MOV R2, RZ; L: LDG.E R5, [R8]; ISETP.NE.AND P1, PT, R5, RZ, PT; @P1 "
                         "EXIT; IADD3 R2, R2, 0x1, RZ; ISETP.LT.AND P0, PT, R2, 0xa, PT; @P0 BRA "
                         "L; EXIT;",
                         {{1, 9}}),
              "");
    EXPECT_EQ(refutation("MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; "
                         "ISETP.LT.AND P0, PT, R2, c[0x0][0x160], PT; @P0 BRA L; EXIT;",
                         {{1, 9}}),
              "");
}

} // namespace
} // namespace warpbound::certification::verify
