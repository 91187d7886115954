#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "listings.hpp"

#include <fmt/format.h>

namespace warpbound::assembly {
namespace {

/// "0:R2.reuse 1:R4+2": position, first register, number of registers; ? where that is not known.
std::string reads_of(const char* statement, const char* target = "sm_75") {
    const Target parsed = *parse_target(target);
    Instruction instruction = bare_instruction(statement, target);
    instruction.effects = effects_of(instruction, parsed);
    std::string text;
    for (const OperandRead& read : operand_reads(instruction, parsed)) {
        if (!text.empty()) text += ' ';
        text +=
            fmt::format("{}:R{}", read.position ? fmt::to_string(*read.position) : "-", read.first);
        if (read.registers != 1) text += fmt::format("+{}", read.registers);
        if (!read.has_width) text += '?';
        if (read.is_reused) text += ".reuse";
    }
    return text;
}

TEST(OperandReads, CountSourcePositions) {
    EXPECT_EQ(reads_of("FFMA R5, R2.reuse, R7, R8"), "0:R2.reuse 1:R7 2:R8");
    EXPECT_EQ(reads_of("FFMA R5, R2, c[0x0][0x160], R2"), "0:R2 2:R2");
    EXPECT_EQ(reads_of("FFMA R5, RZ, 2, R9"), "2:R9");
    EXPECT_EQ(reads_of("IADD3 R4, P0, R2, UR4, R6"), "0:R2 2:R6");
    EXPECT_EQ(reads_of("ISETP.GE.AND P0, PT, R0, R1.reuse, P2"), "0:R0 1:R1.reuse");
    EXPECT_EQ(reads_of("NOP"), "");
}

TEST(OperandReads, ExpandGroups) {
    EXPECT_EQ(reads_of("DFMA R0, R2, R4.reuse, R6"), "0:R2+2 1:R4+2.reuse 2:R6+2");
    EXPECT_EQ(reads_of("IMAD.WIDE R2, R4, R5, R6"), "0:R4 1:R5 2:R6+2");
}

TEST(OperandReads, OfUnknownWidthAreUpToFourRegisters) {
    EXPECT_EQ(reads_of("HMMA.884.F32.F32 R4, R8, R12, R4"), "0:R8+4? 1:R12+4? 2:R4+4?");
}

TEST(OperandReads, OfMatrixInstructionsFollowFromTheirTiles) {
    EXPECT_EQ(reads_of("HMMA.1688.F32 R4, R8, R12, R4"), "0:R8+2 1:R12 2:R4+4");
    EXPECT_EQ(reads_of("HMMA.16816.F16 R4, R8, R12, R4", "sm_80"), "0:R8+4 1:R12+2 2:R4+2");
}

TEST(OperandReads, FollowAFixedLatencyWhereNoScoreboardAnnouncesIt) {
    const auto is_fixed = [](const char* statement, std::optional<Control> control = Control{}) {
        const Target target{75};
        Instruction instruction = bare_instruction(statement, "sm_75");
        instruction.effects = effects_of(instruction, target);
        instruction.control = control;
        return has_fixed_latency(instruction);
    };
    EXPECT_TRUE(is_fixed("FFMA R5, R2, R7, R8"));
    EXPECT_TRUE(is_fixed("NOP"));
    EXPECT_TRUE(is_fixed("FFMA R5, R2, R7, R8", std::nullopt));
    EXPECT_FALSE(is_fixed("LDG.E R4, [R2.64]"));
    EXPECT_FALSE(is_fixed("STS [R2], R4"));
    Control names_result;
    names_result.write_barrier = 2;
    EXPECT_FALSE(is_fixed("MUFU.RCP R2, R3", names_result));
    Control names_sources;
    names_sources.read_barrier = 0;
    EXPECT_FALSE(is_fixed("MUFU.RCP R2, R3", names_sources));
}

} // namespace
} // namespace warpbound::assembly
