#include "assembly/isa/effects.hpp"
#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/program.hpp"
#include "listings.hpp"

#include <array>

namespace warpbound::assembly {
namespace {

std::string names(const std::vector<Register>& registers) {
    std::string text;
    for (const auto reg : registers) {
        if (!text.empty()) text += ' ';
        text += to_string(reg);
    }
    return text;
}

struct EffectsRow {
    const char* target;
    const char* statement;
    const char* reads; ///< In the order of files: R, P, UR, UP, CC, B.
    const char* writes;
};

void expect_effects(const EffectsRow& row) {
    const auto effects =
        effects_of(bare_instruction(row.statement, row.target), *parse_target(row.target));
    SCOPED_TRACE(std::string{row.target} + " " + row.statement);
    EXPECT_EQ(names(effects.reads), row.reads);
    EXPECT_EQ(names(effects.writes), row.writes);
    EXPECT_TRUE(effects.exact);
}

TEST(Effects, OfArithmeticAreItsOperands) {
    for (const auto& row : {
             EffectsRow{"sm_20", "FADD R4, R5, R6", "R5 R6", "R4"},
             EffectsRow{"sm_20", "MOV R1, c[0x1][0x100]", "", "R1"},
             EffectsRow{"sm_52", "XMAD.PSL.CBCC R2, R13.H1.reuse, R15.H1, R2", "R2 R13 R15", "R2"},
             EffectsRow{"sm_70", "FFMA R0, -R1, |R2|, -|R3|", "R1 R2 R3", "R0"},
             EffectsRow{"sm_70", "FADD R0, RZ, |R3|.reuse", "R3", "R0"},
             EffectsRow{"sm_75", "IADD3 R4, R2, UR4, RZ", "R2 UR4", "R4"},
             EffectsRow{"sm_70", "LDC R6, c[0x2][R0]", "R0", "R6"},
             EffectsRow{"sm_70", "MUFU.RCP R2, R3", "R3", "R2"},
             EffectsRow{"sm_70", "POPC R0, R2", "R2", "R0"},
             EffectsRow{"sm_70", "NOP", "", ""},
         })
        expect_effects(row);
}

TEST(Effects, OfPredicatesSeparateDestinationsFromSources) {
    for (const auto& row : {
             EffectsRow{"sm_70", "ISETP.GE.AND P0, PT, R0, R1, P2", "R0 R1 P2", "P0"},
             EffectsRow{"sm_70", "ISETP.GE.AND P0, P1, R0, R1, PT", "R0 R1", "P0 P1"},
             EffectsRow{"sm_70", "PLOP3.LUT P1, PT, P2, P3, PT, 0x80, 0x0", "P2 P3", "P1"},
             EffectsRow{"sm_70", "FCHK P0, R2, R3", "R2 R3", "P0"},
             EffectsRow{"sm_70", "VOTE.ALL P0, P1", "P1", "P0"},
             EffectsRow{"sm_70", "VOTE.ANY R5, PT, P0", "P0", "R5"},
             EffectsRow{"sm_70", "SHFL.IDX P0, R3, R2, R4, 0x1f", "R2 R4", "R3 P0"},
             EffectsRow{"sm_70", "LOP3.LUT P0, RZ, R2, 0x1, RZ, 0xc0, !PT", "R2", "P0"},
             EffectsRow{"sm_70", "SEL R0, R1, R2, !P3", "R1 R2 P3", "R0"},
             EffectsRow{"sm_52", "PSET.AND.AND R0, P1, P2, P3", "P1 P2 P3", "R0"},
             EffectsRow{"sm_70", "@!P4 MOV R0, R1", "R1 P4", "R0"},
             EffectsRow{"sm_52", "B2R.RESULT R0, P1", "", "R0 P1"},
             EffectsRow{"sm_52", "BAR.RED.POPC 0x0, P0", "P0", ""},
             EffectsRow{"sm_52", "R2P PR, R0, 0x5", "R0", "P0 P2"}, // mask 101: P0 and P2
             EffectsRow{"sm_52", "P2R R0, PR, RZ, 0x3", "P0 P1", "R0"},
         })
        expect_effects(row);
}

TEST(Effects, CarryTheCarryFlagOrPredicate) {
    for (const auto& row : {
             EffectsRow{"sm_52", "IADD R14.CC, R9, R14", "R9 R14", "R14 CC"},
             EffectsRow{"sm_52", "IADD RZ.CC, R9, R14", "R9 R14", "CC"},
             EffectsRow{"sm_52", "IADD.X R5, RZ, R5", "R5 CC", "R5"},
             EffectsRow{"sm_75", "IADD3 R4, P0, R2, UR4, RZ", "R2 UR4", "R4 P0"},
             EffectsRow{"sm_75", "IMAD.X R5, RZ, RZ, UR4, P0", "P0 UR4", "R5"},
             EffectsRow{"sm_120", "IADD3 R8, PT, PT, R6.reuse, 0x1, RZ", "R6", "R8"},
             EffectsRow{"sm_75", "LEA R2, P0, R0, c[0x0][0x160], 0x2", "R0", "R2 P0"},
             EffectsRow{"sm_100", "VIMNMX R4, P0, PT, R2, R3, P1", "R2 R3 P1", "R4 P0"},
         })
        expect_effects(row);
}

TEST(Effects, ExpandRegisterGroups) {
    for (const auto& row : {
             EffectsRow{"sm_52", "LDG.E.64 R4, [R8]", "R8 R9", "R4 R5"},
             EffectsRow{"sm_70", "LDG.E.128.SYS R4, [R8]", "R8 R9", "R4 R5 R6 R7"},
             EffectsRow{"sm_52", "LDG R4, [R8]", "R8", "R4"},
             EffectsRow{"sm_70", "LDS.U.128 R4, [R8]", "R8", "R4 R5 R6 R7"},
             EffectsRow{"sm_70", "STS.64 [R8], R4", "R4 R5 R8", ""},
             EffectsRow{"sm_70", "DFMA R2, R4, R6, R8", "R4 R5 R6 R7 R8 R9", "R2 R3"},
             EffectsRow{"sm_70", "DSETP.GT.AND P0, PT, R2, R4, PT", "R2 R3 R4 R5", "P0"},
             EffectsRow{"sm_70", "IMAD.WIDE R2, R4, R5, R6", "R4 R5 R6 R7", "R2 R3"},
             EffectsRow{"sm_70", "IMAD.WIDE.U32 R2, P0, R4, R5, R6", "R4 R5 R6 R7", "R2 R3 P0"},
             EffectsRow{"sm_70", "IMAD.WIDE R2, R4, R5, c[0x0][0x160]", "R4 R5", "R2 R3"},
             EffectsRow{"sm_70", "CS2R R2, SR_CLOCKLO", "", "R2 R3"},
             EffectsRow{"sm_70", "CS2R.32 R2, SR_CLOCKLO", "", "R2"},
             EffectsRow{"sm_52", "CS2R R2, SR_CLOCKLO", "", "R2"},
             EffectsRow{"sm_52", "F2F.F64.F32 R2, R4", "R4", "R2 R3"},
             EffectsRow{"sm_52", "F2F.F32.F64 R2, R4", "R4 R5", "R2"},
             EffectsRow{"sm_70", "F2I.F64 R2, R4", "R4 R5", "R2"},
             EffectsRow{"sm_70", "I2F.F64 R2, R4", "R4", "R2 R3"},
             EffectsRow{"sm_70", "FRND.F64 R2, R4", "R4 R5", "R2 R3"},
             EffectsRow{"sm_75", "ULDC.64 UR4, c[0x0][0x118]", "", "UR4 UR5"},
             EffectsRow{"sm_120", "IADD.64 R8, R2, UR8", "R2 R3 UR8 UR9", "R8 R9"},
             EffectsRow{"sm_120", "UIADD3.64 UR4, UPT, UPT, UR4, 0x4, URZ", "UR4 UR5", "UR4 UR5"},
             EffectsRow{"sm_120", "ISETP.GE.S64.AND P0, PT, R10, UR8, PT", "R10 R11 UR8 UR9", "P0"},
             EffectsRow{"sm_120", "UISETP.NE.U64.AND UP0, UPT, UR4, URZ, UPT", "UR4 UR5", "UP0"},
             EffectsRow{"sm_70", "LDG.E.128 R252, [R8]", "R8 R9", "R252 R253 R254"}, // R255 is RZ
         })
        expect_effects(row);
}

TEST(Effects, OfStoresAndAtomicsReadTheirData) {
    for (const auto& row : {
             EffectsRow{"sm_52", "STG.E.128 [R8], R4", "R4 R5 R6 R7 R8 R9", ""},
             EffectsRow{"sm_52", "RED.E.ADD [R8], R4", "R4 R8 R9", ""},
             EffectsRow{"sm_52", "ATOM.E.ADD R0, [R8], R4", "R4 R8 R9", "R0"},
             EffectsRow{"sm_52", "RED.E.ADD.F64.RN [R8], R4", "R4 R5 R8 R9", ""},
             // Up to Pascal the compared and the new value are one group.
             EffectsRow{"sm_52", "ATOM.E.CAS R0, [R8], R4", "R4 R5 R8 R9", "R0"},
             EffectsRow{"sm_70", "ATOM.E.CAS.STRONG.GPU PT, R0, [R8], R4, R5", "R4 R5 R8 R9", "R0"},
         })
        expect_effects(row);
}

TEST(Effects, OfAddressesReadPairsAndDescriptors) {
    for (const auto& row : {
             EffectsRow{"sm_90", "LDG.E R2, desc[UR6][R2.64]", "R2 R3 UR6 UR7", "R2"},
             EffectsRow{"sm_75", "LDS R4, [R13+UR5]", "R13 UR5", "R4"},
             EffectsRow{"sm_52", "LDL R4, [R1+0x10]", "R1", "R4"},
         })
        expect_effects(row);
}

TEST(Effects, FindTheDescriptorThatCuda11DoesNotPrint) {
    // LDG: bits 32-37 of the low word, here 6; STG: low 6 bits of the high word, here 6.
    const auto function =
        only_function(cuobjdump("sm_90", "/*0000*/ LDG.E R2, [R2.64] ; /* 0x0000000602027981 */\n"
                                         "/* 0x000f22000c1e1900 */\n"
                                         "/*0010*/ STG.E [R4.64], R7 ; /* 0x0000000704007986 */\n"
                                         "/* 0x000fe2000c101906 */\n"));
    const auto load = effects_of(function.instructions[0], function.target);
    EXPECT_EQ(names(load.reads), "R2 R3 UR6 UR7");
    EXPECT_TRUE(load.exact);
    const auto store = effects_of(function.instructions[1], function.target);
    EXPECT_EQ(names(store.reads), "R4 R5 R7 UR6 UR7");
    EXPECT_TRUE(store.exact);
}

TEST(Effects, AreNotExactWhereTheHiddenDescriptorIsNotKnown) {
    const auto instruction = bare_instruction("LDG.E R2, [R2.64]", "sm_80");
    EXPECT_FALSE(effects_of(instruction, Target{80}).exact);
}

TEST(Effects, OfControlTransfersWriteNothing) {
    for (const auto& row : {
             EffectsRow{"sm_70", "RET.REL.NODEC R6 0x0", "R6 R7", ""},
             EffectsRow{"sm_70", "BRX R6 -0x1c0", "R6 R7", ""},
             EffectsRow{"sm_52", "BRX R6 -0x1c0", "R6", ""},
             EffectsRow{"sm_70", "@P0 EXIT", "P0", ""},
             EffectsRow{"sm_70", "BSSY B1, 0x0", "", "B1"},
             EffectsRow{"sm_70", "BSYNC B1", "B1", ""},
             EffectsRow{"sm_70", "BREAK B1", "B1", "B1"},
             EffectsRow{"sm_70", "BMOV.32 B2, R3", "R3", "B2"},
             EffectsRow{"sm_70", "BMOV.32.CLEAR R3, B2", "B2", "R3 B2"},
         })
        expect_effects(row);
}

// What ptxas 13.0 writes for tex1Dfetch, tex2D, tex3D, .. of float4, float2 and float.
TEST(Effects, OfTexturesFollowFromMaskAndDimensions) {
    for (const auto& row : {
             EffectsRow{"sm_75", "TLD.SCR.LZ RZ, R5, R0, 0x0, 0x5a, 1D, 0x1", "R0", "R5"},
             EffectsRow{"sm_75", "TLD.SCR.LZ RZ, R4, R0, 0x0, 0x5a, 1D, 0x3", "R0", "R4 R5"},
             EffectsRow{"sm_75", "TEX.SCR.LL R6, R4, R4, R8, 0x0, 0x5a, 2D", "R4 R5 R8",
                        "R4 R5 R6 R7"},
             EffectsRow{"sm_75", "TEX.SCR.LL R0, R4, R4, R8, 0x0, 0x5a, 2D, 0xe", "R4 R5 R8",
                        "R0 R4 R5"},
             EffectsRow{"sm_75", "TEX.SCR.LL R6, R4, R4, R6, 0x0, 0x5a, 3D", "R4 R5 R6 R7",
                        "R4 R5 R6 R7"},
             EffectsRow{"sm_75", "TEX.SCR.LZ R6, R4, R4, R5, 0x0, 0x5a, 2D", "R4 R5",
                        "R4 R5 R6 R7"},
             EffectsRow{"sm_75", "TEX.SCR.F16.RN.LL R4, R5, R4, R8, 0x0, 0x5a, 2D", "R4 R5 R8",
                        "R4 R5"},
             EffectsRow{"sm_75", "TEX.SCR.LL P0, RZ, R4, R4, R8, 0x0, 0x5a, 2D, 0x9", "R4 R5 R8",
                        "R4 R5 P0"},
             EffectsRow{"sm_75", "TEX.LL R6, R4, R4, R0, 0x0, 0x5a, ARRAY_CUBE", "R0 R4 R5 R6 R7",
                        "R4 R5 R6 R7"},
             EffectsRow{"sm_90", "TEX.LL R6, R4, R12, R5, UR4, 0x0, CUBE", "R5 R12 R13 R14 UR4 UR5",
                        "R4 R5 R6 R7"},
             EffectsRow{"sm_90", "TEX.LL.AOFFI.DC R6, R4, R4, R12, UR4, 0x0, 2D",
                        "R4 R5 R12 R13 R14 UR4 UR5", "R4 R5 R6 R7"},
             EffectsRow{"sm_86", "TEX.B.LL R10, R8, R8, R6, 3D", "R6 R7 R8 R9 R10",
                        "R8 R9 R10 R11"},
             EffectsRow{"sm_75", "TLD.SCR.B.LZ RZ, R11, R13, R10, 1D, 0x1", "R10 R13", "R11"},
             EffectsRow{"sm_75", "TLD.SCR.LZ.MS R4, R2, R6, R6, 0x0, 0x5a, 2D", "R6 R7",
                        "R2 R3 R4 R5"},
             EffectsRow{"sm_75", "TLD4.SCR.B R6, R4, R4, R5, 0x0, 0x5a, 2D", "R4 R5",
                        "R4 R5 R6 R7"},
             EffectsRow{"sm_75", "TLD4.SCR.B.B R10, R8, R6, R2, 2D", "R2 R6 R7", "R8 R9 R10 R11"},
             EffectsRow{"sm_90", "TLD4.R R6, R4, R4, UR4, 0x0, 2D", "R4 R5 UR4 UR5", "R4 R5 R6 R7"},
             EffectsRow{"sm_75", "TXD R10, R8, R4, R8, 0x0, 0x5a, ARRAY_2D",
                        "R4 R5 R6 R8 R9 R10 R11", "R8 R9 R10 R11"},
             EffectsRow{"sm_75", "TXD.B R14, R12, R8, R12, 2D", "R8 R9 R10 R12 R13 R14 R15",
                        "R12 R13 R14 R15"},
             EffectsRow{"sm_75", "TXQ RZ, R5, R0, TEX_HEADER_DIMENSION, 0x0, 0x5a, 0x1", "R0",
                        "R5"},
             EffectsRow{"sm_75", "TXQ.B RZ, R7, R6, TEX_HEADER_DIMENSION, 0x1", "R6 R7", "R7"},
         })
        expect_effects(row);
}

TEST(Effects, OfSurfacesReadCoordinatesAndMoveTheirWidth) {
    for (const auto& row : {
             EffectsRow{"sm_75", "SULD.D.BA.1D.STRONG.CTA.TRAP R5, [R0], 0x0, 0x5a", "R0", "R5"},
             EffectsRow{"sm_75", "SULD.D.BA.3D.64.STRONG.CTA.TRAP R6, [R4], 0x0, 0x5a", "R4 R5 R6",
                        "R6 R7"},
             EffectsRow{"sm_75", "SULD.D.BA.2D.STRONG.CTA.TRAP R0, [R4], R2", "R2 R4 R5", "R0"},
             EffectsRow{"sm_90", "SUST.D.BA.2D.128.STRONG.SM.TRAP [R4], R8, UR4, 0x0",
                        "R4 R5 R8 R9 R10 R11 UR4 UR5", ""},
             EffectsRow{"sm_75", "SUST.D.BA.2D.STRONG.CTA.TRAP [R8], R7, R2", "R2 R7 R8 R9", ""},
             EffectsRow{"sm_75", "SUST.D.BA.2D_ARRAY.U16.STRONG.CTA.TRAP [R4], R2, 0x0, 0x5a",
                        "R2 R4 R5 R6", ""},
             EffectsRow{"sm_75", "SUST.P.2D.STRONG.CTA.RG.TRAP [R6], R4, 0x0, 0x5a", "R4 R5 R6 R7",
                        ""},
             EffectsRow{"sm_75", "SURED.D.BA.2D.ADD.U64.STRONG.SYS.TRAP [R4], R2, 0x0, 0x5a",
                        "R2 R3 R4 R5", ""},
         })
        expect_effects(row);
    const auto effects =
        effects_of(bare_instruction("SUST.D.BA.2D.128.STRONG.SM.TRAP [R4], R8, UR4, 0x0", "sm_90"),
                   Target{90});
    ASSERT_TRUE(effects.memory);
    EXPECT_EQ(effects.memory->space, StateSpace::Texture);
    EXPECT_TRUE(effects.memory->store && !effects.memory->load);
    EXPECT_EQ(effects.memory->bytes_per_lane, 16);
}

TEST(Effects, NameEveryRegisterWhereTheFormIsNotKnown) {
    for (const char* statement :
         {"HMMA.884.F32.F32 R4, R8, R12, R4", "HMMA.SP.16816.F32 R4, R8, R12, R4, R16, 0x0",
          "TEX R4, R8, 0x0, 2D", "TEX.LL.FOO R6, R4, R4, R8, UR4, 0x0, 2D", "FROB R4, R8",
          "HGMMA.64x64x16.F32 R24, gdesc[UR4], R24", "MATCH.ALL PT, R4, R8",
          "LDG.E.256 R8, desc[UR4][R4.64]", "FFMA2 R4, R8, R10, R12", "DFMA R3, R4, R6, R8",
          "FOO R4, [R8.X4.Y+P0]"}) {
        const auto effects = effects_of(bare_instruction(statement, "sm_120"), Target{120});
        EXPECT_FALSE(effects.exact) << statement;
    }
    const auto effects = effects_of(bare_instruction("FROB R4, R8", "sm_90"), Target{90});
    EXPECT_EQ(names(effects.reads), "R4 R8");
    EXPECT_EQ(names(effects.writes), "R4 R8");
}

// PTX ISA, matrix fragments of mma: the 32 lanes share each tile evenly.
TEST(Effects, OfMatrixInstructionsFollowFromTheirTiles) {
    const auto both = [](const char* statement) {
        const auto effects = effects_of(bare_instruction(statement, "sm_80"), Target{80});
        EXPECT_TRUE(effects.exact && effects.writes_known) << statement;
        return names(effects.reads) + " -> " + names(effects.writes);
    };
    EXPECT_EQ(both("HMMA.16816.F32 R4, R8, R12, R4"),
              "R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 -> R4 R5 R6 R7");
    EXPECT_EQ(both("HMMA.1688.F32.TF32 R4, R8, R12, RZ"), "R8 R9 R10 R11 R12 R13 -> R4 R5 R6 R7");
    EXPECT_EQ(both("HMMA.16816.F32.BF16 R4, R8, R12, RZ"), "R8 R9 R10 R11 R12 R13 -> R4 R5 R6 R7");
    EXPECT_EQ(both("IMMA.8816.S8.S8 R2, R8.ROW, R12.COL, R2"), "R2 R3 R8 R12 -> R2 R3");
    EXPECT_EQ(both("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4"),
              "R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 -> R4 R5 R6 R7");
    EXPECT_EQ(both("DMMA.884 R4, R2, R6, R4"), "R2 R3 R4 R5 R6 R7 -> R4 R5 R6 R7");
    EXPECT_EQ(both("LDSM.16.M88.4 R4, [R8]"), "R8 -> R4 R5 R6 R7");
    EXPECT_EQ(both("LDSM.16.MT88.2 R4, [R8]"), "R8 -> R4 R5");
}

// The descriptor of a 64-bit address is not printed: what it reads is not known, what it writes is.
TEST(Effects, MayKnowWhatIsWrittenOnly) {
    const auto copy = effects_of(bare_instruction("LDGSTS.E [R15], [R18.64]", "sm_80"), Target{80});
    EXPECT_FALSE(copy.exact);
    EXPECT_TRUE(copy.writes_known);
    EXPECT_EQ(names(copy.writes), "");
    const auto wide = effects_of(bare_instruction("LDG.E.256 R8, [R4]", "sm_120"), Target{120});
    EXPECT_FALSE(wide.writes_known);
}

TEST(Effects, IncludeTheMemoryAccess) {
    const auto load = effects_of(bare_instruction("LDG.E.128 R4, [R8]", "sm_70"), Target{70});
    ASSERT_TRUE(load.memory.has_value());
    EXPECT_EQ(load.memory->space, StateSpace::Global);
    EXPECT_TRUE(load.memory->load && !load.memory->store);
    EXPECT_EQ(load.memory->bytes_per_lane, 16); // 4 registers of 4 bytes
    const auto byte = effects_of(bare_instruction("STS.U8 [R8], R4", "sm_70"), Target{70});
    EXPECT_EQ(byte.memory->bytes_per_lane, 1);
    EXPECT_TRUE(
        effects_of(bare_instruction("S2R R0, SR_ClockLo", "sm_20"), Target{20}).reads_clock);
}

} // namespace
} // namespace warpbound::assembly
