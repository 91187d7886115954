// Recorded campaigns as devices.
#include "harness/campaign/exchange.hpp"
#include "harness/device.hpp"
#include "harness/protocol/measure.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/campaign/campaign_content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

/// Points of the quick suite on Fermi, in a campaign.
class Recorded : public testing::Test {
protected:
    void SetUp() override {
        simulated_ = open_device("simulated:fermi-gtx470").value();
        const auto fermi = models::load_architecture("fermi-gtx470").value();
        for (const char* name : {"empty-region", "dependent-add", "global-load"}) {
            auto points = points_of(name, fermi).value();
            points_.insert(points_.end(), points.begin(), points.end());
        }
        protocol_.repetitions = 20;
        file_ = (folder_.path() / "recorded.db").string();
        const auto campaign = Campaign::open(file_).value();
        const auto recorded = campaign->in_one_transaction([&]() -> Result<void> {
            for (const auto& point : points_) {
                if (point.name == left_out_) continue;
                const auto measured = measure_point(*simulated_, point, protocol_, campaign.get());
                if (!measured) return measured.as_failure();
            }
            return boost::outcome_v2::success();
        });
        ASSERT_TRUE(recorded) << to_string(recorded.error());
        for (const auto& [format, name] : {std::pair{CampaignFormat::Csv, "recorded.csv"},
                                           {CampaignFormat::Json, "recorded.json"}}) {
            std::ofstream text{folder_.path() / name, std::ios::binary};
            ASSERT_TRUE(
                write_campaign(*campaign, format, [&](std::string_view part) { text << part; }));
        }
    }
    const BenchmarkPoint& point(std::string_view name) {
        return *std::find_if(points_.begin(), points_.end(),
                             [&](const auto& one) { return one.name == name; });
    }

    tests::TemporaryFolder folder_;
    std::string file_;
    std::unique_ptr<Device> simulated_;
    std::vector<BenchmarkPoint> points_;
    Protocol protocol_;
    std::string left_out_ = "dependent-add/n=7";
};

TEST_F(Recorded, DeviceGivesTheSamplesOfTheCampaignAndOfItsTexts) {
    for (const char* name : {"recorded.db", "recorded.csv", "recorded.json"}) {
        SCOPED_TRACE(name);
        const auto device = open_device("recorded:" + (folder_.path() / name).string());
        ASSERT_TRUE(device) << to_string(device.error());
        EXPECT_EQ(device.value()->identity().name, simulated_->identity().name);
        EXPECT_EQ(device.value()->identity().detail, simulated_->identity().detail);
        const auto again = Campaign::open(folder_.path() / (std::string{name} + ".again")).value();
        const auto recorded = again->in_one_transaction([&]() -> Result<void> {
            for (const auto& one : points_) {
                if (one.name == left_out_) continue;
                const auto expected = measure_point(*simulated_, one, protocol_, nullptr).value();
                const auto replayed =
                    measure_point(*device.value(), one, protocol_, again.get(), 2);
                if (!replayed) return replayed.as_failure();
                EXPECT_EQ(replayed.value().samples, expected.samples) << one.name;
            }
            return boost::outcome_v2::success();
        });
        ASSERT_TRUE(recorded) << to_string(recorded.error());
        const auto original = Campaign::open_existing(file_).value();
        EXPECT_EQ(content_of(*again), content_of(*original));
    }
}

TEST_F(Recorded, DeviceRefusesWhatWasNotRecorded) {
    const auto device = open_device("recorded:" + file_).value();
    const auto missing = measure_point(*device, point(left_out_), protocol_, nullptr);
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().what, HasSubstr("was not recorded with launch 1x32"));
    EXPECT_THAT(missing.error().what, HasSubstr("nearest: dependent-add/n=6 (1x32), "
                                                "dependent-add/n=8 (1x32)"));
    Protocol more = protocol_;
    more.repetitions = 21;
    const auto longer = measure_point(*device, point("dependent-add/n=6"), more, nullptr);
    ASSERT_FALSE(longer);
    EXPECT_THAT(longer.error().what, HasSubstr(std::to_string(seed_of_run(1, 20))));
    EXPECT_THAT(longer.error().what, HasSubstr("there are 20 runs of 'warm-up 10, draw uniform"));
    BenchmarkPoint whole = point("dependent-add/n=6");
    whole.quantity = Quantity::ExecutionTime;
    const auto untold = measure_point(*device, whole, protocol_, nullptr);
    ASSERT_FALSE(untold);
    EXPECT_THAT(untold.error().what, HasSubstr("nearest: dependent-add/n=6 (quantity 'region')"));
}

