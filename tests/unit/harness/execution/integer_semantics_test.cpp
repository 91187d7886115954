/// \file
/// Integer, logic and move instructions against values that the host computes.

#include "tests/unit/harness/execution/snippet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace warpbound::tests {
namespace {

/// Runs the code on edge values; `expected` gives the outputs of a lane.
void expect_lanes(const std::string& code,
                  const std::function<LaneOutputWords(const LaneInputWords&)>& expected) {
    Snippet snippet{code};
    snippet.set_inputs(edge_words());
    const auto outputs = snippet.run();
    for (std::size_t lane = 0; lane < 32; ++lane)
        ASSERT_EQ(outputs[lane], expected(snippet.inputs()[lane])) << code << "lane " << lane;
}

std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
    return (std::uint64_t{high} << 32U) | low;
}
std::uint32_t low_of(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high_of(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32U);
}
std::int64_t signed_of(std::uint32_t value) {
    return static_cast<std::int32_t>(value);
}

TEST(IntegerSemantics, AdditionsCarryIntoTheUpperWord) {
    expect_lanes("IADD3 R12, P0, R4, R6, RZ;\nIADD3.X R13, R5, R7, RZ, P0, !PT;\n"
                 "IADD3 R14, P0, R4, -R6, RZ;\nIADD3.X R15, R5, ~R7, RZ, P0, !PT;\n",
                 [](const LaneInputWords& in) {
                     const std::uint64_t sum = pair(in[0], in[1]) + pair(in[2], in[3]);
                     const std::uint64_t difference = pair(in[0], in[1]) - pair(in[2], in[3]);
                     return LaneOutputWords{low_of(sum), high_of(sum), low_of(difference),
                                            high_of(difference)};
                 });
}

TEST(IntegerSemantics, ThreeSummandsHaveTwoCarries) {
    expect_lanes("IADD3 R12, P0, P1, R4, R5, R6;\nIADD3.X R13, RZ, RZ, RZ, P0, P1;\n",
                 [](const LaneInputWords& in) {
                     const std::uint64_t sum = std::uint64_t{in[0]} + in[1] + in[2];
                     return LaneOutputWords{low_of(sum), high_of(sum)};
                 });
}

TEST(IntegerSemantics, ProductsAreWideSignedAndUnsigned) {
    expect_lanes("IMAD.WIDE R12, R4, R5, R6;\nIMAD.HI.U32 R14, R4, R5, RZ;\n"
                 "IMAD R15, R4, R5, R6;\n",
                 [](const LaneInputWords& in) {
                     const std::uint64_t wide =
                         static_cast<std::uint64_t>(signed_of(in[0]) * signed_of(in[1])) +
                         pair(in[2], in[3]);
                     return LaneOutputWords{low_of(wide), high_of(wide),
                                            high_of(std::uint64_t{in[0]} * in[1]),
                                            in[0] * in[1] + in[2]};
                 });
}

TEST(IntegerSemantics, ProductsOfBytesAreSummedWithTheirTypes) {
    expect_lanes("IDP.4A.S8.S8 R12, R4, R5, R6;\nIDP.4A.U8.U8 R13, R4, R5, R6;\n"
                 "IDP.4A.U8.S8 R14, R4, R5, RZ;\n",
                 [](const LaneInputWords& in) {
                     LaneOutputWords out{in[2], in[2], 0, 0};
                     for (unsigned shift = 0; shift < 32; shift += 8) {
                         const auto a = static_cast<std::uint8_t>(in[0] >> shift);
                         const auto b = static_cast<std::uint8_t>(in[1] >> shift);
                         const int signed_a = static_cast<std::int8_t>(a);
                         const int signed_b = static_cast<std::int8_t>(b);
                         out[0] += static_cast<std::uint32_t>(signed_a * signed_b);
                         out[1] += static_cast<std::uint32_t>(a * b);
                         out[2] += static_cast<std::uint32_t>(a * signed_b);
                     }
                     return out;
                 });
}

TEST(IntegerSemantics, LeaAddsAShiftedPair) {
    expect_lanes("LEA R12, P0, R4, R6, 0x3;\nLEA.HI.X R13, R4, R7, R5, 0x3, P0;\n"
                 "LEA.HI.SX32 R14, R4, R6, 0x1e;\n",
                 [](const LaneInputWords& in) {
                     const std::uint64_t sum = (pair(in[0], in[1]) << 3U) + pair(in[2], in[3]);
                     const auto extended = static_cast<std::uint64_t>(signed_of(in[0])) << 30U;
                     return LaneOutputWords{low_of(sum), high_of(sum), high_of(extended) + in[2]};
                 });
}

TEST(IntegerSemantics, ShiftsBeyondTheWidthGiveZeroOrTheSign) {
    expect_lanes("SHF.L.U32 R12, R4, R5, RZ;\nSHF.R.U32.HI R13, RZ, R5, R4;\n"
                 "SHF.R.S32.HI R14, RZ, R5, R4;\nSHF.L.W.U32.HI R15, R4, R5, R4;\n",
                 [](const LaneInputWords& in) {
                     const std::uint32_t by = in[1];
                     return LaneOutputWords{
                         by >= 32 ? 0 : in[0] << by, by >= 32 ? 0 : in[0] >> by,
                         static_cast<std::uint32_t>(signed_of(in[0]) >> std::min(by, 32U)),
                         std::rotl(in[0], static_cast<int>(by % 32))};
                 });
}

