#include "analyzer/flow/flow_facts_template.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "analyzer/flow/uniformity.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const assembly::Function& function, const ThreadFacts& derived) {
    std::string text;
    for (std::size_t i = 0; i < derived.uniformity.size(); ++i) {
        if (!derived.uniformity[i]) continue;
        const char* const name = *derived.uniformity[i] == Uniformity::Uniform     ? "uniform"
                                 : *derived.uniformity[i] == Uniformity::Divergent ? "divergent"
                                                                                   : "unknown";
        text += fmt::format("{}{:#06x} {}", text.empty() ? "" : "; ",
                            function.instructions[i].address, name);
    }
    return text + (derived.always_uniform ? " (never diverges)" : "");
}

/// "0x0020 uniform; 0x0040 divergent".
std::string uniformities(const std::string& body, const BlockShape& shape) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    return text_of(*context->request.function,
                   derive_thread_facts(*context->request.function, context->graph, shape,
                                       context->architecture, {}));
}

/// The same with an abstract execution of a block of 32 threads.
std::string uniformities_by_execution(const std::string& body, std::int64_t blocks = 1) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    const assembly::Function& function = *context->request.function;
    const auto derive = [&](const AbstractRun* run) {
        return derive_thread_facts(function, context->graph, {{32, 1, 1}}, context->architecture,
                                   {}, {}, run);
    };
    const AbstractRun run =
        execute_abstractly(function, context->graph, {blocks, 32}, derive(nullptr).shared);
    return text_of(function, derive(&run));
}

// The upper word says that no thread of the block is above it; the lower one says nothing.
TEST(Uniformity, FollowsFromTheWordsOfAWideLoad) {
    const auto of = [](const std::string& limit) {
        const auto context = analyzed("S2R R0, SR_TID.X; LDC.64 R6, c[0x0][0x160]; "
                                      "ISETP.GE.AND P0, PT, R0, " +
                                          limit + ", PT; @P0 EXIT; EXIT;",
                                      {}, "turing-t4", 75);
        return text_of(*context->request.function,
                       derive_thread_facts(*context->request.function, context->graph, {{32, 1, 1}},
                                           context->architecture, {}, {{0x164, {32, 32}}}));
    };
    EXPECT_EQ(of("R7"), "0x0030 uniform (never diverges)");
    EXPECT_EQ(of("R6"), "0x0030 unknown (never diverges)");
}

// Whatever the register holds: there is one of it for the lanes that execute together.
TEST(Uniformity, HoldsWhereARegisterOfTheWarpDecides) {
    const std::string diverged = "LDG.E R0, [R2]; ISETP.LT.AND P0, PT, R0, 0x40, PT; @P0 BRA D; "
                                 "UMOV UR4, 0x1; D: ";
    EXPECT_EQ(uniformities(diverged + "BRA.DIV UR4, E; NOP; E: EXIT;", {{32, 1, 1}}),
              "0x0020 unknown; 0x0040 uniform");
    EXPECT_EQ(uniformities(diverged + "@UP1 BRA E; NOP; E: EXIT;", {{32, 1, 1}}),
              "0x0020 unknown; 0x0040 uniform");
    EXPECT_EQ(uniformities(diverged + "@!P0 BRA.DIV UR4, E; NOP; E: EXIT;", {{32, 1, 1}}),
              "0x0020 unknown; 0x0040 unknown");
}

