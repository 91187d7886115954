// Quantities extracted from an observation.
#include "harness/devices/simulated.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/value_path.hpp"
#include "models/launch/warp_policy.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace warpbound::harness {
namespace {

using models::Cycles;

models::WarpObservation warp(std::int64_t block, std::int64_t multiprocessor, std::int64_t first,
                             std::int64_t last) {
    return {block, 0, multiprocessor, Cycles{first}, Cycles{last}, Cycles{last}};
}

// Each SM has its own clock; a block ends with its last warp.
TEST(Quantity, CountsTheBlocksOfAnSmThatBeginBeforeOneEnds) {
    models::Observation seen;
    seen.warps = {warp(0, 0, 10, 50),     warp(0, 0, 12, 60),     warp(1, 1, 9000, 9050),
                  warp(2, 0, 55, 99),     warp(3, 1, 9049, 9100), warp(4, 0, 60, 120),
                  warp(5, 1, 9020, 9070), warp(6, 1, 9050, 9200)};
    const auto count = times_of(seen, Quantity::ResidentBlocks);
    ASSERT_TRUE(count);
    EXPECT_EQ(count.value(), (std::vector<std::int64_t>{3}));
    seen.warps.back().last_clock.reset();
    EXPECT_FALSE(times_of(seen, Quantity::ResidentBlocks));
}

// Time and verdict of each warp; a warp that stored nothing has no verdict.
TEST(Quantity, SaysOfACheckedRegionWhetherItsWordIsRight) {
    models::Observation seen;
    seen.warps = {warp(0, 0, 10, 50), warp(0, 0, 12, 60)};
    seen.warps[0].stored_right = true;
    EXPECT_FALSE(times_of(seen, Quantity::CheckedRegion));
    seen.warps[1].stored_right = false;
    const auto times = times_of(seen, Quantity::CheckedRegion);
    ASSERT_TRUE(times);
    EXPECT_EQ(times.value(), (std::vector<std::int64_t>{40, 0, 48, 1}));
}

TEST(Quantity, HasAUnitAndANumberOfValues) {
    const models::Launch launch{6, 64};
    EXPECT_EQ(times_of_run(Quantity::Region, launch), 12U);
    EXPECT_EQ(times_of_run(Quantity::Clocks, launch), 24U);
    EXPECT_EQ(times_of_run(Quantity::ExecutionTime, launch), 1U);
    EXPECT_EQ(times_of_run(Quantity::ResidentBlocks, launch), 1U);
    EXPECT_EQ(unit_of(to_string(Quantity::ResidentBlocks)), "blocks");
    EXPECT_EQ(unit_of(to_string(Quantity::Clocks)), "cycles");
}

TEST(Quantity, IsReadAsItIsWritten) {
    for (const auto quantity : {Quantity::Region, Quantity::ExecutionTime, Quantity::ResidentBlocks,
                                Quantity::Clocks, Quantity::CheckedRegion}) {
        const auto read = parse_quantity(to_string(quantity), "series");
        ASSERT_TRUE(read) << to_string(quantity);
        EXPECT_EQ(read.value(), quantity);
    }
    EXPECT_EQ(to_string(Quantity::Clocks), "clocks");
    EXPECT_EQ(to_string(Quantity::ResidentBlocks), "resident-blocks");
    EXPECT_EQ(to_string(parse_quantity("blocks", "series").error()),
              "series: unknown quantity 'blocks'; expected region, execution-time, "
              "resident-blocks, clocks, checked-region");
}

// At least one block is resident on an SM, and at most all blocks of the launch.
TEST(Quantity, OfARunIsOneThatTheLaunchCanGive) {
    const models::Launch launch{6, 64};
    const auto wrong = [&](const std::vector<std::int64_t>& times, Quantity quantity) {
        return contradiction_in(times, quantity, launch);
    };
    EXPECT_EQ(wrong(std::vector<std::int64_t>(12, 5), Quantity::Region), "");
    EXPECT_EQ(wrong(std::vector<std::int64_t>(12, 5), Quantity::Clocks),
              "has 12 times; expected 24");
    std::vector<std::int64_t> checked(24, 1);
    EXPECT_EQ(wrong(checked, Quantity::CheckedRegion), "");
    checked[3] = 2;
    EXPECT_EQ(wrong(checked, Quantity::CheckedRegion),
              "says 2 of the word that a warp stored; expected 0 or 1");
    EXPECT_EQ(wrong({0}, Quantity::ExecutionTime), "");
    EXPECT_EQ(wrong({}, Quantity::ResidentBlocks), "has 0 times; expected 1");
    EXPECT_EQ(wrong({1}, Quantity::ResidentBlocks), "");
    EXPECT_EQ(wrong({6}, Quantity::ResidentBlocks), "");
    EXPECT_EQ(wrong({0}, Quantity::ResidentBlocks), "has 0 blocks on an SM; expected 1 to 6");
    EXPECT_EQ(wrong({7}, Quantity::ResidentBlocks), "has 7 blocks on an SM; expected 1 to 6");
}

// Also on machines with encoded issue control; the launch is intended for one SM.
TEST(Quantity, OfAnSmIsObservedOnSimulatedMachines) {
    const auto policy = models::read_policy("lrr").value();
    for (const auto& [name, blocks] : {std::pair{"fermi-gtx470", 8}, std::pair{"turing-t4", 16}}) {
        auto machine = models::load_architecture(name).value();
        for (const char* path : {"blocks/start", "blocks/replacement"})
            ASSERT_TRUE(models::override_value(machine, path, 0));
        const auto device = simulated_device(machine, policy);
        const auto points = points_of("resident-warps", machine);
        ASSERT_TRUE(points) << to_string(points.error());
        const auto result = measure_point(*device, points.value().front(), Protocol{}, nullptr);
        ASSERT_TRUE(result) << to_string(result.error());
        EXPECT_EQ(result.value().samples.size(), 2U);
        EXPECT_EQ(result.value().samples.front().times, (std::vector<std::int64_t>{blocks}));
        const auto two = simulated_device(machine, policy, 2);
        const auto refused = measure_point(*two, points.value().front(), Protocol{}, nullptr);
        ASSERT_FALSE(refused);
        EXPECT_NE(to_string(refused.error()).find("fill one multiprocessor"), std::string::npos);
    }
}

} // namespace
} // namespace warpbound::harness
