#include "models/formulas/occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::occupancy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Occupancy found(const Block& block, const char* capability) {
    return resident(block, limits_of(capability).value()).value();
}

TEST(Occupancy, IsLimitedByRegistersWhenSharedMemoryIsFree) {
    EXPECT_THAT(found({.threads = 256, .registers_per_thread = 40}, "7.0").limiting(),
                ElementsAre(Resource::Registers));
}

// 20000 bytes are allocated as 20224; 65536 / 20224 = 3.
TEST(Occupancy, IsLimitedBySharedMemoryOnThePascalP100) {
    const auto result =
        found({.threads = 256, .registers_per_thread = 40, .shared_memory = 20000}, "6.0");
    EXPECT_EQ(result.shared_of_block, 20224);
    EXPECT_THAT(result.limiting(), ElementsAre(Resource::SharedMemory));
}

TEST(Occupancy, NamesEveryResourceThatLimits) {
    // 1024 / 64 = 16 blocks of 2 warps, and 16 blocks.
    EXPECT_THAT(found({.threads = 64}, "7.5").limiting(),
                ElementsAre(Resource::Warps, Resource::Blocks));
}

TEST(Occupancy, IsZeroForABlockThatCannotBeLaunched) {
    EXPECT_EQ(found({.threads = 1025}, "9.0").blocks, 0);
    EXPECT_EQ(found({.threads = 32, .registers_per_thread = 64}, "3.0").blocks, 0);
    EXPECT_EQ(found({.threads = 32, .shared_memory = 48 * 1024 + 1}, "5.2").blocks, 0);
    // 1024 threads of 65 registers: 32 warps of 2304 are 73728.
    EXPECT_EQ(found({.threads = 1024, .registers_per_thread = 65}, "9.0").blocks, 0);
    EXPECT_THAT(found({.threads = 1024, .registers_per_thread = 65}, "9.0").limiting(),
                ElementsAre(Resource::Registers));
}

TEST(Occupancy, RefusesWhatItDoesNotKnow) {
    EXPECT_THAT(limits_of("1.3").error().what, HasSubstr("1.3"));
    const auto no_threads = resident({}, limits_of("9.0").value());
    EXPECT_THAT(no_threads.error().what, HasSubstr("threads per block is 0"));
    const auto no_limits = resident({.threads = 32}, {});
    EXPECT_THAT(no_limits.error().what, HasSubstr("resident blocks of the machine is 0"));
    const auto barriers = resident({.threads = 32, .named_barriers = 2}, limits_of("8.7").value());
    EXPECT_THAT(barriers.error().what, HasSubstr("named barriers of CC 8.7 is not known"));
}

TEST(Occupancy, ExplainsTheBlocksOfEachResource) {
    const Block block{.threads = 256, .registers_per_thread = 40, .shared_memory = 20000};
    const auto limits = limits_of("6.0").value();
    const auto symbols = explain(block, limits, resident(block, limits).value());
    const ExplainedSymbol expected{"blocks by shared memory", 3, "blocks", "CC 6.0"};
    EXPECT_THAT(symbols, testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::occupancy
