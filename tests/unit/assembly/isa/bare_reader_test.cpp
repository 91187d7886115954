#include "listings.hpp"

namespace warpbound::assembly {
namespace {

TEST(BareListing, GetsAddressesInOrder) {
    const auto fermi = only_function("FADD R0, R1, R2; FADD R3, R4, R5\nEXIT");
    ASSERT_EQ(fermi.instructions.size(), 3U);
    EXPECT_EQ(fermi.target, Target{20});
    EXPECT_EQ(fermi.name, "kernel");
    EXPECT_EQ(fermi.instructions[2].address, 16); // 8 bytes each
    const auto hopper = only_function("!Arch sm_90\nNOP;\nEXIT;\n");
    EXPECT_EQ(hopper.instructions[1].address, 16); // 16 bytes each
}

TEST(BareListing, NamesItsTargetInEitherForm) {
    EXPECT_EQ(only_function("!Arch sm_52\nEXIT;").target, Target{52});
    EXPECT_EQ(only_function(".target sm_75\nEXIT;").target, Target{75});
}

TEST(BareListing, HoldsSeveralKernels) {
    const auto program = read_program(
        text_of("!Kernel a\n!Param 4 2\nEXIT;\n!EndKernel\n!Kernel b\nNOP\nEXIT\n!EndKernel\n"));
    ASSERT_TRUE(program.has_value());
    ASSERT_EQ(program.value().functions.size(), 2U);
    EXPECT_EQ(program.value().functions[1].name, "b");
    EXPECT_EQ(program.value().functions[1].instructions.size(), 2U);
    expect_round_trip(program.value());
}

TEST(BareListing, SkipsCommentsAndConstants) {
    const auto function = only_function("// text\nNOP; /* one; two\nthree */ EXIT; // end\n"
                                        "!Constant 0x10\n0x1, 0x2\n!EndConstant\n");
    ASSERT_EQ(function.instructions.size(), 2U);
    EXPECT_EQ(function.instructions[1].mnemonic, "EXIT");
}

TEST(BareListing, ResolvesLabelsBeforeAndAfter) {
    const auto function = only_function("L0: L1:\nISETP.EQ.AND P0, PT, R0, R1, PT;\n"
                                        "@P0 BRA L2;\nBRA L0;\n!Label L2\nEXIT;\n");
    const auto target = [&](std::size_t index) {
        return std::get<TargetOperand>(function.instructions[index].operands.front()).address;
    };
    EXPECT_EQ(target(1), 24);
    EXPECT_EQ(target(2), 0);
    ASSERT_TRUE(function.instructions[1].guard.has_value());
}

TEST(BareListing, NamesTheTargetsOfAnIndirectBranchAsNvdisasmDoes) {
    const auto function = only_function("A: BRX R6 -0x10 (*\"BRANCH_TARGETS B,A\"*);\nB: EXIT;\n");
    EXPECT_EQ(function.instructions[0].indirect_targets, (std::vector<std::int64_t>{8, 0}));
}

TEST(BareListing, SurvivesPrinting) {
    const auto program = read_program(
        text_of("!Arch sm_90\n!Kernel k\ntop:\nLDG.E R2, desc[UR4][R2.64+-0x10] &wr=0x0 ?trans2;\n"
                "@!P0 BRA top ?WAIT5_END_GROUP;\n@!PT FADD R0, -|R1|, c[0x0][R2+0x10];\n"
                "BRX R6 -0x10 (*\"BRANCH_TARGETS top,end\"*) ?trans5;\n"
                "RET.REL.NODEC R6 0x0;\nend:\nEXIT;\n!EndKernel\n"));
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    expect_round_trip(program.value());
}

TEST(BareListing, NeedsNoSemicolonAtAll) {
    EXPECT_EQ(only_function("NOP\nEXIT\n").instructions.size(), 2U);
}

} // namespace
} // namespace warpbound::assembly