TEST(IntegerSemantics, PairsAreShifted) {
    expect_lanes("LOP3.LUT R6, R6, 0x3f, RZ, 0xc0, !PT;\nSHF.L.U64.HI R12, R4, R6, R5;\n"
                 "SHF.R.U64 R13, R4, R6, R5;\nSHF.R.S64 R14, R4, R6, R5;\n",
                 [](const LaneInputWords& in) {
                     const std::uint64_t value = pair(in[0], in[1]);
                     const std::uint32_t by = in[2] % 64;
                     return LaneOutputWords{high_of(value << by), low_of(value >> by),
                                            low_of(static_cast<std::uint64_t>(
                                                static_cast<std::int64_t>(value) >> by))};
                 });
}

TEST(IntegerSemantics, LogicFollowsItsTruthTable) {
    expect_lanes("LOP3.LUT R12, R4, R5, R6, 0x96, !PT;\nLOP3.LUT R13, R4, R5, R6, 0xea, !PT;\n"
                 "LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT;\nSEL R14, R5, R6, P0;\n"
                 "LOP3.LUT R15, R4, R5, RZ, 0x30, !PT;\n",
                 [](const LaneInputWords& in) {
                     return LaneOutputWords{in[0] ^ in[1] ^ in[2], (in[0] & in[1]) | in[2],
                                            (in[0] & 1U) != 0 ? in[1] : in[2], in[0] & ~in[1]};
                 });
}

TEST(IntegerSemantics, BitsAreCountedAndFound) {
    expect_lanes("POPC R12, R4;\nFLO.U32 R13, R4;\nFLO.U32.SH R14, R4;\nBREV R15, R4;\n",
                 [](const LaneInputWords& in) {
                     const auto zeros = static_cast<std::uint32_t>(std::countl_zero(in[0]));
                     std::uint32_t reversed = 0;
                     for (unsigned bit = 0; bit < 32; ++bit)
                         if (((in[0] >> bit) & 1U) != 0) reversed |= 0x80000000U >> bit;
                     return LaneOutputWords{static_cast<std::uint32_t>(std::popcount(in[0])),
                                            in[0] == 0 ? ~0U : 31 - zeros, in[0] == 0 ? ~0U : zeros,
                                            reversed};
                 });
}

TEST(IntegerSemantics, BytesArePermutedAndMasked) {
    expect_lanes("PRMT R12, R4, 0x3715, R5;\nPRMT R13, R4, 0x8880, RZ;\n"
                 "BMSK R14, 0x4, 0x8;\nSGXT R15, R4, 0x8;\n",
                 [](const LaneInputWords& in) {
                     const std::uint64_t bytes = pair(in[0], in[1]);
                     const auto byte = [&](unsigned i) { return low_of(bytes >> (8 * i)) & 0xffU; };
                     const auto sign = static_cast<std::uint32_t>(static_cast<std::int8_t>(in[0]));
                     return LaneOutputWords{byte(3) << 24U | byte(7) << 16U | byte(1) << 8U |
                                                byte(5),
                                            sign, 0xff0, sign};
                 });
}

TEST(IntegerSemantics, ComparisonsHaveASign) {
    expect_lanes("ISETP.LT.AND P0, P1, R4, R5, PT;\nSEL R12, RZ, 0x1, !P0;\n"
                 "ISETP.LT.U32.AND P2, PT, R4, R5, PT;\nSEL R13, RZ, 0x1, !P2;\n"
                 "SEL R14, RZ, 0x1, !P1;\n"
                 "ISETP.GE.U32.AND P0, PT, R4, R6, PT;\nISETP.GE.AND.EX P0, PT, R5, R7, PT, P0;\n"
                 "SEL R15, RZ, 0x1, !P0;\n",
                 [](const LaneInputWords& in) {
                     const auto a = static_cast<std::int64_t>(pair(in[0], in[1]));
                     const auto b = static_cast<std::int64_t>(pair(in[2], in[3]));
                     return LaneOutputWords{signed_of(in[0]) < signed_of(in[1]), in[0] < in[1],
                                            signed_of(in[0]) >= signed_of(in[1]), a >= b};
                 });
}

TEST(IntegerSemantics, MinimaAndMaximaHaveASign) {
    expect_lanes("IMNMX R12, R4, R5, PT;\nIMNMX R13, R4, R5, !PT;\nIMNMX.U32 R14, R4, R5, PT;\n"
                 "IABS R15, R4;\n",
                 [](const LaneInputWords& in) {
                     const bool below = signed_of(in[0]) < signed_of(in[1]);
                     return LaneOutputWords{below ? in[0] : in[1], below ? in[1] : in[0],
                                            std::min(in[0], in[1]),
                                            signed_of(in[0]) < 0 ? 0 - in[0] : in[0]};
                 });
}

