#include "assembly/isa/opcode.hpp"
#include "listings.hpp"

#include <array>

namespace warpbound::assembly {
namespace {

TEST(OpcodeClass, IsReadFromTheNameThatItPrints) {
    for (int i = 0; i < opcode_class_count; ++i) {
        const auto opcode_class = static_cast<OpcodeClass>(i);
        EXPECT_EQ(parse_opcode_class(to_string(opcode_class)), opcode_class);
    }
    EXPECT_EQ(parse_opcode_class("integer"), std::nullopt);
}

TEST(OpcodeTable, KnowsClassesFromFermiToBlackwell) {
    struct Row {
        const char* mnemonic;
        OpcodeClass expected;
    };
    using enum OpcodeClass;
    constexpr std::array rows{
        Row{"IADD", IntegerAdd},
        Row{"IADD3", IntegerAdd},
        Row{"VIADDMNMX", IntegerAdd},
        Row{"XMAD", IntegerMultiply},
        Row{"IMAD", IntegerMultiply},
        Row{"LOP3", Logic},
        Row{"SHF", Shift},
        Row{"ISETP", IntegerCompare},
        Row{"FADD", FloatAdd},
        Row{"ADD", FloatAdd},
        Row{"MUL", FloatMultiply},
        Row{"MAD", FloatMultiplyAdd},
        Row{"FFMA", FloatMultiplyAdd},
        Row{"HFMA2", Half},
        Row{"DFMA", Double},
        Row{"MUFU", SpecialFunction},
        Row{"COS", SpecialFunction},
        Row{"F2F", Conversion},
        Row{"POPC", BitCount},
        Row{"HGMMA", Tensor},
        Row{"SHFL", Shuffle},
        Row{"UIADD3", Uniform},
        Row{"LDC", LoadConstant},
        Row{"LDS", LoadShared},
        Row{"ATOMS", AtomicShared},
        Row{"LDG", LoadGlobal},
        Row{"LD", LoadGlobal},
        Row{"STL", StoreLocal},
        Row{"BAR", Barrier},
        Row{"MEMBAR", MemoryFence},
        Row{"LDGDEPBAR", DependenceBarrier},
        Row{"BSSY", Reconvergence},
        Row{"BRA", Branch},
        Row{"EXIT", Exit},
        Row{"NANOSLEEP", Unknown},
        Row{"UTMALDG", Unknown},
    };
    for (const auto& row : rows) {
        const auto info = find_opcode(row.mnemonic);
        ASSERT_TRUE(info.has_value()) << row.mnemonic;
        EXPECT_EQ(info->opcode_class, row.expected) << row.mnemonic;
    }
    EXPECT_FALSE(find_opcode("FROBNICATE").has_value());
}

TEST(OpcodeTable, KnowsTheMemoryAccess) {
    EXPECT_EQ(find_opcode("LD")->space, StateSpace::Generic);
    EXPECT_EQ(find_opcode("LDG")->space, StateSpace::Global);
    EXPECT_TRUE(find_opcode("ATOM")->is_load && find_opcode("ATOM")->is_store);
    EXPECT_TRUE(!find_opcode("RED")->is_load && find_opcode("RED")->is_store);
    EXPECT_EQ(find_opcode("ULDC")->space, StateSpace::Constant);
    EXPECT_EQ(find_opcode("FADD")->space, StateSpace::None);
}

TEST(Classification, SeesTheClockInEverySpelling) {
    for (const char* name : {"SR_CLOCKLO", "SR_CLOCKHI", "SR_ClockLo", "SR_CLOCK", "SR_clocklo"})
        EXPECT_EQ(bare_instruction(std::string{"S2R R0, "} + name, "sm_20").opcode_class,
                  OpcodeClass::ClockRead)
            << name;
    EXPECT_EQ(bare_instruction("CS2R R2, SR_CLOCKLO", "sm_70").opcode_class,
              OpcodeClass::ClockRead);
    EXPECT_EQ(bare_instruction("S2R R0, SR_TID.X", "sm_70").opcode_class,
              OpcodeClass::SpecialRegister);
    EXPECT_EQ(bare_instruction("CS2R R0, SRZ", "sm_70").opcode_class, OpcodeClass::SpecialRegister);
}

TEST(Classification, TakesHandWrittenSpecialFunctions) {
    EXPECT_EQ(bare_instruction("MUFU.COS R1, R2", "sm_20").opcode_class,
              OpcodeClass::SpecialFunction);
    EXPECT_EQ(bare_instruction("COS R1, R2", "sm_20").opcode_class, OpcodeClass::SpecialFunction);
}

TEST(Classification, PopsAfterTheSuffixOfFermiAndKeplerOnly) {
    EXPECT_EQ(bare_instruction("NOP.S", "sm_20").control_flow, ControlFlow::PopReconvergence);
    EXPECT_EQ(bare_instruction("ST.E.WT.S [R2], R0", "sm_35").control_flow,
              ControlFlow::PopReconvergence);
    EXPECT_EQ(bare_instruction("FOO.S R0", "sm_52").control_flow, ControlFlow::None);
}

TEST(Classification, DoesNotGuessWhatAnUnknownOpcodeDoes) {
    EXPECT_EQ(bare_instruction("FROB R0, R1", "sm_90").control_flow, ControlFlow::None);
    EXPECT_EQ(bare_instruction("FROB R0, R1", "sm_90").opcode_class, OpcodeClass::Unknown);
    // It names a label, so it may transfer to it.
    const auto function = only_function("!Arch sm_90\nL:\nFROB R0, L;\nEXIT;\n");
    EXPECT_EQ(function.instructions.front().control_flow, ControlFlow::Unknown);
}

TEST(Classification, DoesNotGuessTheTargetOfAnAbsoluteOrIndirectTransfer) {
    EXPECT_EQ(bare_instruction("CALL.ABS.NOINC R20", "sm_70").control_flow,
              ControlFlow::ExternalCall);
    EXPECT_EQ(bare_instruction("CALL.ABS.NOINC 0x0", "sm_70").control_flow, ControlFlow::Unknown);
    EXPECT_EQ(bare_instruction("JMP c[0x0][0x20]", "sm_20").control_flow, ControlFlow::Unknown);
    EXPECT_EQ(bare_instruction("WARPSYNC.COLLECTIVE R15, 0x0", "sm_80").control_flow,
              ControlFlow::Unknown);
    EXPECT_EQ(bare_instruction("CALL.REL 0x0", "sm_70").control_flow, ControlFlow::Call);
    // No return can be reached.
    EXPECT_EQ(bare_instruction("CALL.REL.NOINC 0x0", "sm_70").control_flow, ControlFlow::Branch);
}

} // namespace
} // namespace warpbound::assembly
