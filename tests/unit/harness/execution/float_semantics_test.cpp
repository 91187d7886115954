/// \file
/// Floating-point instructions and conversions against values that the host computes.

#include "harness/execution/half_float.hpp"
#include "tests/unit/harness/execution/snippet.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace warpbound::tests {
namespace {

float float_of(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

/// The bits of a result; every NaN is the one that the device gives.
std::uint32_t bits_of(float value) {
    return std::isnan(value) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(value);
}

void expect_floats(const std::string& code,
                   const std::function<LaneOutputWords(const LaneInputWords&)>& expected) {
    Snippet snippet{code};
    snippet.set_inputs(edge_floats());
    const auto outputs = snippet.run();
    for (std::size_t lane = 0; lane < 32; ++lane)
        ASSERT_EQ(outputs[lane], expected(snippet.inputs()[lane])) << code << "lane " << lane;
}

TEST(FloatSemantics, ArithmeticRoundsOnce) {
    expect_floats("FADD R12, R4, -R5;\nFMUL R13, R4, |R5|;\nFFMA R14, R4, R5, R6;\n"
                  "FADD R15, R4, 0.5;\n",
                  [](const LaneInputWords& in) {
                      const float a = float_of(in[0]);
                      const float b = float_of(in[1]);
                      return LaneOutputWords{bits_of(a - b), bits_of(a * std::fabs(b)),
                                             bits_of(std::fma(a, b, float_of(in[2]))),
                                             bits_of(a + 0.5F)};
                  });
}

TEST(FloatSemantics, FlushedSubnormalsAreZeros) {
    Snippet snippet{"FADD.FTZ R12, R4, R5;\nFADD R13, R4, R5;\nFMUL.FTZ R14, R6, R6;\n"
                    "FADD.SAT R15, R7, R7;\n"};
    snippet.set_inputs(
        {{std::bit_cast<std::uint32_t>(1e-40F), 0x80000000U, std::bit_cast<std::uint32_t>(1e-20F),
          std::bit_cast<std::uint32_t>(3.0F)}});
    EXPECT_EQ(snippet.run()[0], (LaneOutputWords{0, std::bit_cast<std::uint32_t>(1e-40F), 0,
                                                 std::bit_cast<std::uint32_t>(1.0F)}));
}

TEST(FloatSemantics, DirectedRoundingEnclosesTheSum) {
    Snippet snippet{"FADD.RM R12, R4, R5;\nFADD.RP R13, R4, R5;\nFADD.RZ R14, R4, R5;\n"
                    "FFMA.RP R15, R4, R4, R5;\n"};
    snippet.set_inputs({{bits_of(1.0F), bits_of(1e-10F)}});
    const float above = std::nextafterf(1.0F, 2.0F);
    EXPECT_EQ(snippet.run()[0],
              (LaneOutputWords{bits_of(1.0F), bits_of(above), bits_of(1.0F), bits_of(above)}));
}

TEST(FloatSemantics, ComparisonsWithNanAreUnordered) {
    expect_floats("FSETP.LT.AND P0, PT, R4, R5, PT;\nSEL R12, RZ, 0x1, !P0;\n"
                  "FSETP.GEU.AND P0, P1, R4, R5, PT;\nSEL R13, RZ, 0x1, !P0;\n"
                  "SEL R14, RZ, 0x1, !P1;\nFSETP.NEU.OR P0, PT, R4, R5, !PT;\n"
                  "SEL R15, RZ, 0x1, !P0;\n",
                  [](const LaneInputWords& in) {
                      const float a = float_of(in[0]);
                      const float b = float_of(in[1]);
                      return LaneOutputWords{a < b, !(a < b), a < b, !(a == b)};
                  });
}

TEST(FloatSemantics, NumbersWinOverNanInMinimaAndMaxima) {
    expect_floats("FMNMX R12, R4, R5, PT;\nFMNMX R13, R4, R5, !PT;\n",
                  [](const LaneInputWords& in) {
                      const float a = float_of(in[0]);
                      const float b = float_of(in[1]);
                      const bool zeros = a == 0 && b == 0;
                      const bool any_negative = std::signbit(a) || std::signbit(b);
                      const bool both_negative = std::signbit(a) && std::signbit(b);
                      return LaneOutputWords{
                          bits_of(zeros ? (any_negative ? -0.0F : 0.0F) : std::fmin(a, b)),
                          bits_of(zeros ? (both_negative ? -0.0F : 0.0F) : std::fmax(a, b))};
                  });
}

TEST(FloatSemantics, ConversionsToIntegersSaturate) {
    expect_floats("F2I.TRUNC.NTZ R12, R4;\nF2I.U32.TRUNC.NTZ R13, R4;\nF2I.FLOOR.NTZ R14, R4;\n"
                  "F2I.NTZ R15, R4;\n",
                  [](const LaneInputWords& in) {
                      const float a = float_of(in[0]);
                      const auto clamped = [](double value, double least, double greatest) {
                          if (std::isnan(value)) return std::uint32_t{0};
                          return static_cast<std::uint32_t>(static_cast<std::int64_t>(
                              std::fmin(std::fmax(value, least), greatest)));
                      };
                      constexpr double least = -2147483648.0;
                      constexpr double greatest = 2147483647.0;
                      return LaneOutputWords{clamped(std::trunc(a), least, greatest),
                                             clamped(std::trunc(a), 0, 4294967295.0),
                                             clamped(std::floor(a), least, greatest),
                                             clamped(std::nearbyint(a), least, greatest)};
                  });
}

TEST(FloatSemantics, IntegersAreRoundedToFloats) {
    Snippet snippet{"I2F R12, R4;\nI2F.U32 R13, R4;\nI2F.RP R14, R5;\nI2F.U8 R15, R4;\n"};
    snippet.set_inputs({{0xffffff80U, 16777217U}});
    EXPECT_EQ(snippet.run()[0], (LaneOutputWords{bits_of(-128.0F), bits_of(4294967168.0F),
                                                 bits_of(16777218.0F), bits_of(128.0F)}));
}

TEST(DoubleSemantics, ArithmeticTakesPairs) {
    Snippet snippet{"DADD R12, R4, R6;\nDFMA R14, R4, R6, -R4;\n"};
    std::array<double, 4> values{1.0 / 3.0, 1e-17, 0, 0};
    LaneInputWords words{};
    std::memcpy(words.data(), values.data(), sizeof words);
    snippet.set_inputs({words});
    std::array<double, 2> found{};
    const auto outputs = snippet.run();
    std::memcpy(found.data(), outputs[0].data(), sizeof found);
    EXPECT_EQ(found[0], values[0] + values[1]);
    EXPECT_EQ(found[1], std::fma(values[0], values[1], -values[0]));
}

TEST(DoubleSemantics, ConvertsToAndFromSinglePrecision) {
    Snippet snippet{"F2F.F64.F32 R12, R4;\nDMUL R12, R12, R12;\nF2F.F32.F64 R14, R12;\n"};
    snippet.set_inputs({{bits_of(1.1F)}});
    EXPECT_EQ(snippet.run()[0][2], bits_of(static_cast<float>(double{1.1F} * double{1.1F})));
}

TEST(HalfSemantics, PairsAreComputedHalfByHalf) {
    using harness::execution::half_of;
    Snippet snippet{"HADD2 R12, R4, R5;\nHFMA2.MMA R13, R4, R5, 1, 2;\n"
                    "HMUL2 R14, R4.H1_H1, R5;\nHADD2.F32 R15, -RZ, R4.H0_H0;\n"};
    const auto both = [](float high, float low) { return (half_of(high) << 16U) | half_of(low); };
    snippet.set_inputs({{both(3.0F, 0.5F), both(-2.0F, 8.0F)}});
    EXPECT_EQ(snippet.run()[0], (LaneOutputWords{both(1.0F, 8.5F), both(-5.0F, 6.0F),
                                                 both(-6.0F, 24.0F), bits_of(0.5F)}));
}

TEST(HalfFloat, RoundsToTheNearestEven) {
    using harness::execution::float_of_half;
    using harness::execution::half_of;
    EXPECT_EQ(half_of(65504.0F), 0x7bffU);
    EXPECT_EQ(half_of(65520.0F), 0x7c00U);
    EXPECT_EQ(half_of(5.9604645e-8F), 1U);
    EXPECT_EQ(half_of(1.0F + 1.0F / 2048), 0x3c00U);
    EXPECT_EQ(half_of(1.0F + 3.0F / 2048), 0x3c02U);
    for (std::uint32_t half = 0; half < 0x7c00U; ++half)
        ASSERT_EQ(half_of(float_of_half(half)), half);
}

} // namespace
} // namespace warpbound::tests
