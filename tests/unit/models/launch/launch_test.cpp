#include "models/launch/launch.hpp"

#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

TEST(Launch, ReadsBlocksAndThreads) {
    EXPECT_EQ(parse_launch("13x256").value(), (Launch{.blocks = 13, .threads = 256}));
    EXPECT_EQ(to_string(Launch{.blocks = 13, .threads = 256}), "13x256");
}

TEST(Launch, RoundsWarpsUp) {
    EXPECT_EQ((Launch{.blocks = 1, .threads = 33}).warps_per_block(), 2);
    EXPECT_EQ((Launch{.blocks = 1, .threads = 33}).warps_per_block(64), 1);
}

TEST(Launch, RefusesOtherText) {
    for (const char* const text :
         {"", "x", "1", "1x", "x32", "1x32x1", "-1x32", "+1x32", " 1x32", "1x32 ", "0x32", "1x0",
          "1x1025", "2147483648x1", "99999999999999999999x1", "1 x 32", "0x20x32"})
        EXPECT_FALSE(parse_launch(text).has_value()) << text;
}

TEST(Launch, StatesWhatItsBlocksAskFor) {
    const Launch launch{.blocks = 8, .threads = 256, .registers = 32, .shared_memory = 4096};
    EXPECT_EQ(to_string(launch), "8x256,registers=32,shared-memory=4096");
    EXPECT_EQ(parse_launch(to_string(launch)).value(), launch);
    EXPECT_EQ(parse_launch("8x256,shared-memory=4096,registers=32").value(), launch);
    EXPECT_EQ(parse_launch("8x256,shared-memory=0").value().shared_memory, 0);
}

TEST(Launch, StatesArgumentsOfTheKernel) {
    const Launch launch{.blocks = 2,
                        .threads = 64,
                        .arguments = {{0x160, {512, 32}}, {0x168, {0, 8}}, {0x170, {0, 9, true}}}};
    EXPECT_EQ(to_string(launch), "2x64,0x160=512,0x168=multiple:256,0x170=disjoint:512");
    EXPECT_EQ(parse_launch(to_string(launch)).value(), launch);
    EXPECT_EQ(parse_launch("2x64,0x160=-1").value().arguments.at(0x160).value, 0xffffffffU);
    for (const char* const text :
         {"1x32,0x160", "1x32,0x162=1", "1x32,0x160=", "1x32,0x160=4294967296",
          "1x32,0x160=-2147483649", "1x32,0x160=1,0x160=1", "1x32,0x168=multiple:3",
          "1x32,0x168=multiple:1", "1x32,0x10000=1", "1x32,0x160=1.5", "1x32,0x168=disjoint:128",
          "1x32,0x168=disjoint:"})
        EXPECT_FALSE(parse_launch(text).has_value()) << text;
}

TEST(Launch, RefusesOtherResources) {
    for (const char* const text :
         {"1x32,", "1x32,registers", "1x32,registers=", "1x32,registers=0", "1x32,registers=-1",
          "1x32,registers=65537", "1x32,shared-memory=1073741825", "1x32,barriers=1",
          "1x32,registers=8,registers=8", "1x32,registers=8,", "registers=8"})
        EXPECT_FALSE(parse_launch(text).has_value()) << text;
}

TEST(Launch, HasTheShapesThatItStates) {
    const Launch launch = parse_launch("4096x256,block=16x16,grid=64x64").value();
    EXPECT_EQ(launch.shape, (BlockShape{{16, 16, 1}}));
    EXPECT_EQ(launch.grid, (GridShape{{64, 64, 1}}));
    EXPECT_EQ(to_string(launch), "4096x256,block=16x16,grid=64x64");
    for (const char* const text : {"4x32,grid=5", "4x32,grid=2x2,grid=4",
                                   "4x32,grid=", "4x32,grid=2x2x1x1", "4x32,grid=0x4"})
        EXPECT_FALSE(parse_launch(text).has_value()) << text;
}

TEST(GridShape, IsReadWithCrossesOrCommas) {
    EXPECT_EQ(parse_grid_shape("8,4,2").value(), (GridShape{{8, 4, 2}}));
    EXPECT_EQ(parse_grid_shape("8x4").value(), (GridShape{{8, 4, 1}}));
    EXPECT_EQ(parse_grid_shape("2147483647").value().count(), 2'147'483'647);
    EXPECT_EQ(parse_block_shape("16,16").value(), (BlockShape{{16, 16, 1}}));
    // Limits of CUDA's grids, and of their product.
    for (const char* const text :
         {"", ",", "8,", "1,65536", "1,1,65536", "65536,65535", "4294967296,4294967296", "-1"})
        EXPECT_FALSE(parse_grid_shape(text).has_value()) << text;
}

TEST(Launch, NamesWhatWasExpected) {
    EXPECT_EQ(parse_launch("1x32,registers=a").error().what,
              "registers=a in a launch; expected one number 1 to 65536, once");
    EXPECT_EQ(parse_launch("1x2000").error().what, "a block of 2000 threads; expected 1 to 1024");
}

} // namespace
} // namespace warpbound::models
