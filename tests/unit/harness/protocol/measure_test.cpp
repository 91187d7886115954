#include "harness/protocol/measure.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>

namespace warpbound::harness {
namespace {

/// A device whose time is a function of the seed, and which counts its runs.
class CountingDevice final : public Device {
public:
    class Prepared final : public PreparedKernel {
    public:
        explicit Prepared(std::atomic<int>& runs) : runs_{runs} {}
        Result<models::Observation> run(const RunOptions& options) const override {
            ++runs_;
            models::Observation observation;
            observation.seed = options.seed;
            observation.execution_time =
                models::Cycles{static_cast<std::int64_t>(options.seed % 1000)};
            observation.warps.push_back({});
            return observation;
        }

    private:
        std::atomic<int>& runs_;
    };
    [[nodiscard]] DeviceIdentity identity() const override { return {"counting", ""}; }
    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel&) const override {
        return std::unique_ptr<PreparedKernel>{std::make_unique<Prepared>(runs)};
    }
    mutable std::atomic<int> runs{0};
};

Protocol protocol(std::int64_t repetitions) {
    Protocol result;
    result.repetitions = repetitions;
    result.warm_up = 3;
    return result;
}

TEST(Measure, GivesTheSameSamplesWithAnyNumberOfThreads) {
    const CountingDevice device;
    const auto one = measure(device, {}, {}, protocol(600), Quantity::ExecutionTime, nullptr, 1);
    const auto four = measure(device, {}, {}, protocol(600), Quantity::ExecutionTime, nullptr, 4);
    ASSERT_TRUE(one && four);
    EXPECT_EQ(one.value().samples, four.value().samples);
    EXPECT_EQ(device.runs, 2 * 603);
    std::set<std::uint64_t> seeds;
    for (const auto& sample : one.value().samples)
        seeds.insert(sample.seed);
    EXPECT_EQ(seeds.size(), 600U);
}

TEST(Measure, ResumesASeriesInsteadOfRepeatingIt) {
    const auto file = std::filesystem::temp_directory_path() / "warpbound-resume-test.db";
    std::filesystem::remove(file);
    const CountingDevice device;
    SeriesKey key;
    key.name = "point";
    {
        auto campaign = Campaign::open(file);
        ASSERT_TRUE(campaign) << to_string(campaign.error());
        // Stopped by the caller after the first batch.
        const auto stopped =
            measure(device, {}, key, protocol(1000), Quantity::ExecutionTime,
                    campaign.value().get(), 1, [](std::int64_t, std::int64_t) { return false; });
        ASSERT_TRUE(stopped);
        EXPECT_FALSE(stopped.value().complete);
        EXPECT_EQ(stopped.value().samples.size(), 256U);
    }
    auto campaign = Campaign::open(file);
    ASSERT_TRUE(campaign);
    const int before = device.runs;
    const auto resumed =
        measure(device, {}, key, protocol(1000), Quantity::ExecutionTime, campaign.value().get());
    const auto fresh = measure(device, {}, key, protocol(1000), Quantity::ExecutionTime, nullptr);
    ASSERT_TRUE(resumed && fresh);
    EXPECT_EQ(resumed.value().samples, fresh.value().samples);
    EXPECT_EQ(device.runs - before, (1000 - 256 + 3) + 1003);
    std::filesystem::remove(file);
}

TEST(Measure, RefusesARegionThatWasNotTimed) {
    const CountingDevice device;
    const auto measured = measure(device, {}, {}, protocol(5), Quantity::Region, nullptr);
    ASSERT_FALSE(measured);
    EXPECT_NE(measured.error().what.find("fewer than two times"), std::string::npos);
}

} // namespace
} // namespace warpbound::harness
