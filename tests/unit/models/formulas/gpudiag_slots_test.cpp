#include "models/formulas/gpudiag_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::gpudiag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SlotLimits machine() {
    return {.warp_size = 32,
            .blocks = 16,
            .warps = 48,
            .shared_memory = 65536,
            .shared_granularity = 256,
            .registers = {{.name = "vector",
                           .capacity = 65536,
                           .granularity = 256,
                           .per_thread = 255,
                           .per_block = 65536}},
            .threads_per_block = 1024,
            .threads_per_grid = 1'000'000,
            .shared_per_block = 49152};
}

TEST(GpudiagSlots, TakesTheTightestResource) {
    const auto found =
        slots({.threads = 64, .shared_memory = 20000, .registers = {1056}}, machine()).value();
    EXPECT_EQ(found.by_blocks, 16);
    EXPECT_EQ(found.by_warps, 24);           // 48 / 2
    EXPECT_EQ(found.by_shared_memory, 3);    // 65536 / 20224
    EXPECT_EQ(found.by_registers.at(0), 25); // 65536 / (2 * 1280)
    EXPECT_EQ(found.slots, 3);
}

TEST(GpudiagSlots, HasNoTermForAResourceThatIsNotUsed) {
    const auto found = slots({.threads = 32, .registers = {0}}, machine()).value();
    EXPECT_FALSE(found.by_shared_memory.has_value());
    EXPECT_FALSE(found.by_registers.at(0).has_value());
    EXPECT_EQ(found.slots, 16);
}

TEST(GpudiagLimits, NamesEveryConditionThatALaunchBreaks) {
    EXPECT_THAT(broken_limits({.blocks = 1, .threads = 1024, .registers = {32}}, machine()).value(),
                IsEmpty());
    // 255 registers per thread are 8160 per warp: allowed per thread, not for 32 warps of a block.
    EXPECT_THAT(
        broken_limits({.blocks = 1, .threads = 1024, .registers = {8160}}, machine()).value(),
        ElementsAre(HasSubstr("vector registers per block")));
    EXPECT_THAT(broken_limits(
                    {.blocks = 1000, .threads = 1056, .shared_memory = 49153, .registers = {8161}},
                    machine())
                    .value(),
                ElementsAre(HasSubstr("threads per block"), HasSubstr("threads per grid"),
                            HasSubstr("shared memory per block"), HasSubstr("registers per thread"),
                            HasSubstr("registers per block")));
}

TEST(GpudiagSlots, RefusesIncompleteInput) {
    EXPECT_THAT(slots({.threads = 32}, {}).error().what, HasSubstr("block slots is 0"));
    EXPECT_THAT(slots({.registers = {1}}, machine()).error().what,
                HasSubstr("threads per block is 0"));
    EXPECT_THAT(slots({.threads = 32}, machine()).error().what,
                HasSubstr("0 register counts for 1 register files"));
}

TEST(GpudiagInverse, RefusesUninformativeTimes) {
    EXPECT_THAT(multiprocessors_from(std::vector<double>{1, 1, 1}, 0.1).error().what,
                HasSubstr("never doubles"));
    EXPECT_THAT(slots_from(std::vector<double>{}, 0.1).error().what, HasSubstr("no times"));
    EXPECT_THAT(slots_from(std::vector<double>{1, -1}, 0.1).error().what, HasSubstr("time is -1"));
    EXPECT_THAT(warp_slots_from(std::vector<SlotSample>{{.amount = 2, .slots = 4}}).error().what,
                HasSubstr("one warp per block"));
    // 3 and then 7 slots for more of a resource.
    EXPECT_THAT(
        capacity_from(
            std::vector<SlotSample>{{.amount = 10, .slots = 3}, {.amount = 20, .slots = 7}}, 100)
            .error()
            .what,
        HasSubstr("no granularity"));
}

TEST(GpudiagSlots, ExplainsItself) {
    const Demand demand{.threads = 64, .shared_memory = 20000, .registers = {1056}};
    const ExplainedSymbol expected{"N_slot by shared memory", 3, "blocks", "K23 eq. 3.10"};
    EXPECT_THAT(explain(demand, machine(), slots(demand, machine()).value()),
                testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::gpudiag