// nvcc begins kernels of sm_87 so. One register of the warp has one value, whoever set it.
TEST(Uniformity, HoldsOfAUniformRegisterThatIsNotWrittenYet) {
    const auto code = [](const std::string& other, const std::string& after) {
        return "ISETP.NE.U32.AND P0, PT, RZ, UR2, PT; @P0 BRA A; UMOV UR2, 0x1; "
               "A: LDG.E R9, [R6]; "
               "ISETP.NE.AND P2, PT, R9, RZ, PT; BSSY B0, D; @P2 BRA D; " +
               other + "; D: BSYNC B0; ISETP.LT.AND P1, PT, RZ, " + after +
               ", PT; @P1 BRA E; NOP; E: EXIT;";
    };
    EXPECT_EQ(uniformities(code("NOP", "UR2"), {{32, 1, 1}}),
              "0x0010 uniform; 0x0060 unknown; 0x00a0 uniform");
    // Nothing is claimed of a register that some lanes write while others wait that read it.
    EXPECT_EQ(uniformities(code("UIADD3 UR2, UR2, 0x1, URZ", "UR2"), {{32, 1, 1}}),
              "0x0010 unknown; 0x0060 unknown; 0x00a0 unknown");
    EXPECT_EQ(uniformities(code("NOP", "R2"), {{32, 1, 1}}),
              "0x0010 uniform; 0x0060 unknown; 0x00a0 unknown");
}

// Of a word that all lanes share, MOVM gives the lower half to some and the upper half to others.
TEST(Uniformity, IsNotKnownOfWhatOtherLanesHoldOrTheLaneDecides) {
    const auto of = [](const std::string& operation) {
        return uniformities("MOV R0, c[0x0][0x160]; " + operation +
                                "; ISETP.EQ.AND P0, PT, R1, 0x0, PT; @P0 EXIT; EXIT;",
                            {{32, 1, 1}});
    };
    EXPECT_EQ(of("MOV R1, R0"), "0x0030 uniform (never diverges)");
    EXPECT_EQ(of("MOVM.16.MT88 R1, R0"), "0x0030 unknown (never diverges)");
    EXPECT_EQ(of("FSWZADD R1, R0, R0, PNPNPNPN"), "0x0030 unknown (never diverges)");
    EXPECT_EQ(of("FADD R1, R0, R0"), "0x0030 uniform (never diverges)");
}

// The index of one lane: of which is not known.
TEST(Uniformity, IsNotKnownOfALaneThatIsComparedWithOneOfTheWarp) {
    for (const char* const index : {"SR_TID.X", "SR_LANEID"}) {
        const std::string code = fmt::format("S2R R0, {0}; S2UR UR4, {0}; ISETP.NE.AND P0, PT, "
                                             "R0, UR4, PT; @P0 EXIT; EXIT;",
                                             index);
        EXPECT_EQ(uniformities(code, {{32, 1, 1}}), "0x0030 unknown (never diverges)");
        EXPECT_EQ(uniformities_by_execution(code), "0x0030 unknown (never diverges)");
    }
}

// C102: whatever the mask is.
TEST(Uniformity, HoldsWhereTheActiveLanesDecide) {
    EXPECT_EQ(uniformities("BRA.DIV ~URZ, E; NOP; E: EXIT;", {{32, 1, 1}}),
              "0x0000 uniform (never diverges)");
}

/// The check of a mask before a shuffle of a cooperative group; the branch is at 0x0080.
std::string mask_check(const std::string& mask, const std::string& match = "MATCH.ANY R7, R6; ",
                       const std::string& table = "0x40") {
    return mask + "VOTEU.ANY UR7, UPT, PT; " + match + "LOP3.LUT P0, RZ, R6, UR7, R7, " + table +
           ", !PT; @!P0 BRA.DIV UR6, E; NOP; E: EXIT;";
}
/// `value << (lane & bits)`, in five instructions.
std::string shifted_mask(std::uint32_t value, std::uint32_t bits) {
    return fmt::format("S2R R6, SR_LANEID; LOP3.LUT R6, R6, {:#x}, RZ, 0xc0, !PT; MOV R7, {:#x}; "
                       "SHF.L.U32 R6, R7, R6, RZ; NOP; ",
                       bits, value);
}

