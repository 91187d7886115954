#include "listings.hpp"

namespace warpbound::assembly {
namespace {

constexpr const char* head = "\t.target\tsm_70\n"
                             "\t.section\t.nv.info.k,\"\",@\"SHT_CUDA_INFO\"\n"
                             "        /*0000*/ \t.byte\t0x04, 0x2f\n"
                             "\t.section\t.text.k,\"ax\",@progbits\n"
                             "\t.sectioninfo\t@\"SHI_REGISTERS=20\"\n"
                             "\t.align\t128\n"
                             "        .size           k,(.L_x_2 - k)\n"
                             "k:\n.text.k:\n";

TEST(Nvdisasm, ReadsLabelsDirectivesAndIndirectTargets) {
    const auto program =
        read_program(text_of(std::string{head} + "        /*0000*/ BSSY B0, `(.L_x_1) ;\n"
                                                 "        /*0010*/ BRX R6 -0x10 (*\"BRANCH_TARGETS "
                                                 ".L_x_0,.L_x_1\"*) ;\n"
                                                 ".L_x_0:\n        /*0020*/ NOP;\n"
                                                 ".L_x_1:\n        /*0030*/ EXIT ; // end\n"
                                                 ".L_x_2:\n"));
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    const Function& function = program.value().functions.front();
    EXPECT_EQ(function.name, "k");
    EXPECT_EQ(function.register_count, 20);
    EXPECT_EQ(function.instructions[1].indirect_targets, (std::vector<std::int64_t>{0x20, 0x30}));
    EXPECT_EQ(function.instructions[1].control_flow, ControlFlow::IndirectBranch);
    EXPECT_EQ(std::get<TargetOperand>(function.instructions[0].operands[1]).address, 0x30);
    EXPECT_EQ(function.instructions[0].encoding, std::nullopt);
    expect_round_trip(program.value());
}

TEST(Nvdisasm, IsRefusedWhenItEndsBeforeItsEndLabel) {
    const auto failure = refusal(std::string{head} + "        /*0000*/ EXIT ;\n");
    EXPECT_NE(failure.what.find(".L_x_2"), std::string::npos);
    EXPECT_EQ(failure.line, 11); // after the ten lines of the text
}

} // namespace
} // namespace warpbound::assembly
