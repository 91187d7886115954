/// \file
/// How often the check finds that warps, and single threads, execute instructions (S85).

#include "assembly/isa/reader.hpp"
#include "certification/verify/flow/warp_execution.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound::certification::verify {
namespace {

using testing::ElementsAre;
using Counts = std::vector<std::optional<std::int64_t>>;

/// A kernel and its launch.
struct Launched {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::Launch launch;
    std::set<assembly::Register> of_others{};

    Launched(const std::string& body, const std::string& as)
        : launch{models::parse_launch(as).value()} {
        auto read = assembly::read_program(
            {"kernel", "!Arch sm_75\n!Kernel k\n" + body + "\n!EndKernel\n"});
        if (!read) throw std::runtime_error{to_string(read.error())};
        program = std::move(read).value();
        graph = assembly::build_control_flow_graph(program.functions.front()).value();
    }

    [[nodiscard]] std::array<std::int64_t, 3> extents() const {
        return extents_of_blocks(program.functions.front(), launch).value();
    }
    [[nodiscard]] WarpExecution execution() const {
        return {program.functions.front(), graph, launch, of_others};
    }
    /// Of each warp, for the instruction at this index.
    [[nodiscard]] Counts possible(std::size_t instruction) const {
        Counts counts;
        for (std::int64_t first = 0; first < launch.threads; first += 32)
            counts.push_back(
                execution().most(indices_between(first, first + 31, extents()))[instruction]);
        return counts;
    }
    [[nodiscard]] std::int64_t certain(std::size_t instruction, std::int64_t thread) const {
        ThreadIndices indices = indices_between(thread, thread, extents());
        indices.is_one_thread = true;
        return execution().least(indices, 4096)[instruction];
    }
};

/// Threads below a limit that is halved from 64 on.
const std::string tree = "S2R R0, SR_TID.X ?trans6; MOV R3, 0x40 ?trans6; "
                         "L: ISETP.GE.AND P1, PT, R0, R3, PT ?trans6; "
                         "@!P1 LDS R4, [R1] ?trans6; SHF.R.U32.HI R3, RZ, 0x1, R3 ?trans6; "
                         "ISETP.NE.AND P2, PT, R3, RZ, PT ?trans6; @P2 BRA L ?trans6; "
                         "EXIT ?trans6;";

TEST(WarpExecution, FollowsTheLimitOfATree) {
    const Launched launched{tree, "1x128"};
    EXPECT_THAT(launched.possible(3), ElementsAre(7, 1, 0, 0));
    EXPECT_EQ(launched.certain(3, 0), 7);
    EXPECT_EQ(launched.certain(3, 16), 2);
    EXPECT_EQ(launched.certain(3, 32), 1);
    EXPECT_EQ(launched.certain(3, 64), 0);
    EXPECT_EQ(launched.certain(4, 64), 7);
}

// Nothing is known of a limit that lanes may write while others are elsewhere.
TEST(WarpExecution, KnowsNothingOfWhatOtherLanesWrite) {
    Launched launched{"S2R R0, SR_TID.X ?trans6; UMOV UR4, 0x20 ?trans6; "
                      "ISETP.GE.AND P1, PT, R0, UR4, PT ?trans6; @!P1 LDS R4, [R1] ?trans6; "
                      "EXIT ?trans6;",
                      "1x64"};
    EXPECT_THAT(launched.possible(3), ElementsAre(1, 0));
    EXPECT_EQ(launched.certain(3, 0), 1);
    launched.of_others = {{assembly::RegisterFile::Uniform, 4}};
    EXPECT_THAT(launched.possible(3), ElementsAre(1, 1));
    EXPECT_EQ(launched.certain(3, 0), 0);
}

TEST(WarpExecution, LeavesOutWhatIsBehindAnEnd) {
    const Launched launched{"S2R R0, SR_TID.X ?trans6; ISETP.NE.AND P0, PT, R0, RZ, PT ?trans6; "
                            "@P0 EXIT ?trans6; LDS R4, [R1] ?trans6; EXIT ?trans6;",
                            "9x96,grid=9,block=96"};
    EXPECT_THAT(launched.possible(3), ElementsAre(1, 0, 0));
    EXPECT_EQ(launched.certain(3, 0), 1);
    EXPECT_EQ(launched.certain(3, 1), 0);
}

// Warps of two rows of 16 threads each.
TEST(WarpExecution, KnowsTheRowsOfAWarp) {
    const std::string rows = "S2R R0, SR_TID.Y ?trans6; ISETP.LT.AND P0, PT, R0, 0x3, PT ?trans6; "
                             "@P0 LDS R4, [R1] ?trans6; EXIT ?trans6;";
    EXPECT_THAT(Launched(rows, "1x128,block=16x8").possible(2), ElementsAre(1, 1, 0, 0));
}

TEST(WarpExecution, CountsNothingInALoopWithoutABound) {
    const Launched launched{
        "S2R R0, SR_TID.X ?trans6; LDG.E R5, [R2] ?trans6; "
        "L: ISETP.GE.AND P1, PT, R0, R5, PT ?trans6; @!P1 LDS R4, [R1] ?trans6; "
        "IADD3 R5, R5, -0x3, RZ ?trans6; ISETP.NE.AND P2, PT, R5, RZ, PT ?trans6; "
        "@P2 BRA L ?trans6; ISETP.LT.AND P3, PT, R0, 0x20, PT ?trans6; @P3 LDS R4, [R1] ?trans6; "
        "EXIT ?trans6;",
        "1x64"};
    EXPECT_THAT(launched.possible(3), ElementsAre(std::nullopt, std::nullopt));
    EXPECT_THAT(launched.possible(8), ElementsAre(1, 0));
    EXPECT_EQ(launched.certain(0, 0), 1);
    EXPECT_EQ(launched.certain(3, 0), 0); // The loaded number may be any.
}

// What the loop leaves in R3 is that of any iteration.
TEST(WarpExecution, ForgetsWhatALoopWithoutABoundWrites) {
    const Launched launched{
        "S2R R0, SR_TID.X ?trans6; MOV R3, 0x40 ?trans6; LDG.E R5, [R2] ?trans6; "
        "L: IADD3 R3, R3, 0x1, RZ ?trans6; IADD3 R5, R5, -0x3, RZ ?trans6; "
        "ISETP.NE.AND P2, PT, R5, RZ, PT ?trans6; @P2 BRA L ?trans6; "
        "ISETP.LT.AND P3, PT, R3, 0x20, PT ?trans6; @P3 LDS R4, [R1] ?trans6; EXIT ?trans6;",
        "1x64"};
    EXPECT_THAT(launched.possible(8), ElementsAre(1, 1));
}

TEST(WarpExecution, TakesLoadedDataForAnything) {
    const Launched launched{"LDG.E R5, [R2] ?trans6; ISETP.LT.AND P0, PT, R5, 0x3, PT ?trans6; "
                            "@P0 LDS R4, [R1] ?trans6; EXIT ?trans6;",
                            "1x64"};
    EXPECT_THAT(launched.possible(2), ElementsAre(1, 1));
    EXPECT_EQ(launched.certain(2, 0), 0);
}

// A guard that may fail leaves the old number possible.
TEST(WarpExecution, JoinsWhatAGuardMayLeave) {
    const Launched launched{
        "S2R R0, SR_TID.X ?trans6; MOV R3, RZ ?trans6; ISETP.LT.AND P0, PT, R0, 0x10, PT ?trans6; "
        "@P0 MOV R3, 0x1 ?trans6; ISETP.EQ.AND P1, PT, R3, RZ, PT ?trans6; "
        "@P1 LDS R4, [R1] ?trans6; @!P1 LDS R4, [R1] ?trans6; EXIT ?trans6;",
        "1x64"};
    EXPECT_THAT(launched.possible(5), ElementsAre(1, 1));
    EXPECT_THAT(launched.possible(6), ElementsAre(1, 0));
}

} // namespace
} // namespace warpbound::certification::verify