// S55: masks that do not overlap, or one mask for all lanes.
TEST(Uniformity, HoldsWhereMasksOfGroupsAreChecked) {
    const auto at_branch = [](const std::string& code) {
        return uniformities(code, {{256, 1, 1}});
    };
    EXPECT_EQ(at_branch(mask_check(shifted_mask(0xff, 0x18))), "0x0080 uniform (never diverges)");
    const std::string word = "MOV R6, c[0x0][0x160]; NOP; NOP; NOP; NOP; ";
    EXPECT_EQ(at_branch(mask_check(word)), "0x0080 uniform (never diverges)");
    // Masks that overlap, that only data tell, and lanes that differ in what they find.
    EXPECT_EQ(at_branch(mask_check(shifted_mask(0x1ff, 0x18))), "0x0080 unknown");
    EXPECT_EQ(at_branch(mask_check("S2R R4, SR_TID.X; LDS R6, [R4]; NOP; NOP; NOP; ")),
              "0x0080 unknown");
    EXPECT_EQ(at_branch(mask_check(shifted_mask(0xff, 0x18), "MATCH.ANY R7, R6; ", "0x80")),
              "0x0080 unknown");
}

TEST(Uniformity, IsUnknownWhereACheckedMaskIsOfOtherLanesOrNumbers) {
    const auto at_branch = [](const std::string& match) {
        return uniformities(mask_check(shifted_mask(0xff, 0x18), match), {{256, 1, 1}});
    };
    EXPECT_EQ(at_branch("MATCH.ANY R7, R6; MOV R9, R6; "), "0x0090 uniform (never diverges)");
    for (const char* const match :
         {"MATCH.ANY R7, R6; LDG.E R7, [R2]; ", "MATCH.ANY R7, R5; NOP; ",
          "@P1 MATCH.ANY R7, R6; NOP; ", "MATCH.ANY R7, R6; LDG.E R6, [R2]; ",
          "MATCH.ALL PT, R7, R6; NOP; ", "MATCH.ANY R7, R6; @P1 MOV R7, R6; ",
          "MATCH.ANY R7, R6; REDUX.OR UR7, R6; "})
        EXPECT_THAT(at_branch(match), HasSubstr("0x0090 unknown")) << match;
    // Lanes may end between the vote and the match.
    EXPECT_THAT(at_branch("@P1 EXIT; MATCH.ANY R7, R6; "), HasSubstr("0x0090 unknown"));
}

/// Whether lanes of A find different truths of `mask & A & ~(lanes of A with the same mask)`.
bool finds_differ(const std::array<std::uint32_t, 32>& masks, std::uint32_t active) {
    std::set<bool> found;
    for (std::size_t lane = 0; lane < masks.size(); ++lane) {
        if (((active >> lane) & 1U) == 0) continue;
        std::uint32_t equal = 0;
        for (std::size_t other = 0; other < masks.size(); ++other)
            if (masks[other] == masks[lane]) equal |= active & (std::uint32_t{1} << other);
        found.insert((masks[lane] & active & ~equal) != 0);
    }
    return found.size() > 1;
}

TEST(Uniformity, OfCheckedMasksHoldsForRandomMasksAndLanes) {
    std::mt19937 random{55};
    int uniform = 0;
    int different = 0;
    for (int i = 0; i < 300; ++i) {
        const std::uint32_t bits = random() % 32U;
        const std::uint32_t value = (std::uint32_t{2} << (random() % 32U)) - 1U;
        std::array<std::uint32_t, 32> masks{};
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            masks[lane] = value << (lane & bits);
        bool differ = false;
        for (int lanes = 0; lanes < 20; ++lanes)
            differ = differ || finds_differ(masks, static_cast<std::uint32_t>(random()));
        const bool proved = uniformities(mask_check(shifted_mask(value, bits)), {{32, 1, 1}}) ==
                            "0x0080 uniform (never diverges)";
        EXPECT_FALSE(proved && differ) << value << " << (lane & " << bits << ")";
        uniform += proved ? 1 : 0;
        different += differ ? 1 : 0;
    }
    EXPECT_GT(uniform, 10);
    EXPECT_GT(different, 10);
}