// Warm-up and draw belong to the recorded runs and cannot be changed afterwards.
TEST_F(Recorded, DeviceRefusesAnotherProtocol) {
    const auto device = open_device("recorded:" + file_).value();
    Protocol drawn = protocol_;
    drawn.draw = Draw::AllHigh;
    Protocol cold = protocol_;
    cold.warm_up = 0;
    for (const Protocol& other : {drawn, cold}) {
        const auto refused = measure_point(*device, point("dependent-add/n=6"), other, nullptr);
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().what,
                    HasSubstr("dependent-add/n=6 (protocol 'warm-up 10, draw uniform, seed 1')"));
    }
    const SeriesKey key = series_key(point("dependent-add/n=6"), device->identity(), protocol_);
    Kernel kernel;
    kernel.series = &key;
    const auto prepared = device->prepare(kernel).value();
    RunOptions options;
    options.seed = seed_of_run(1, 0);
    EXPECT_TRUE(prepared->run(options));
    EXPECT_FALSE(prepared->supports(Quantity::Clocks));
    options.path = {0};
    EXPECT_FALSE(prepared->run(options));
    options.path.clear();
    options.draw = Draw::AllHigh;
    EXPECT_FALSE(prepared->run(options));
    EXPECT_FALSE(device->prepare({}));
}

TEST_F(Recorded, DeviceMustBeOneMachine) {
    {
        const auto other = open_device("simulated:fermi-gtx470", "gto").value();
        const auto campaign = Campaign::open(file_).value();
        ASSERT_TRUE(measure_point(*other, point("dependent-add/n=6"), protocol_, campaign.get()));
    }
    const auto unclear = open_device("recorded:" + file_);
    ASSERT_FALSE(unclear);
    EXPECT_THAT(unclear.error().what, HasSubstr("choose one with #PART"));
    const auto chosen = open_device("recorded:" + file_ + "#policy gto");
    ASSERT_TRUE(chosen);
    EXPECT_THAT(chosen.value()->identity().detail, HasSubstr("policy gto"));
    EXPECT_FALSE(open_device("recorded:" + file_ + "#policy srr"));
    // The detail of one SM is a prefix of that of several.
    const auto one_sm = open_device("recorded:" + file_ + "#policy lrr");
    ASSERT_TRUE(one_sm);
    {
        const auto several = open_device("simulated:fermi-gtx470", "lrr", 2).value();
        const auto campaign = Campaign::open(file_).value();
        ASSERT_TRUE(measure_point(*several, point("dependent-add/n=6"), protocol_, campaign.get()));
    }
    const std::string lrr = simulated_->identity().detail;
    for (const std::string& part : {std::string{"policy lrr"}, lrr}) {
        const auto again = open_device("recorded:" + file_ + "#" + part);
        ASSERT_TRUE(again) << to_string(again.error());
        EXPECT_EQ(again.value()->identity().detail, lrr);
    }
    EXPECT_EQ(open_device("recorded:" + file_ + "#2 multi").value()->identity().detail,
              lrr + ", 2 multiprocessors");
    EXPECT_FALSE(open_device("recorded:" + file_ + "#policy"));
    // A file may itself have such a name.
    const auto named = folder_.path() / "a#policy gto";
    std::filesystem::copy_file(file_, named);
    EXPECT_FALSE(open_device("recorded:" + named.string()));
    EXPECT_TRUE(open_device("recorded:" + named.string() + "#policy gto"));
    EXPECT_FALSE(open_device("recorded:" + (folder_.path() / "none.db").string()));
}

