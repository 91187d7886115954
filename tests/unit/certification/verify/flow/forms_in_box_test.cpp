// Affine forms of registers for all threads of a box (docs/theory, S79), as the verifier follows
// them.

#include "assembly/isa/reader.hpp"
#include "certification/verify/flow/forms_in_box.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::certification::verify {
namespace {

/// Forms before the last instruction, of 4 blocks of 64 threads whose parameters begin at 0x160.
class Followed {
public:
    explicit Followed(const std::string& body, const std::string& words = "")
        : program_{read(body)}, graph_{assembly::build_control_flow_graph(function()).value()},
          stated_{models::parse_launch("4x64,grid=4" + words).value()},
          launch_{function(), stated_}, box_{{0, 0, 0, 0, 0, 0}, {63, 0, 0, 3, 0, 0}},
          ways_{WarpExecution{function(), graph_, stated_, {}}.ways(box_)}, forms_{function(),
                                                                                   graph_, launch_,
                                                                                   box_, ways_} {}

    /// Of the register that the last instruction but EXIT reads.
    [[nodiscard]] std::optional<AffineForm> last() const {
        std::optional<AffineForm> form;
        forms_.visit(
            [&](std::size_t, const assembly::Instruction& instruction, const FormReader& reader) {
                if (instruction.mnemonic == "STG")
                    form = reader.number(instruction.operands.back());
            });
        return form;
    }
    /// Whether each thread that ends executes the block with the store.
    [[nodiscard]] bool all_store() const {
        std::vector<bool> blocks(graph_.blocks.size(), false);
        forms_.visit(
            [&](std::size_t block, const assembly::Instruction& instruction, const FormReader&) {
                if (instruction.mnemonic == "STG") blocks[block] = true;
            });
        return forms_.all_ends_lie_behind(blocks, ways_);
    }

private:
    static assembly::Program read(const std::string& body) {
        return assembly::read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "!EndKernel\n"})
            .value();
    }
    [[nodiscard]] const assembly::Function& function() const { return program_.functions.front(); }

    assembly::Program program_;
    assembly::ControlFlowGraph graph_;
    models::Launch stated_;
    LaunchValues launch_;
    ThreadBox box_;
    PossibleWays ways_;
    FormsInBox forms_;
};

AffineForm form(std::uint32_t of_thread, std::uint32_t of_block, std::uint32_t constant) {
    AffineForm made;
    made.factors = {of_thread, 0, 0, of_block, 0, 0};
    made.constant = constant;
    return made;
}

const std::string indices = "S2R R2, SR_CTAID.X;\nS2R R3, SR_TID.X;\n";
const std::string end = "STG.E.SYS [R30], R4;\nEXIT;\n";

TEST(FormsInBox, FollowSumsProductsAndShifts) {
    EXPECT_EQ(Followed(indices + "IMAD R4, R2, c[0x0][0x0], R3;\n" + end).last(), form(1, 64, 0));
    EXPECT_EQ(Followed(indices + "IMAD.WIDE.U32 R4, R3, 0x4, RZ;\n" + end).last(), form(4, 0, 0));
    EXPECT_EQ(Followed(indices + "LEA R4, R2, R3, 0x6;\n" + end).last(), form(1, 64, 0));
    EXPECT_EQ(Followed(indices + "SHF.L.U32 R4, R3, 0x2, RZ;\n" + end).last(), form(4, 0, 0));
    EXPECT_EQ(Followed(indices + "IADD3 R4, R3, -R2, 0x5;\n" + end).last(),
              form(1, ~std::uint32_t{0}, 5));
    EXPECT_EQ(Followed(indices + "HFMA2.MMA R4, -RZ, RZ, 0, 2.384185791015625e-07;\n" + end).last(),
              form(0, 0, 4));
    EXPECT_EQ(Followed(indices + "HFMA2.MMA R4, -RZ, RZ, 1.875, -3;\n" + end).last(),
              form(0, 0, 0x3f80c200));
    EXPECT_EQ(Followed("MOV R4, c[0x0][0x160];\n" + end, ",0x160=77").last(), form(0, 0, 77));
    EXPECT_EQ(Followed("MOV R4, c[0x0][0x160];\n" + end).last()->only_word(),
              (ConstantWord{0, 0x160}));
}

TEST(FormsInBox, KnowNothingOfWhatTheyDoNotFollow) {
    for (const char* unknown :
         {"IMAD R4, R2, R3, RZ;\n", "SHF.L.U32 R4, R3, 0x2, R3;\n",
          "SHF.R.U32.HI R4, RZ, 0x2, R3;\n", "LOP3.LUT R4, R3, 0x1, RZ, 0xc0, !PT;\n",
          "IADD3.X R4, R3, RZ, RZ, P0, !PT;\n", "LDG.E.SYS R4, [R2];\n", "MOV R4, R9;\n",
          "S2R R4, SR_LANEID;\n", "SEL R4, R2, R3, P0;\n", "S2UR UR4, SR_TID.X;\nMOV R4, UR4;\n",
          "MOV R4, R3;\n@P0 MOV R4, R2;\n", "HFMA2.MMA R4, -RZ, RZ, 0, 0.1;\n"})
        EXPECT_EQ(Followed(indices + unknown + end).last(), std::nullopt) << unknown;
}

