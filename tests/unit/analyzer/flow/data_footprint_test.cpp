#include "analyzer/flow/data_footprint.hpp"
#include "assembly/isa/reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::analyzer {
namespace {

/// i is the index of the thread in the grid; R6 holds 4.
const std::string own_index = "S2R R2, SR_CTAID.X;\nS2R R3, SR_TID.X;\n"
                              "IMAD R4, R2, c[0x0][0x0], R3;\nMOV R6, 0x4;\n";
const std::string leaves_beyond_limit = "ISETP.GE.AND P0, PT, R4, c[0x0][0x178], PT;\n@P0 EXIT;\n";

std::string load(const std::string& pointer, const std::string& modifiers = ".CONSTANT",
                 const std::string& guard = "") {
    return guard + "IMAD.WIDE R8, R4, R6, c[0x0][" + pointer + "];\n" + guard + "LDG.E" +
           modifiers + ".SYS R10, [R8];\n";
}
std::string store(const std::string& pointer) {
    return "IMAD.WIDE R8, R4, R6, c[0x0][" + pointer + "];\nSTG.E.SYS [R8], R10;\n";
}

LoadedData loaded(const std::string& body, const std::string& words,
                  const models::FlowFacts& facts = {}) {
    const auto program =
        assembly::read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const auto launch = models::parse_launch("16x256,grid=16" + words).value();
    return least_loaded_data(function, graph, launch, facts, {32, 128});
}

// 4,096 elements of 4 bytes are 512 sectors in 128 lines.
TEST(DataFootprint, WithoutStoresIsAllThatIsTouched) {
    const LoadedData data = loaded(own_index + load("0x160", "") + "EXIT;\n", "");
    EXPECT_EQ(data.units, (std::array<std::int64_t, 2>{512, 128}));
    EXPECT_FALSE(data.trusts_read_only);
    EXPECT_FALSE(data.trusts_buffers);
}

TEST(DataFootprint, BesideStoresIsWhatIsReadOnlyAndCovered) {
    const LoadedData data = loaded(own_index + load("0x160") + store("0x168") + "EXIT;\n", "");
    EXPECT_EQ(data.units, (std::array<std::int64_t, 2>{511, 127}));
    EXPECT_TRUE(data.trusts_read_only);
    EXPECT_EQ(loaded(own_index + load("0x160", "") + store("0x168") + "EXIT;\n", "").units[0], 0);
}

TEST(DataFootprint, OfDisjointBuffersThatAreNotStoredToIsTheirSum) {
    const std::string body =
        own_index + load("0x160") + load("0x168", "") + store("0x170") + "EXIT;\n";
    EXPECT_EQ(loaded(body, "").units[0], 511); // Both may be one buffer.
    const LoadedData data =
        loaded(body, ",0x160=disjoint:256,0x168=disjoint:256,0x170=disjoint:256");
    EXPECT_EQ(data.units[0], 1024);
    EXPECT_TRUE(data.trusts_buffers);
    EXPECT_FALSE(data.trusts_read_only);
    // A store of unknown target may be to either.
    EXPECT_EQ(loaded(body, ",0x160=disjoint:256,0x168=disjoint:256").units[0], 511);
    // In place: the first load may find what another thread stored.
    EXPECT_EQ(
        loaded(own_index + load("0x160", "") + store("0x160") + "EXIT;\n", ",0x160=disjoint:256")
            .units[0],
        0);
}

TEST(DataFootprint, CountsBlocksWhoseThreadsAllLoad) {
    const std::string body = own_index + leaves_beyond_limit + load("0x160") + "EXIT;\n";
    EXPECT_EQ(loaded(body, ",0x178=4096").units[0], 512);
    EXPECT_EQ(loaded(body, ",0x178=4095").units[0], 480); // All blocks but the last one.
    EXPECT_EQ(loaded(body, "").units[0], 0);
    const std::string inner = own_index + "ISETP.LT.AND P0, PT, R4, 0x1, PT;\n@P0 EXIT;\n" +
                              leaves_beyond_limit + load("0x160") + "EXIT;\n";
    EXPECT_EQ(loaded(inner, ",0x178=4095").units[0], 448); // Without the first one, too.
    const std::string guarded = own_index + "ISETP.GE.AND P0, PT, R4, c[0x0][0x178], PT;\n" +
                                load("0x160", ".CONSTANT", "@!P0 ") + "EXIT;\n";
    EXPECT_EQ(loaded(guarded, ",0x178=4096").units[0], 512);
    EXPECT_EQ(loaded(guarded, ",0x178=3900").units[0], 480);
}

TEST(DataFootprint, CountsLoadsOfOneAddressOnSeveralPaths) {
    const std::string branch = own_index + "LOP3.LUT R5, R3, 0x1, RZ, 0xc0, !PT;\n"
                                           "ISETP.NE.U32.AND P1, PT, R5, 0x1, PT;\n@P1 BRA A;\n";
    const std::string both =
        branch + load("0x160") + "EXIT;\nA:\nNOP;\n" + load("0x160") + "EXIT;\n";
    EXPECT_EQ(loaded(both, "").units[0], 512);
    EXPECT_EQ(loaded(branch + load("0x160") + "EXIT;\nA:\nEXIT;\n", "").units[0], 0);
}

TEST(DataFootprint, LeavesOutAccessesWhoseLevelIsStated) {
    models::FlowFacts facts;
    models::MemoryFact fact;
    fact.at = 0x50;
    fact.level = models::MemoryLevel::L1;
    const std::string body = own_index + load("0x160", "") + "EXIT;\n";
    for (const std::int64_t at : {0x28, 0x50}) {
        fact.at = at;
        facts.memory.push_back(fact);
    }
    EXPECT_EQ(loaded(body, "", facts).units[0], 0);
}

TEST(DataFootprint, CountsNothingOfAddressesThatDataDecide) {
    const std::string body = own_index + load("0x160", "") +
                             "IMAD.WIDE R12, R10, R6, c[0x0][0x168];\nLDG.E.SYS R14, [R12];\n" +
                             "EXIT;\n";
    EXPECT_EQ(loaded(body, ",0x160=disjoint:256,0x168=disjoint:256").units[0], 512);
}

} // namespace
} // namespace warpbound::analyzer