// Two benchmarks ask different questions of one kernel and launch. Each is answered by its own
// series: its times and anomalies are not mixed with those of the other.
TEST_F(Recorded, DeviceDistinguishesTheSeriesOfOneKernel) {
    const std::string file = (folder_.path() / "twins.db").string();
    std::vector<BenchmarkPoint> twins(4, point("dependent-add/n=6"));
    twins[1].quantity = Quantity::Clocks;
    twins[2].quantity = Quantity::ExecutionTime;
    twins[3].name = "other-question/n=6";
    const std::vector<std::vector<Sample>> samples{
        {{0, seed_of_run(1, 0), {120}, {}},
         {1, seed_of_run(1, 1), {}, {RunAnomaly::TimeOut, "5 s"}}},
        {{0, seed_of_run(1, 0), {0, 130}, {}}, {1, seed_of_run(1, 1), {0, 131}, {}}},
        {{0, seed_of_run(1, 0), {}, {RunAnomaly::LaunchFailure, "refused"}},
         {1, seed_of_run(1, 1), {200}, {RunAnomaly::Throttled, "hot"}}},
        {{0, seed_of_run(1, 0), {121}, {}}, {1, seed_of_run(1, 1), {122}, {}}}};
    {
        const auto campaign = Campaign::open(file).value();
        for (std::size_t i = 0; i < twins.size(); ++i) {
            const auto key = series_key(twins[i], simulated_->identity(), protocol_);
            ASSERT_TRUE(campaign->append(campaign->series(key).value().id, samples[i]));
        }
    }
    const auto device = open_device("recorded:" + file).value();
    protocol_.repetitions = 2;
    const auto again = Campaign::open(folder_.path() / "twins-again.db").value();
    for (std::size_t i = 0; i < twins.size(); ++i) {
        const auto replayed = measure_point(*device, twins[i], protocol_, again.get());
        ASSERT_TRUE(replayed) << to_string(replayed.error());
        EXPECT_EQ(replayed.value().samples, samples[i]) << i;
    }
}

// Each run is replayed with the conditions under which it was made, however the replay is batched.
TEST_F(Recorded, DeviceGivesTheConditionsOfEachRun) {
    const std::string file = (folder_.path() / "conditions.db").string();
    const BenchmarkPoint& one = point("dependent-add/n=6");
    const auto key = series_key(one, simulated_->identity(), protocol_);
    const std::vector<RecordedConditions> conditions{{0, {{"driver", "13.0"}}},
                                                     {2, {{"driver", "13.1"}}}};
    const auto sample = [](std::int64_t run) {
        return Sample{run, seed_of_run(1, run), {120 + run}, {}};
    };
    {
        const auto campaign = Campaign::open(file).value();
        const auto id = campaign->series(key).value().id;
        ASSERT_TRUE(campaign->note_conditions(id, 0, conditions[0].conditions));
        ASSERT_TRUE(campaign->append(id, {sample(0), sample(1)}));
        ASSERT_TRUE(campaign->note_conditions(id, 2, conditions[1].conditions));
        ASSERT_TRUE(campaign->append(id, {sample(2), sample(3)}));
    }
    const auto device = open_device("recorded:" + file).value();
    for (const std::int64_t first_part : {1, 2, 3, 4}) {
        const auto again =
            Campaign::open(folder_.path() / (std::to_string(first_part) + ".db")).value();
        for (const std::int64_t runs : {first_part, std::int64_t{4}}) {
            protocol_.repetitions = runs;
            const auto replayed = measure_point(*device, one, protocol_, again.get());
            ASSERT_TRUE(replayed) << to_string(replayed.error());
            EXPECT_EQ(again->conditions(1).value().size(), runs > 2 ? 2U : 1U);
        }
        EXPECT_EQ(again->conditions(1).value(), conditions);
    }
}