// The warp of a row: the thread number in the grid over the warp size.
TEST(Uniformity, FollowsThroughDivisionsByTheWarpSize) {
    const std::string start = "S2R R1, SR_CTAID.X; S2R R0, SR_TID.X; IMAD R0, R1, 0x80, R0; ";
    const std::string end = "ISETP.GE.AND P0, PT, R2, c[0x0][0x170], PT; @P0 BRA D; NOP; D: EXIT;";
    const auto uniform = [&](const std::string& division, std::int64_t threads,
                             std::optional<LastBlock> last = {}) {
        const auto context = analyzed(start + division + end, {}, "turing-t4", 75);
        const auto derived =
            derive_thread_facts(*context->request.function, context->graph, {{threads, 1, 1}},
                                context->architecture, {}, {}, nullptr, last);
        return derived.always_uniform;
    };
    const std::string whole = "SHF.R.U32.HI R2, RZ, 0x5, R0; ";
    EXPECT_TRUE(uniform(whole, 128));
    EXPECT_TRUE(uniform("SHF.R.S32.HI R2, RZ, 0x6, R0; ", 128));
    EXPECT_FALSE(uniform("SHF.R.U32.HI R2, RZ, 0x4, R0; ", 128));
    EXPECT_FALSE(uniform("IADD3 R0, R0, 0x1, RZ; " + whole, 128));
    // A signed quotient rounds towards zero: it needs to know that the number is not negative.
    const std::string rounded = "SHF.R.S32.HI R3, RZ, 0x1f, R0; LEA.HI R3, R3, R0, RZ, 0x5; "
                                "SHF.R.S32.HI R2, RZ, 0x5, R3; ";
    EXPECT_FALSE(uniform(rounded, 128));
    EXPECT_TRUE(uniform(rounded, 128, LastBlock{999, 0, 0}));
    EXPECT_FALSE(uniform(rounded, 128, LastBlock{1U << 24U, 0, 0})); // 2^24 x 128 has a sign.
}

// C96: what lanes load from one address.
TEST(Uniformity, FollowsFromLoadsOfOneAddress) {
    const std::string end = "ISETP.LT.AND P0, PT, R2, 0x40, PT; @P0 BRA D; NOP; D: EXIT;";
    const auto after = [&](const std::string& code) {
        return uniformities(code + end, {{32, 1, 1}});
    };
    EXPECT_THAT(after("MOV R4, c[0x0][0x160]; MOV R5, c[0x0][0x164]; LDG.E.SYS R2, [R4]; "),
                HasSubstr("uniform"));
    EXPECT_THAT(after("LDS R2, [0x10]; "), HasSubstr("uniform"));
    // Other addresses, more bits, and memory of each thread.
    EXPECT_THAT(after("S2R R4, SR_TID.X; LDS R2, [R4]; "), HasSubstr("unknown"));
    EXPECT_THAT(after("LDS.64 R2, [0x10]; "), HasSubstr("unknown"));
    EXPECT_THAT(after("MOV R4, c[0x0][0x160]; LDL R2, [R4]; "), HasSubstr("unknown"));
}

TEST(Uniformity, FollowsFromVotes) {
    const std::string load = "S2R R4, SR_TID.X; LDS R2, [R4]; ISETP.LT.AND P1, PT, R2, 0x1, PT; ";
    EXPECT_EQ(uniformities(load + "VOTE.ANY P0, P1; @P0 BRA D; NOP; D: EXIT;", {{32, 1, 1}}),
              "0x0040 uniform (never diverges)");
    EXPECT_EQ(uniformities(load + "VOTE.ANY R3, PT, P1; ISETP.EQ.AND P0, PT, R3, RZ, PT; "
                                  "@P0 BRA D; NOP; D: EXIT;",
                           {{32, 1, 1}}),
              "0x0050 uniform (never diverges)");
}