TEST(FormsInBox, KeepWhatAllWaysHaveInCommon) {
    const std::string branch =
        indices + "ISETP.GE.AND P0, PT, R3, c[0x0][0x160], PT;\n@P0 BRA A;\n";
    EXPECT_EQ(Followed(branch + "MOV R4, R3;\nBRA B;\nA:\nMOV R4, R3;\nB:\n" + end).last(),
              form(1, 0, 0));
    EXPECT_EQ(Followed(branch + "MOV R4, R3;\nBRA B;\nA:\nMOV R4, R2;\nB:\n" + end).last(),
              std::nullopt);
    // The comparison leaves one of the two out.
    EXPECT_EQ(
        Followed(branch + "MOV R4, R3;\nBRA B;\nA:\nMOV R4, R2;\nB:\n" + end, ",0x160=64").last(),
        form(1, 0, 0));
    // Registers of the warp may be written by lanes on another way.
    EXPECT_EQ(Followed("UMOV UR4, 0x7;\nMOV R4, UR4;\n" + end).last(), form(0, 0, 7));
    EXPECT_EQ(Followed(indices +
                       "UMOV UR4, 0x7;\nISETP.GE.AND P0, PT, R3, 0x9, PT;\n@P0 EXIT;\n"
                       "MOV R4, UR4;\n" +
                       end)
                  .last(),
              std::nullopt);
}

TEST(FormsInBox, ForgetWhatALoopChanges) {
    const std::string counter = "MOV R5, RZ;\nMOV R4, R3;\nA:\nIADD3 R5, R5, 0x1, RZ;\n";
    const std::string again = "ISETP.GE.AND P0, PT, R5, 0x9, PT;\n@!P0 BRA A;\n";
    EXPECT_EQ(Followed(indices + counter + again + end).last(), form(1, 0, 0));
    EXPECT_EQ(Followed(indices + counter + "IADD3 R4, R4, 0x1, RZ;\n" + again + end).last(),
              std::nullopt);
}

TEST(FormsInBox, EndBehindAStoreWhereNoGuardLetsAThreadEndBefore) {
    const std::string limit = indices + "IMAD R4, R2, 0x40, R3;\n"
                                        "ISETP.GE.AND P0, PT, R4, c[0x0][0x160], PT;\n@P0 EXIT;\n";
    EXPECT_TRUE(Followed(limit + end, ",0x160=256").all_store());
    EXPECT_FALSE(Followed(limit + end, ",0x160=255").all_store());
    EXPECT_FALSE(Followed(limit + end).all_store());
    // As unsigned numbers -1 is not below 0; as signed ones it may wrap around.
    const std::string below = indices + "IADD3 R4, R3, -0x1, RZ;\n";
    EXPECT_FALSE(
        Followed(below + "ISETP.LT.U32.AND P0, PT, R4, 0x9, PT;\n@!P0 EXIT;\n" + end).all_store());
    EXPECT_TRUE(
        Followed(below + "ISETP.LT.AND P0, PT, R4, 0x3f, PT;\n@!P0 EXIT;\n" + end).all_store());
    // A conjunction of comparisons.
    const std::string two = indices + "ISETP.LT.AND P0, PT, R3, 0x40, PT;\n"
                                      "ISETP.LT.AND P0, PT, R2, c[0x0][0x160], P0;\n@!P0 EXIT;\n";
    EXPECT_TRUE(Followed(two + end, ",0x160=4").all_store());
    EXPECT_FALSE(Followed(two + end, ",0x160=3").all_store());
}

// Of numbers that forms do not follow: the execution of the box knows them.
TEST(FormsInBox, LeaveOutWaysThatTheExecutionOfTheBoxDoesNotTake) {
    const std::string counter = indices + "MOV R5, RZ;\nA:\nIADD3 R5, R5, 0x1, RZ;\n"
                                          "ISETP.GE.AND P0, PT, R5, 0x9, PT;\n@!P0 BRA A;\n";
    EXPECT_TRUE(
        Followed(counter + "ISETP.NE.AND P1, PT, R5, 0x9, PT;\n@P1 EXIT;\n" + end).all_store());
    EXPECT_FALSE(
        Followed(counter + "ISETP.NE.AND P1, PT, R5, 0x8, PT;\n@P1 EXIT;\n" + end).all_store());
    // Halves of a block: 64 threads are 0 and 1.
    const std::string half = indices + "SHF.R.U32.HI R5, RZ, 0x5, R3;\n"
                                       "ISETP.GT.AND P0, PT, R5, c[0x0][0x160], PT;\n@P0 EXIT;\n";
    EXPECT_TRUE(Followed(half + end, ",0x160=1").all_store());
    EXPECT_FALSE(Followed(half + end, ",0x160=0").all_store());
    EXPECT_FALSE(Followed(half + end).all_store());
    // The first iteration of a loop is not skipped, and the store in it not either.
    const std::string rows = indices + "MOV R5, R3;\nISETP.GE.AND P0, PT, R5, 0x80, PT;\n"
                                       "@P0 EXIT;\nA:\nSTG.E.SYS [R30], R4;\n"
                                       "IADD3 R5, R5, 0x40, RZ;\n"
                                       "ISETP.LT.AND P0, PT, R5, c[0x0][0x160], PT;\n"
                                       "@P0 BRA A;\nEXIT;\n";
    EXPECT_TRUE(Followed(rows).all_store());
    // A loop without a bound: anything may be in the register behind it.
    const std::string loaded = indices + "MOV R5, RZ;\nA:\nIADD3 R5, R5, 0x1, RZ;\n"
                                         "LDG.E.SYS R6, [R8];\nISETP.GE.AND P0, PT, R5, R6, PT;\n"
                                         "@!P0 BRA A;\nISETP.LT.AND P1, PT, R5, 0x1, PT;\n"
                                         "@P1 EXIT;\n";
    EXPECT_FALSE(Followed(loaded + end).all_store());
}

} // namespace
} // namespace warpbound::certification::verify
