#include "harness/devices/simulated.hpp"
#include "harness/protocol/copy_line.hpp"
#include "harness/suite/measure_point.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace warpbound::harness {
namespace {

using models::load_architecture;
using models::override_value;
using testing::HasSubstr;

Protocol protocol_of(std::int64_t repetitions) {
    Protocol protocol;
    protocol.warm_up = 0;
    protocol.repetitions = repetitions;
    return protocol;
}

/// Copies that take 2 us plus 1 ns per 10 bytes, on a core clock of 1 GHz.
models::Architecture machine() {
    models::Architecture machine = load_architecture("maxwell-gtx970").value();
    for (const auto& [path, value] : {std::pair{"geometry/core-clock", 1'000'000},
                                      std::pair{"transfers/host-to-device-start", 2000},
                                      std::pair{"transfers/host-to-device-bandwidth", 10'000'000}})
        EXPECT_TRUE(override_value(machine, path, value)) << path;
    return machine;
}

// C36: 2000 cycles plus ceil(n / 10).
TEST(Copies, TakeWhatTheDescriptionSaysOnTheSimulatedDevice) {
    const auto device = simulated_device(machine(), {});
    const auto points = points_for(*device, "copy-to-device");
    ASSERT_TRUE(points) << to_string(points.error());
    for (const auto& point : points.value()) {
        const auto measured = measure_point(*device, point, protocol_of(2), nullptr);
        ASSERT_TRUE(measured) << to_string(measured.error());
        const std::int64_t expected = 2000 + (point.copy->bytes + 9) / 10;
        for (const auto& sample : measured.value().samples)
            EXPECT_EQ(sample.times, std::vector{expected}) << point.name;
    }
}

TEST(Copies, AreRefusedByNameWhereTheDescriptionLacksTheirTimes) {
    const auto device = simulated_device(load_architecture("fermi-gtx470").value(), {});
    for (const auto& [benchmark, value] :
         {std::pair{"copy-to-device", "transfers/host-to-device-start"},
          std::pair{"copy-from-device", "transfers/device-to-host-start"}}) {
        const auto points = points_for(*device, benchmark);
        ASSERT_TRUE(points);
        const auto run = PointRun::prepare(*device, points.value().front());
        ASSERT_FALSE(run);
        EXPECT_THAT(to_string(run.error()), HasSubstr(value));
    }
}

TEST(Copies, HaveAnExecutionTimeAndNoOtherQuantity) {
    const auto device = simulated_device(machine(), {});
    auto point = points_for(*device, "copy-to-device").value().front();
    point.quantity = Quantity::Region;
    EXPECT_THAT(to_string(PointRun::prepare(*device, point).error()),
                HasSubstr("a copy has an execution time and no region"));
}

TEST(Copies, AreReplayedFromTheirCampaign) {
    const tests::TemporaryFolder folder;
    const auto file = folder.path() / "c.db";
    std::vector<Sample> samples;
    {
        const auto device = simulated_device(load_architecture("maxwell-gtx970").value(), {});
        const auto points = points_for(*device, "copy-from-device").value();
        const auto campaign = Campaign::open(file);
        ASSERT_TRUE(campaign);
        const auto measured =
            measure_point(*device, points[3], protocol_of(3), campaign.value().get());
        ASSERT_TRUE(measured) << to_string(measured.error());
        samples = measured.value().samples;
    }
    const auto replay = open_device("recorded:" + file.string());
    ASSERT_TRUE(replay) << to_string(replay.error());
    const auto points = points_for(*replay.value(), "copy-from-device").value();
    const auto again = measure_point(*replay.value(), points[3], protocol_of(3), nullptr);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(again.value().samples, samples);
    EXPECT_FALSE(PointRun::prepare(*replay.value(), points[4]));
}

TEST(CopyLine, FindsStartUpAndBandwidth) {
    const std::array<CopyTime, 3> exact{{{10, 105}, {1000, 600}, {100'000, 50'100}}};
    const auto line = line_of_copies(exact);
    ASSERT_TRUE(line);
    EXPECT_NEAR(line.value().start, 100, 1e-6);
    EXPECT_NEAR(line.value().bandwidth, 2, 1e-9);
    EXPECT_NEAR(line.value().worst_share, 0, 1e-9);
}

// Without weights, one percent more on each large copy would change the start-up by hundreds.
TEST(CopyLine, CountsSmallCopiesAsMuchAsLargeOnes) {
    const std::array<CopyTime, 4> noisy{
        {{4, 102}, {40, 120}, {100'000, 50'601}, {200'000, 100'100}}};
    const auto line = line_of_copies(noisy);
    ASSERT_TRUE(line);
    EXPECT_NEAR(line.value().start, 100, 1.0);
    EXPECT_NEAR(line.value().bandwidth, 2, 0.02);
    EXPECT_GT(line.value().worst_share, 0.001);
    EXPECT_LT(line.value().worst_share, 0.02);
}

TEST(CopyLine, IsNothingWhereTimesDoNotGrow) {
    EXPECT_FALSE(line_of_copies({}));
    EXPECT_FALSE(line_of_copies(std::array<CopyTime, 1>{{{4, 100}}}));
    EXPECT_FALSE(line_of_copies(std::array<CopyTime, 2>{{{4, 100}, {4, 110}}}));
    EXPECT_FALSE(line_of_copies(std::array<CopyTime, 2>{{{4, 100}, {400, 90}}}));
    EXPECT_FALSE(line_of_copies(std::array<CopyTime, 2>{{{4, 0}, {400, 90}}}));
}

} // namespace
} // namespace warpbound::harness
