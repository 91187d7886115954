/// \file
/// What the exits of loops are computed from.
#include "assembly/flow/backward_slice.hpp"
#include "assembly/isa/reader.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace warpbound::assembly {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Found {
    std::vector<std::int64_t> constants;
    std::vector<std::int64_t> loads; ///< Addresses.
};

/// The sources of the only loop of a kernel of sm_75.
Found sources_of(const std::string& body) {
    const auto program =
        read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "\n!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    const Function& function = program.value().functions.front();
    const auto graph = build_control_flow_graph(function);
    EXPECT_TRUE(graph) << to_string(graph.error());
    EXPECT_EQ(graph.value().loops.size(), 1U);
    const SliceSources sources = exit_sources(function, graph.value(), graph.value().loops.front());
    Found found{{sources.constants.begin(), sources.constants.end()}, {}};
    for (const std::size_t load : sources.loads)
        found.loads.push_back(function.instructions[load].address);
    return found;
}

TEST(BackwardSlice, FindsTheArgumentThatACounterIsComparedWith) {
    const Found found =
        sources_of("MOV R0, RZ; L: IADD3 R0, R0, 0x1, RZ; FADD R7, R7, c[0x0][0x168];"
                   "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT; @!P0 BRA L; EXIT;");
    EXPECT_THAT(found.constants, ElementsAre(0x178));
    EXPECT_THAT(found.loads, IsEmpty());
}

TEST(BackwardSlice, FollowsValuesThroughRegistersAndBlocks) {
    const Found found =
        sources_of("MOV R1, c[0x0][0x170]; @P1 BRA M; IMAD R1, R1, c[0x0][0x174], RZ;"
                   "M: MOV R0, RZ; L: IADD3 R0, R0, 0x1, RZ; ISETP.GE.AND P0, PT, R0, R1, PT;"
                   "@!P0 BRA L; EXIT;");
    EXPECT_THAT(found.constants, ElementsAre(0x170, 0x174));
}

TEST(BackwardSlice, AnOverwrittenValueIsNoSource) {
    const Found found =
        sources_of("MOV R1, c[0x0][0x170]; MOV R1, c[0x0][0x174]; MOV R0, RZ;"
                   "L: IADD3 R0, R0, 0x1, RZ; ISETP.GE.AND P0, PT, R0, R1, PT; @!P0 BRA L;"
                   "MOV R2, c[0x0][0x180]; EXIT;");
    EXPECT_THAT(found.constants, ElementsAre(0x174));
}

TEST(BackwardSlice, AGuardedWriteKeepsWhatWasThereBefore) {
    const Found found =
        sources_of("MOV R1, c[0x0][0x170]; @P2 MOV R1, c[0x0][0x174]; MOV R0, RZ;"
                   "L: IADD3 R0, R0, 0x1, RZ; ISETP.GE.AND P0, PT, R0, R1, PT; @!P0 BRA L; EXIT;");
    EXPECT_THAT(found.constants, ElementsAre(0x170, 0x174));
}

TEST(BackwardSlice, LoadedDataEndsIt) {
    const Found found =
        sources_of("MOV R2, c[0x0][0x160]; MOV R3, c[0x0][0x164]; LDG.E R1, [R2]; MOV R0, RZ;"
                   "L: IADD3 R0, R0, 0x1, RZ; ISETP.GE.AND P0, PT, R0, R1, PT; @!P0 BRA L; EXIT;");
    EXPECT_THAT(found.constants, IsEmpty());
    EXPECT_THAT(found.loads, ElementsAre(0x20));
}

TEST(BackwardSlice, AnExitInTheLoopBelongsToIt) {
    const Found found =
        sources_of("MOV R0, RZ; L: IADD3 R0, R0, 0x1, RZ; ISETP.GE.AND P0, PT, R0,"
                   "c[0x0][0x160], PT; @P0 EXIT; ISETP.GE.AND P1, PT, R0, c[0x0][0x164], PT;"
                   "@!P1 BRA L; EXIT;");
    EXPECT_THAT(found.constants, ElementsAre(0x160, 0x164));
}

/// Addresses of the instructions that decide what is executed.
std::vector<std::int64_t> deciding(const std::string& body) {
    const auto program =
        read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "\n!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    const Function& function = program.value().functions.front();
    const auto graph = build_control_flow_graph(function);
    EXPECT_TRUE(graph) << to_string(graph.error());
    std::vector<std::int64_t> addresses;
    for (const auto& block : control_slice(function, graph.value()))
        for (const std::size_t i : block)
            addresses.push_back(function.instructions[i].address);
    return addresses;
}

TEST(ControlSlice, LeavesOutWhatARegisterHoldsForOtherUses) {
    EXPECT_THAT(deciding("MOV R1, 0x8; L: IADD3 R1, R1, -0x1, RZ; ISETP.NE.AND P0, PT, R1, RZ, PT;"
                         "FADD R2, R2, R2; FMUL R3, R2, R2; @P0 BRA L; MOV R1, R3; MOV R4, R1;"
                         "EXIT;"),
                ElementsAre(0x00, 0x10, 0x20));
}

TEST(ControlSlice, TakesAValueAndItsGuard) {
    EXPECT_THAT(deciding("MOV R1, 0x8; ISETP.EQ.AND P1, PT, R5, RZ, PT; @P1 MOV R1, R6;"
                         "ISETP.NE.AND P0, PT, R1, RZ, PT; @P0 EXIT; EXIT;"),
                ElementsAre(0x00, 0x10, 0x20, 0x30));
}

TEST(ControlSlice, EndsAtLoadsOfDataAndTakesTheirGuards) {
    EXPECT_THAT(deciding("MOV R2, R8; ISETP.EQ.AND P1, PT, R5, RZ, PT; @P1 LDG.E R1, [R2];"
                         "ISETP.NE.AND P0, PT, R1, RZ, PT; @P0 EXIT; EXIT;"),
                ElementsAre(0x10, 0x20, 0x30));
}

} // namespace
} // namespace warpbound::assembly