// Counts of blocks are replayed from a campaign and from its texts; an impossible count is refused,
// and so is a series of an unknown quantity.
TEST_F(Recorded, DeviceGivesCountsOfBlocks) {
    BenchmarkPoint blocks = point("dependent-add/n=6");
    blocks.quantity = Quantity::ResidentBlocks;
    blocks.launch.blocks = 8;
    protocol_.repetitions = 1;
    const auto key = series_key(blocks, simulated_->identity(), protocol_);
    int made = 0;
    const auto recorded = [&](const SeriesKey& of, std::int64_t count) {
        const auto file = folder_.path() / ("blocks" + std::to_string(++made) + ".db");
        const auto campaign = Campaign::open(file).value();
        const auto id = campaign->series(of).value().id;
        EXPECT_TRUE(campaign->append(id, {{0, seed_of_run(1, 0), {count}, {}}}));
        std::ofstream text{file.string() + ".csv", std::ios::binary};
        EXPECT_TRUE(write_campaign(*campaign, CampaignFormat::Csv,
                                   [&](std::string_view part) { text << part; }));
        return "recorded:" + file.string();
    };
    const auto replayed = [&](const std::string& name) -> Result<std::vector<Sample>> {
        const auto device = open_device(name);
        if (!device) return device.as_failure();
        const auto measured = measure_point(*device.value(), blocks, protocol_, nullptr);
        if (!measured) return measured.as_failure();
        return measured.value().samples;
    };
    for (const std::int64_t count : {1, 8}) {
        const std::string name = recorded(key, count);
        for (const auto& samples : {replayed(name), replayed(name + ".csv")}) {
            ASSERT_TRUE(samples) << to_string(samples.error());
            EXPECT_EQ(samples.value().front().times, std::vector<std::int64_t>{count});
        }
    }
    for (const std::int64_t count : {0, 9}) {
        const auto refused = replayed(recorded(key, count));
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().what,
                    HasSubstr("run 0 has " + std::to_string(count) +
                              " blocks on an SM; expected 1 to 8: resident-blocks of 8x32"));
    }
    SeriesKey strange = key;
    strange.quantity = "warps";
    const auto device = open_device(recorded(strange, 1)).value();
    Kernel kernel;
    kernel.series = &strange;
    const auto unknown = device->prepare(kernel);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().what, HasSubstr("unknown quantity 'warps'"));
}

// Runs without times are replayed with their anomaly.
TEST_F(Recorded, DeviceReplaysRunAnomalies) {
    const std::string file = (folder_.path() / "troubled.db").string();
    const BenchmarkPoint& one = point("dependent-add/n=6");
    {
        const auto campaign = Campaign::open(file).value();
        const auto series =
            campaign->series(series_key(one, simulated_->identity(), protocol_)).value();
        ASSERT_TRUE(campaign->note_conditions(series.id, 0, {{"driver", "13.0"}}));
        ASSERT_TRUE(campaign->append(series.id,
                                     {{0, seed_of_run(1, 0), {120}, {RunAnomaly::Throttled, "hot"}},
                                      {1, seed_of_run(1, 1), {}, {RunAnomaly::TimeOut, "5 s"}},
                                      {2, seed_of_run(1, 2), {}, {RunAnomaly::DeviceLost, "bus"}},
                                      {3, seed_of_run(1, 3), {121}, {}}}));
    }
    const auto device = open_device("recorded:" + file).value();
    protocol_.repetitions = 4;
    const auto replayed = measure_point(*device, one, protocol_, nullptr);
    ASSERT_TRUE(replayed) << to_string(replayed.error());
    EXPECT_EQ(replayed.value().samples[0].remark, (Remark{RunAnomaly::Throttled, "hot"}));
    EXPECT_EQ(replayed.value().samples[0].times, std::vector<std::int64_t>{120});
    EXPECT_EQ(replayed.value().samples[1].remark, (Remark{RunAnomaly::TimeOut, "5 s"}));
    EXPECT_TRUE(replayed.value().samples[1].times.empty());
    // Runs made after the device was available again follow a recorded loss.
    EXPECT_EQ(replayed.value().samples[2].remark.anomaly, RunAnomaly::DeviceLost);
    EXPECT_EQ(replayed.value().samples[3].times, std::vector<std::int64_t>{121});
}

} // namespace
} // namespace warpbound::harness
