/// \file
/// Divisions by a reciprocal: which code is one, and that its result is exact (S71).

#include "analyzer/value/value_code.hpp"
#include "assembly/isa/reader.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

namespace warpbound::analyzer {
namespace {

/// n / d by C110, each reciprocal one of the two floats next to it.
std::uint32_t divided(std::uint32_t n, std::uint32_t d, bool above) {
    auto x = static_cast<float>(d);
    if (static_cast<double>(x) < static_cast<double>(d)) x = std::nextafter(x, 5e9F);
    const double exact = 1.0 / static_cast<double>(x);
    auto y = static_cast<float>(exact);
    if (above && static_cast<double>(y) < exact) y = std::nextafter(y, 2.0F);
    if (!above && static_cast<double>(y) > exact) y = std::nextafter(y, 0.0F);
    const auto scaled = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) + 0xffffffeU);
    const auto high = [](std::uint32_t a, std::uint32_t b) {
        return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32U);
    };
    std::uint32_t r = static_cast<std::uint32_t>(scaled);
    r += high(r, (0 - r) * d);
    std::uint32_t q = high(r, n);
    std::uint32_t rest = n - q * d;
    for (int step = 0; step < 2; ++step)
        if (rest >= d) {
            rest -= d;
            ++q;
        }
    return q;
}

TEST(Divisions, AreExactForAnyReciprocalWithinOneUnit) {
    tests::RandomSource random{3};
    const auto number = [&](std::int64_t least) {
        const auto bits = static_cast<unsigned>(random.whole(0, 32));
        const std::uint64_t top = std::uint64_t{1} << bits;
        const auto near = static_cast<std::int64_t>(top) + random.whole(-3, 3);
        const std::int64_t any = random.whole(0, static_cast<std::int64_t>(top));
        return static_cast<std::uint32_t>(
            std::clamp<std::int64_t>(random.whole(0, 1) == 0 ? near : any, least, 0xffffffff));
    };
    for (int round = 0; round < 400'000; ++round) {
        const std::uint32_t d = number(1);
        std::uint32_t n = number(0);
        if (round % 3 == 0) n = n / d * d - static_cast<std::uint32_t>(random.whole(0, 1));
        for (const bool above : {false, true})
            ASSERT_EQ(divided(n, d, above), n / d) << n << " / " << d;
    }
}

/// The division of R0 by R7, some lines of which may be replaced.
struct Lines {
    std::string to_float = "I2F.U32.RP R1, R7";
    std::string scale = "IADD3 R2, R1, 0xffffffe, RZ";
    std::string between{};
    std::string excess = "IMAD R4, R4, R7, RZ";
    std::string quotient = "IMAD.HI.U32 R5, R3, R0, RZ";
    std::string rest = "IMAD R0, R7, R6, R0";
    std::string first_guard = "@P0";
    std::string last = "@P1 IADD3 R5, R5, 0x1, RZ";
};

std::string code_of(const Lines& lines) {
    return "!Arch sm_75\n!Kernel k\n" + lines.to_float + "; MUFU.RCP R1, R1; " + lines.scale +
           "; F2I.FTZ.U32.TRUNC.NTZ R3, R2; MOV R2, RZ; IADD3 R4, RZ, -R3, RZ; " + lines.excess +
           "; IMAD.HI.U32 R3, R3, R4, R2; " + lines.between + lines.quotient +
           "; IADD3 R6, -R5, RZ, RZ; " + lines.rest + "; ISETP.GE.U32.AND P0, PT, R0, R7, PT; " +
           lines.first_guard +
           " IADD3 R0, R0, -R7, RZ; @P0 IADD3 R5, R5, 0x1, RZ; "
           "ISETP.GE.U32.AND P1, PT, R0, R7, PT; " +
           lines.last + "; @P1 IADD3 R0, R0, -R7, RZ; EXIT;\n!EndKernel\n";
}

/// Names of the steps that stand for divisions, in order.
std::string steps_of(const std::string& text) {
    const auto program = assembly::read_program({"test", text});
    EXPECT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    EXPECT_TRUE(graph);
    std::string names;
    for (const auto& step : value_code(function, graph.value()).function.instructions)
        if (step.mnemonic == "QUOTIENT" || step.mnemonic == "REMAINDER")
            names += step.mnemonic + " ";
    return names;
}

TEST(Divisions, AreFoundByWhatTheirRegistersHold) {
    EXPECT_EQ(steps_of(code_of({})), "QUOTIENT REMAINDER ");
    EXPECT_EQ(steps_of(code_of({.to_float = "I2F.RP R1, R7"})), "QUOTIENT REMAINDER ");
    // Of a copy of the numerator, and by a rest that adds the negative divisor.
    EXPECT_EQ(steps_of(code_of({.between = "MOV R8, R0; ",
                                .quotient = "IMAD.HI.U32 R5, R3, R8, RZ",
                                .rest = "IADD3 R9, RZ, -R7, RZ; IMAD R0, R5, R9, R0"})),
              "QUOTIENT REMAINDER ");
    // The reciprocal is computed before a loop.
    EXPECT_EQ(steps_of(code_of({.between = "L: LDG.E R0, [R10.64]; ",
                                .last = "@P1 IADD3 R5, R5, 0x1, RZ; ISETP.NE.AND P2, PT, R5, RZ, "
                                        "PT; @P2 BRA L"})),
              "QUOTIENT REMAINDER ");
}

TEST(Divisions, AreNotFoundWhereALineDiffers) {
    EXPECT_EQ(steps_of(code_of({.to_float = "I2F.U32.RM R1, R7"})), "");
    EXPECT_EQ(steps_of(code_of({.scale = "IADD3 R2, R1, 0xfffffff, RZ"})), "");
    EXPECT_EQ(steps_of(code_of({.between = "MOV R7, R8; "})), "") << "another divisor";
    EXPECT_EQ(steps_of(code_of({.between = "@P3 MOV R7, R8; "})), "") << "perhaps another";
    EXPECT_EQ(steps_of(code_of({.excess = "IMAD R4, R4, R8, RZ"})), "");
    EXPECT_EQ(steps_of(code_of({.quotient = "IMAD.HI R5, R3, R0, RZ"})), "");
    EXPECT_EQ(steps_of(code_of({.rest = "IMAD R0, R7, R6, R8"})), "");
    EXPECT_EQ(steps_of(code_of({.first_guard = "@!P0"})), "");
    EXPECT_EQ(steps_of(code_of({.last = "@!P1 IADD3 R5, R5, 0x1, RZ"})), "REMAINDER ");
    EXPECT_EQ(steps_of(code_of({.last = "@P1 IADD3 R5, R5, 0x2, RZ"})), "REMAINDER ");
    // The divisor changes in each iteration, the reciprocal does not.
    EXPECT_EQ(steps_of(code_of({.between = "L: NOP; ",
                                .last = "@P1 IADD3 R5, R5, 0x1, RZ; IADD3 R7, R7, 0x1, RZ; "
                                        "ISETP.NE.AND P2, PT, R5, RZ, PT; @P2 BRA L"})),
              "");
}

} // namespace
} // namespace warpbound::analyzer