TEST(Uniformity, FollowsFromTheShapeOfTheBlock) {
    const std::string code = "S2R R0, SR_TID.X; ISETP.LT.AND P0, PT, R0, 0x40, PT; @!P0 BRA D; "
                             "NOP; D: EXIT;";
    EXPECT_EQ(uniformities(code, {{128, 1, 1}}), "0x0020 uniform (never diverges)");
    EXPECT_EQ(uniformities(code, {{96, 1, 1}}), "0x0020 uniform (never diverges)");
    EXPECT_EQ(uniformities("S2R R0, SR_TID.X; ISETP.LT.AND P0, PT, R0, 0x30, PT; @!P0 BRA D; NOP; "
                           "D: EXIT;",
                           {{128, 1, 1}}),
              "0x0020 divergent");
    EXPECT_EQ(uniformities("S2R R0, SR_TID.Y; ISETP.LT.AND P0, PT, R0, 0x2, PT; @!P0 BRA D; NOP; "
                           "D: EXIT;",
                           {{16, 4, 1}}),
              "0x0020 uniform (never diverges)");
    EXPECT_EQ(
        uniformities("S2R R0, SR_TID.X; LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT; @P0 EXIT; EXIT;",
                     {{32, 1, 1}}),
        "0x0020 divergent (never diverges)");
}

TEST(Uniformity, FollowsFromEqualCountsOfIterations) {
    const auto loop_to = [](const char* end) {
        return fmt::format("S2R R0, SR_TID.X; L: IADD3 R0, R0, 0x20, RZ; "
                           "ISETP.LT.AND P0, PT, R0, {}, PT; @P0 BRA L; EXIT;",
                           end);
    };
    EXPECT_EQ(uniformities(loop_to("0x300"), {{32, 1, 1}}), "0x0030 unknown");
    EXPECT_EQ(uniformities_by_execution(loop_to("0x300")), "0x0030 uniform (never diverges)");
    // 21 or 22 iterations.
    EXPECT_EQ(uniformities_by_execution(loop_to("0x2bc")), "0x0030 unknown");
}

// Four iterations in any case; but lanes that go on early come to the last branch later.
TEST(Uniformity, NeedsLanesInTheSameIteration) {
    EXPECT_EQ(uniformities_by_execution(
                  "LDG.E.SYS R3, [R8]; S2R R0, SR_TID.X; L: IADD3 R0, R0, 0x20, RZ; "
                  "ISETP.EQ.AND P1, PT, R3, RZ, PT; ISETP.LT.AND P1, PT, R0, 0x80, P1; @P1 BRA L; "
                  "ISETP.LT.AND P0, PT, R0, 0x80, PT; @P0 BRA L; EXIT;"),
              "0x0050 unknown; 0x0070 unknown");
    EXPECT_EQ(uniformities_by_execution(
                  "LDG.E.SYS R3, [R8]; S2R R0, SR_TID.X; L: IADD3 R0, R0, 0x20, RZ; "
                  "ISETP.EQ.AND P1, PT, R3, RZ, PT; @P1 BRA M; NOP; M: NOP; "
                  "ISETP.LT.AND P0, PT, R0, 0x80, PT; @P0 BRA L; EXIT;"),
              "0x0040 unknown; 0x0080 uniform");
}

// One iteration in any case; but some lanes end in it, and others leave over the branch.
TEST(Uniformity, IsUnknownWhereLanesAlsoEndInTheLoop) {
    EXPECT_EQ(uniformities_by_execution(
                  "LDG.E.SYS R3, [R8]; MOV R4, RZ; ISETP.EQ.AND P1, PT, R3, RZ, PT; "
                  "ISETP.EQ.AND P0, PT, R4, RZ, PT; L: @P1 BRA X; @P0 EXIT; "
                  "IADD3 R4, R4, 0x1, RZ; BRA L; X: EXIT;"),
              "0x0040 unknown; 0x0050 uniform; 0x0070 uniform");
}

// The compiler breaks a barrier under the guard of the branch that leaves it.
TEST(Uniformity, FollowsBehindBrokenBarriers) {
    const std::string rest = "N: BSYNC B1; M: ISETP.LT.AND P0, PT, R1, UR4, PT; @P0 BRA E; NOP; "
                             "E: EXIT;";
    const std::string begin =
        "LDG.E.SYS R3, [R8]; S2R R1, SR_NTID.X; S2UR UR4, SR_CTAID.X; BSSY B1, M; BSSY B0, L; "
        "ISETP.EQ.AND P1, PT, R3, RZ, PT; ";
    EXPECT_EQ(
        uniformities(begin + "@P1 BREAK B0; @P1 BRA N; BSYNC B0; L: NOP; " + rest, {{32, 1, 1}}),
        "0x0060 unknown; 0x0070 unknown; 0x00c0 uniform");
    // Another guard: which lanes leave is not known.
    EXPECT_EQ(
        uniformities(begin + "@P2 BREAK B0; @P1 BRA N; BSYNC B0; L: NOP; " + rest, {{32, 1, 1}}),
        "0x0060 unknown; 0x0070 unknown; 0x00c0 unknown");
}