TEST(MoveSemantics, PredicatesGoIntoWordsAndBack) {
    expect_lanes("R2P PR, R4, 0x7e;\nP2R R12, PR, R5, 0x7e;\n"
                 "PLOP3.LUT P0, P1, P1, P2, PT, 0x80, 0x8;\nSEL R13, RZ, 0x1, !P0;\n",
                 [](const LaneInputWords& in) {
                     return LaneOutputWords{(in[1] & ~0x7eU) | (in[0] & 0x7eU), (in[0] & 6U) == 6U};
                 });
}

TEST(MoveSemantics, UniformRegistersHoldOneValue) {
    expect_lanes("UMOV UR4, 0x7;\nUIADD3 UR4, UR4, 0x3, URZ;\nUSHF.L.U32 UR5, UR4, 0x2, URZ;\n"
                 "UISETP.GT.AND UP0, UPT, UR5, 0x27, UPT;\nUSEL UR6, UR4, UR5, UP0;\n"
                 "IADD3 R12, R4, UR4, RZ;\nMOV R13, UR5;\nMOV R14, UR6;\n",
                 [](const LaneInputWords& in) {
                     return LaneOutputWords{in[0] + 10, 40, 10};
                 });
}

TEST(IntegerSemantics, DynamicProgrammingInstructionsCompareThreeNumbers) {
    expect_lanes(
        "VIMNMX3 R12, R4, R5, R6, !PT;\nVIMNMX3.U32 R13, R4, R5, R6, PT;\n"
        "VIMNMX.RELU R14, R4, R5, PT;\nVIADDMNMX.RELU R15, R4, R5, R6, !PT;\n",
        [](const LaneInputWords& in) {
            const auto sum = signed_of(in[0] + in[1]);
            const auto most = std::max({signed_of(in[0]), signed_of(in[1]), signed_of(in[2])});
            const auto least = std::min(signed_of(in[0]), signed_of(in[1]));
            return LaneOutputWords{
                static_cast<std::uint32_t>(most), std::min({in[0], in[1], in[2]}),
                static_cast<std::uint32_t>(std::max(least, std::int64_t{0})),
                static_cast<std::uint32_t>(std::max({sum, signed_of(in[2]), std::int64_t{0}}))};
        });
}

TEST(IntegerSemantics, PredicatesThatAnExtremeWritesAreRefused) {
    EXPECT_TRUE(Snippet::whole("VIMNMX R0, PT, PT, R1, R2, PT;\nEXIT;\n").execute());
    const auto refused = Snippet::whole("VIMNMX R0, P0, PT, R1, R2, PT;\nEXIT;\n").execute();
    ASSERT_FALSE(refused);
    EXPECT_NE(to_string(refused.error()).find("no predicate written"), std::string::npos);
}

TEST(WarpSemantics, ShufflesReadOtherLanes) {
    Snippet snippet{"SHFL.IDX PT, R12, R4, 0x5, 0x1f;\nSHFL.UP P0, R13, R4, 0x1, RZ;\n"
                    "SHFL.DOWN PT, R14, R4, 0x2, 0x1f;\nSHFL.BFLY PT, R15, R4, 0x3, 0x1f;\n"};
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        snippet.set_input(lane, {100 + lane});
    const auto outputs = snippet.run();
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        EXPECT_EQ(outputs[lane],
                  (LaneOutputWords{105, 100 + (lane == 0 ? 0 : lane - 1),
                                   100 + (lane + 2 < 32 ? lane + 2 : lane), 100 + (lane ^ 3U)}));
}

// Row r of the matrix is 100 r + 0, 1, .., 7.
TEST(WarpSemantics, AMatrixOfTheWarpIsTransposed) {
    Snippet snippet{"MOVM.16.MT88 R12, R4;\nMOVM.16.MT88 R13, R12;\n"};
    const auto row = [](std::uint32_t lane) { return 100 * (lane / 4) + 2 * (lane % 4); };
    const auto pair = [](std::uint32_t low, std::uint32_t high) { return low | high << 16U; };
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        snippet.set_input(lane, {pair(row(lane), row(lane) + 1)});
    const auto outputs = snippet.run();
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t first = 200 * (lane % 4) + lane / 4;
        EXPECT_EQ(outputs[lane][0], pair(first, first + 100));
        EXPECT_EQ(outputs[lane][1], pair(row(lane), row(lane) + 1));
    }
}

TEST(WarpSemantics, VotesCountExecutingLanes) {
    Snippet snippet{"ISETP.GT.AND P0, PT, R4, 0x9, PT;\nVOTE.ANY R12, P1, P0;\n"
                    "VOTE.ALL R13, P2, P0;\nSEL R14, RZ, 0x1, !P1;\nSEL R15, RZ, 0x1, !P2;\n"};
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        snippet.set_input(lane, {lane});
    EXPECT_EQ(snippet.run()[3], (LaneOutputWords{0xfffffc00, 0xfffffc00, 1, 0}));
}

} // namespace
} // namespace warpbound::tests