TEST(Uniformity, FollowsWhereOnlyOneWayIsTaken) {
    const std::string code = "S2R R0, SR_TID.X; S2R R1, SR_CTAID.X; IMAD R2, R0, R1, RZ; "
                             "ISETP.LT.AND P0, PT, R2, 0x3e8, PT; @!P0 BRA D; NOP; D: EXIT;";
    EXPECT_EQ(uniformities_by_execution(code, 33), "0x0040 uniform (never diverges)");
    EXPECT_EQ(uniformities_by_execution(code, 34), "0x0040 unknown");
}

TEST(Uniformity, FollowsFromValuesThatTheWarpShares) {
    EXPECT_EQ(uniformities("S2R R0, SR_CTAID.X; ISETP.LT.AND P0, PT, R0, c[0x0][0x160], PT; "
                           "@!P0 BRA D; NOP; D: EXIT;",
                           {{64, 1, 1}}),
              "0x0020 uniform (never diverges)");
    EXPECT_EQ(uniformities("S2R R0, SR_TID.X; ISETP.LT.AND P0, PT, R0, c[0x0][0x160], PT; "
                           "@!P0 BRA D; NOP; D: EXIT;",
                           {{64, 1, 1}}),
              "0x0020 unknown");
    EXPECT_EQ(uniformities("S2R R1, SR_TID.X; LDS R0, [R1]; ISETP.LT.AND P0, PT, R0, 0x4, PT; "
                           "@!P0 EXIT; EXIT;",
                           {{64, 1, 1}}),
              "0x0030 unknown (never diverges)");
}

// R4 counts iterations outside the region of the divergent branch, R5 inside.
TEST(Uniformity, OfACounterOutlivesADivergentBranchBesideIt) {
    const auto code = [](const std::string& counter) {
        return "MOV R4, RZ; MOV R5, c[0x0][0x160]; L: LDG.E R9, [R6]; "
               "ISETP.NE.AND P2, PT, R9, RZ, PT; @P2 BRA D; IADD3 R5, R5, 0x1, RZ; "
               "D: IADD3 R4, R4, 0x1, RZ; ISETP.LT.AND P1, PT, " +
               counter + ", c[0x0][0x164], PT; @P1 BRA L; EXIT;";
    };
    EXPECT_EQ(uniformities(code("R4"), {{32, 1, 1}}), "0x0040 unknown; 0x0080 uniform");
    EXPECT_EQ(uniformities(code("R5"), {{32, 1, 1}}), "0x0040 unknown; 0x0080 unknown");
}

// Lanes leave the loop in different iterations: inside, those that remain agree on R4; after it
// they do not (temporal divergence).
TEST(Uniformity, EndsWhereLanesHaveLeftALoopInDifferentIterations) {
    EXPECT_EQ(uniformities("MOV R4, c[0x0][0x160]; L: IADD3 R4, R4, 0x1, RZ; "
                           "ISETP.LT.AND P1, PT, R4, c[0x0][0x164], PT; @P1 BRA M; NOP; "
                           "M: LDG.E R9, [R6]; ISETP.NE.AND P2, PT, R9, RZ, PT; @P2 BRA L; "
                           "ISETP.LT.AND P3, PT, R4, 0x9, PT; @P3 BRA N; NOP; N: EXIT;",
                           {{32, 1, 1}}),
              "0x0030 uniform; 0x0070 unknown; 0x0090 unknown");
}

// Other lanes may write a uniform register while some wait.
TEST(Uniformity, OfUniformRegistersNeedsThatNoLaneWaits) {
    const auto code = [](const std::string& inside, const std::string& after) {
        return "UMOV UR4, c[0x0][0x160]; LDG.E R9, [R6]; ISETP.NE.AND P2, PT, R9, RZ, PT; "
               "BSSY B0, D; @P2 BRA D; " +
               inside + "; D: BSYNC B0; " + after +
               "; ISETP.LT.AND P1, PT, RZ, UR4, PT; @P1 BRA E; NOP; E: EXIT;";
    };
    const std::string count = "UIADD3 UR4, UR4, 0x1, URZ";
    EXPECT_EQ(uniformities(code("NOP", count), {{32, 1, 1}}), "0x0040 unknown; 0x0090 uniform");
    EXPECT_EQ(uniformities(code(count, "NOP"), {{32, 1, 1}}), "0x0040 unknown; 0x0090 unknown");
}

// Lanes on one side of a divergent branch count in a register that those on the other do not need.
TEST(Uniformity, OfUniformRegistersHoldsWhereOneSideNeedsThem) {
    const auto code = [](const std::string& other_side, const std::string& after) {
        return "S2R R6, SR_TID.X; LDS R9, [R6.X4]; ISETP.NE.AND P2, PT, R9, RZ, PT; BSSY B0, D; "
               "@P2 BRA B; UMOV UR4, URZ; L: UIADD3 UR4, UR4, 0x1, URZ; "
               "ISETP.LE.AND P1, PT, R6, UR4, PT; "
               "UISETP.GE.AND UP0, UPT, UR4, 0x4, UPT; PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0; "
               "@!P0 BRA L; BRA D; B: " +
               other_side + "; D: BSYNC B0; " + after + "; EXIT;";
    };
    const auto shared = [&](const std::string& other_side, const std::string& after) {
        const auto context = analyzed(code(other_side, after), {}, "turing-t4", 75);
        const auto facts = derive_thread_facts(*context->request.function, context->graph,
                                               {{32, 1, 1}}, context->architecture, {});
        return facts.shared.size();
    };
    EXPECT_EQ(shared("NOP", "NOP"), 0U);
    EXPECT_EQ(shared("NOP", "UMOV UR4, 0x1; MOV R1, UR4"), 0U); // Written before it is read.
    EXPECT_EQ(shared("MOV R1, UR4", "NOP"), 1U);
    EXPECT_EQ(shared("UMOV UR4, 0x7", "NOP"), 1U);
    EXPECT_EQ(shared("NOP", "MOV R1, UR4"), 1U);
    EXPECT_EQ(shared("NOP", "@P1 UMOV UR4, 0x1; MOV R1, UR4"), 1U);
}

TEST(Uniformity, IsWrittenIntoTheTemplate) {
    const auto context =
        analyzed("S2R R0, SR_TID.X; ISETP.LT.AND P0, PT, R0, 0x10, PT; BSSY B0, D; @!P0 BRA D; "
                 "LDS R4, [R0.X4]; D: BSYNC B0; IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]; "
                 "STG.E.SYS [R2], R4; EXIT;",
                 {}, "turing-t4", 75);
    const BlocksOnMachine blocks{{{32, 1, 1}}, &context->architecture};
    const auto text = flow_facts_template(context->program, *context->request.function,
                                          context->graph, {}, blocks);
    EXPECT_THAT(text, HasSubstr("<divergent at=\"0x0030\" origin=\"static\" status=\"proved\"/>"));
    EXPECT_THAT(text, HasSubstr("<memory at=\"0x0040\" conflict-degree=\"1\" origin=\"static\" "
                                "status=\"proved\"/>"));
    EXPECT_THAT(text, HasSubstr("<memory at=\"0x0070\" transactions=\"1..2\" origin=\"static\" "
                                "status=\"unchecked\"/>"));
    EXPECT_THAT(text, Not(HasSubstr("?\"")));
    const auto read = models::read_flow_facts({"template", text});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read.value().divergents.size(), 1U);
    EXPECT_EQ(read.value().memory.size(), 2U);
}

} // namespace
} // namespace warpbound::analyzer
