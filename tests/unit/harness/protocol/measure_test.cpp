#include "harness/protocol/measure.hpp"
#include "harness/protocol/worker_pool.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

/// A device whose time is a function of the seed, and which counts its runs. `before` may fail or
/// throw instead of a run.
class CountingDevice : public Device {
public:
    class Prepared final : public PreparedKernel {
    public:
        explicit Prepared(const CountingDevice& device) : device_{device} {}
        Result<Outcome> run(const RunOptions& options) const override {
            ++device_.runs;
            if (device_.before)
                if (auto allowed = device_.before(options.seed); !allowed)
                    return allowed.as_failure();
            models::Observation observation;
            observation.seed = options.seed;
            observation.execution_time =
                models::Cycles{static_cast<std::int64_t>(options.seed % 1000)};
            observation.warps.push_back({});
            return Outcome{observation, device_.remark ? device_.remark(options.seed) : Remark{}};
        }
        [[nodiscard]] Conditions conditions() const override {
            return {{"sequence", "unverified"}};
        }

    private:
        const CountingDevice& device_;
    };
    [[nodiscard]] DeviceIdentity identity() const override { return {"counting", ""}; }
    [[nodiscard]] Conditions conditions() const override { return {{"clock", "1 MHz"}}; }
    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel&) const override {
        return std::unique_ptr<PreparedKernel>{std::make_unique<Prepared>(*this)};
    }
    std::function<Result<void>(std::uint64_t)> before;
    std::function<Remark(std::uint64_t)> remark;
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

Protocol protocol_with_seed(std::uint64_t seed) {
    Protocol result = protocol(600);
    result.seed = seed;
    return result;
}

/// The series key under which `measure` of a CountingDevice is recorded.
SeriesKey key_of(const Protocol& protocol) {
    SeriesKey key;
    key.name = "point";
    key.device = "counting";
    key.protocol = to_string(protocol);
    key.kernel_digest = "sha256:1";
    key.launch = models::to_string(models::Launch{});
    key.quantity = to_string(Quantity::ExecutionTime);
    return key;
}

class MeasuredCampaign : public testing::Test {
protected:
    void SetUp() override {
        auto opened = Campaign::open(folder_.path() / "campaign.db");
        ASSERT_TRUE(opened) << to_string(opened.error());
        campaign_ = std::move(opened).value();
    }
    Result<Measured> run(const SeriesKey& key, const Protocol& protocol, unsigned threads = 1,
                         const Progress& progress = {}) {
        return measure(device_, kernel_, key, protocol, Quantity::ExecutionTime, campaign_.get(),
                       threads, progress);
    }
    std::vector<Sample> recorded(const Protocol& protocol) {
        const auto series = campaign_->series(key_of(protocol)).value();
        return campaign_->samples(series.id).value();
    }

    tests::TemporaryFolder folder_;
    std::unique_ptr<Campaign> campaign_;
    CountingDevice device_;
    Kernel kernel_;
};

// `stop` is called before each run; the runs before it returned true are kept, for any number of
// threads.
TEST_F(MeasuredCampaign, BeginsNoRunOnceItIsStopped) {
    for (const unsigned threads : {1U, 4U}) {
        std::atomic<int> asked{0};
        const auto stopped =
            measure(device_, kernel_, key_of(protocol(1000 + threads)), protocol(1000 + threads),
                    Quantity::ExecutionTime, nullptr, threads, {}, [&] { return ++asked > 100; });
        ASSERT_TRUE(stopped) << to_string(stopped.error());
        EXPECT_FALSE(stopped.value().complete());
        EXPECT_LE(stopped.value().samples.size(), 100U);
        if (threads == 1) {
            EXPECT_EQ(stopped.value().samples.size(), 97U); // And 3 warm-up runs.
        }
        for (std::size_t run = 0; run < stopped.value().samples.size(); ++run)
            EXPECT_EQ(stopped.value().samples[run].run, static_cast<std::int64_t>(run));
    }
}

TEST_F(MeasuredCampaign, ResumesASeriesInsteadOfRepeatingIt) {
    // Stopped by the caller after the first batch.
    const auto stopped = run(key_of(protocol(1000)), protocol(1000), 1,
                             [](std::int64_t, std::int64_t) { return false; });
    ASSERT_TRUE(stopped) << to_string(stopped.error());
    EXPECT_FALSE(stopped.value().complete());
    EXPECT_EQ(stopped.value().samples.size(), 256U);
    const int before = device_.runs;
    const auto resumed = run(key_of(protocol(1000)), protocol(1000));
    const auto fresh =
        measure(device_, kernel_, {}, protocol(1000), Quantity::ExecutionTime, nullptr);
    ASSERT_TRUE(resumed && fresh);
    EXPECT_EQ(resumed.value().samples, fresh.value().samples);
    EXPECT_EQ(device_.runs - before, (1000 - 256 + 3) + 1003);
}

// The batches of a long series grow; the samples do not depend on it.
TEST_F(MeasuredCampaign, RecordsALongSeriesInLargerBatches) {
    std::vector<std::int64_t> steps{0};
    const auto measured =
        run(key_of(protocol(20'000)), protocol(20'000), 2, [&](std::int64_t done, std::int64_t) {
            steps.push_back(done);
            return true;
        });
    ASSERT_TRUE(measured);
    EXPECT_EQ(steps[1], 256);
    EXPECT_GT(steps[steps.size() - 2] - steps[steps.size() - 3], 1000);
    EXPECT_EQ(recorded(protocol(20'000)), measured.value().samples);
    const auto fresh =
        measure(device_, kernel_, {}, protocol(20'000), Quantity::ExecutionTime, nullptr);
    EXPECT_EQ(fresh.value().samples, measured.value().samples);
}

TEST_F(MeasuredCampaign, RecordsRunAnomalies) {
    device_.remark = [](std::uint64_t seed) {
        if (seed == seed_of_run(1, 3)) return Remark{RunAnomaly::TimeOut, "no end within 2 s"};
        if (seed == seed_of_run(1, 5)) return Remark{RunAnomaly::Throttled, "810 of 1980 MHz"};
        return Remark{};
    };
    ASSERT_TRUE(run(key_of(protocol(6)), protocol(6)));
    const auto samples = recorded(protocol(6));
    ASSERT_EQ(samples.size(), 6U);
    EXPECT_TRUE(samples[3].times.empty());
    EXPECT_EQ(samples[3].remark, (Remark{RunAnomaly::TimeOut, "no end within 2 s"}));
    EXPECT_EQ(samples[5].times.size(), 1U);
    EXPECT_EQ(samples[5].remark, (Remark{RunAnomaly::Throttled, "810 of 1980 MHz"}));
    EXPECT_EQ(samples[4].remark, Remark{});
    // Resumed, it is not measured again.
    const auto resumed = run(key_of(protocol(8)), protocol(8));
    ASSERT_TRUE(resumed) << to_string(resumed.error());
    EXPECT_EQ(resumed.value().samples[3], samples[3]);
    const auto series = campaign_->series(key_of(protocol(8))).value();
    const Conditions noted{{"clock", "1 MHz"}, {"sequence", "unverified"}};
    EXPECT_EQ(campaign_->conditions(series.id).value(),
              (std::vector<RecordedConditions>{{0, noted}, {6, noted}}));
}

// Both processes begin with run 0; the one that records nothing changes nothing.
TEST_F(MeasuredCampaign, KeepsTheConditionsOfTheProcessThatRecorded) {
    class Hot final : public CountingDevice {
        [[nodiscard]] Conditions conditions() const override { return {{"clock", "2 MHz"}}; }
    };
    const Protocol both = protocol(6);
    const auto other = Campaign::open(folder_.path() / "campaign.db").value();
    device_.before = [&, first = true](std::uint64_t) mutable -> Result<void> {
        if (!std::exchange(first, false)) return boost::outcome_v2::success();
        const auto recorded =
            measure(Hot{}, kernel_, key_of(both), both, Quantity::ExecutionTime, other.get());
        EXPECT_TRUE(recorded);
        return boost::outcome_v2::success();
    };
    const auto late = run(key_of(both), both);
    ASSERT_FALSE(late);
    EXPECT_THAT(late.error().what, HasSubstr("run 0 is recorded already"));
    const auto series = campaign_->series(key_of(both)).value();
    EXPECT_EQ(series.runs, 6);
    const Conditions noted{{"clock", "2 MHz"}, {"sequence", "unverified"}};
    EXPECT_EQ(campaign_->conditions(series.id).value(),
              (std::vector<RecordedConditions>{{0, noted}}));
}

TEST_F(MeasuredCampaign, EndsWithTheRunThatLostTheDevice) {
    for (const unsigned threads : {1U, 4U}) {
        const Protocol of_threads = protocol_with_seed(threads);
        device_.remark = [&](std::uint64_t seed) {
            return seed == seed_of_run(threads, 300)
                       ? Remark{RunAnomaly::DeviceLost, "fell off the bus"}
                       : Remark{};
        };
        const auto lost = run(key_of(of_threads), of_threads, threads);
        ASSERT_FALSE(lost);
        EXPECT_THAT(lost.error().what,
                    HasSubstr("the device was lost in run 300: fell off the bus"));
        const auto samples = recorded(of_threads);
        ASSERT_EQ(samples.size(), 301U);
        EXPECT_EQ(samples[300].remark.anomaly, RunAnomaly::DeviceLost);
        // If the device is available again, the series continues.
        device_.remark = {};
        const auto resumed = run(key_of(of_threads), of_threads, threads);
        ASSERT_TRUE(resumed) << to_string(resumed.error());
        EXPECT_EQ(resumed.value().samples.size(), static_cast<std::size_t>(of_threads.repetitions));
    }
}

// A worker that is making a run when a later run becomes the last one completes it: no run is
// missing.
TEST(WorkerPool, ReturnsTheRunsBeforeTheLastOneThatEndLater) {
    for (int repetition = 0; repetition < 100; ++repetition) {
        std::atomic<bool> first = true;
        std::atomic<bool> ended = false;
        const auto task = [&](std::int64_t run) -> Result<std::int64_t> {
            ended = true;
            return run;
        };
        const auto waits = [&] {
            // One of two workers starts after the other has made its run.
            if (first.exchange(false))
                while (!ended)
                    std::this_thread::yield();
            return false;
        };
        const auto batch = WorkerPool<std::int64_t>{
            task, 0, 2, waits, [](std::int64_t run) {
                return run == 1;
            }}.run(2);
        EXPECT_EQ(batch.done, (std::vector<std::int64_t>{0, 1}));
    }
}

TEST(WorkerPool, ReturnsNoRunAfterTheLastOne) {
    for (const unsigned threads : {1U, 4U}) {
        const auto task = [](std::int64_t run) -> Result<std::int64_t> {
            if (run > 40) return Failure{"after the last one", "pool"};
            return run;
        };
        const auto batch = WorkerPool<std::int64_t>{
            task, 0, 100, {}, [](std::int64_t run) {
                return run == 40;
            }}.run(threads);
        EXPECT_EQ(batch.done.size(), 41U);
        EXPECT_FALSE(batch.failure);
    }
}

TEST(Measure, StopsAWarmUpToo) {
    const CountingDevice device;
    Protocol warm = protocol(5);
    warm.warm_up = 1'000'000;
    const auto stopped = measure(device, {}, {}, warm, Quantity::ExecutionTime, nullptr, 1, {},
                                 [&] { return device.runs >= 20; });
    ASSERT_TRUE(stopped) << to_string(stopped.error());
    EXPECT_EQ(device.runs, 20);
    EXPECT_TRUE(stopped.value().samples.empty());
    EXPECT_EQ(stopped.value().ending, Ending::Interrupted);
    EXPECT_EQ(stopped.value().warm_up->runs, 20);
    EXPECT_FALSE(stopped.value().warm_up->settled);
}

// The stopping rule is satisfied after 32 runs; the device refuses the next one.
TEST(Measure, IgnoresAFailureAfterTheLastRunThatWasNeeded) {
    CountingDevice device;
    device.before = [](std::uint64_t seed) -> Result<void> {
        if (seed == seed_of_run(1, 32)) return Failure{"run 32 failed", "device"};
        return boost::outcome_v2::success();
    };
    Protocol settled = protocol(1000);
    settled.stop = read_stop("spread:1000%").value();
    const auto measured = measure(device, {}, {}, settled, Quantity::ExecutionTime, nullptr);
    ASSERT_TRUE(measured) << to_string(measured.error());
    EXPECT_EQ(measured.value().samples.size(), 32U);
    EXPECT_EQ(measured.value().converged, Converged::Yes);
}

TEST(RunAnomalies, AreReadAsTheyAreWritten) {
    for (const auto anomaly : {RunAnomaly::None, RunAnomaly::Throttled, RunAnomaly::Sequence,
                               RunAnomaly::Clock, RunAnomaly::TimeOut, RunAnomaly::LaunchFailure,
                               RunAnomaly::DeviceLost, RunAnomaly::Output, RunAnomaly::CoRunner}) {
        EXPECT_EQ(parse_anomaly(to_string(anomaly)), anomaly);
        EXPECT_TRUE(gives_times(anomaly) || !counts(anomaly));
    }
    EXPECT_EQ(parse_anomaly("lost"), std::nullopt);
}

TEST_F(MeasuredCampaign, RefusesToResumeRunsThatHaveOtherSeeds) {
    const auto series = campaign_->series(key_of(protocol(10))).value();
    const std::uint64_t first = seed_of_run(1, 0);
    ASSERT_TRUE(campaign_->append(series.id, {{0, first, {5}}, {1, 4711, {6}}}));
    const auto resumed = run(key_of(protocol(10)), protocol(10));
    ASSERT_FALSE(resumed);
    EXPECT_THAT(resumed.error().what, HasSubstr("run 1 was recorded with seed 4711"));
    EXPECT_THAT(resumed.error().what, HasSubstr(std::to_string(seed_of_run(1, 1))));
    EXPECT_EQ(device_.runs, 0);
    EXPECT_EQ(recorded(protocol(10)).size(), 2U);
}

TEST_F(MeasuredCampaign, RefusesToResumeRunsThatHaveNoTimeOrSeveral) {
    const auto series = campaign_->series(key_of(protocol(10))).value();
    ASSERT_TRUE(campaign_->append(series.id, {{0, seed_of_run(1, 0), {5, 6}}}));
    const auto resumed = run(key_of(protocol(10)), protocol(10));
    ASSERT_FALSE(resumed);
    EXPECT_THAT(resumed.error().what, HasSubstr("run 0 has 2 times; expected 1"));
}

TEST_F(MeasuredCampaign, RefusesASeriesWhoseKeyDiffersFromTheRun) {
    models::FlowFacts facts;
    facts.program_digest = "sha256:1";
    kernel_.facts = &facts;
    struct Row {
        std::string SeriesKey::*field;
        const char* difference;
    };
    for (const auto& [field, difference] :
         {Row{&SeriesKey::device, "of device 'other', the run of 'counting'"},
          Row{&SeriesKey::device_detail, "of machine 'other', the run of ''"},
          Row{&SeriesKey::protocol, "of protocol 'other', the run of 'warm-up 3, draw uniform"},
          Row{&SeriesKey::launch, "of launch 'other'"},
          Row{&SeriesKey::quantity, "of quantity 'other', the run of 'execution-time'"},
          Row{&SeriesKey::kernel_digest, "of kernel 'other', the run of 'sha256:1'"}}) {
        SeriesKey key = key_of(protocol(10));
        key.*field = "other";
        const auto measured = run(key, protocol(10));
        ASSERT_FALSE(measured) << difference;
        EXPECT_THAT(measured.error().what, HasSubstr(difference));
    }
    EXPECT_TRUE(campaign_->list().value().empty());
    EXPECT_EQ(device_.runs, 0);
    EXPECT_TRUE(run(key_of(protocol(10)), protocol(10)));
}

// 256 runs in the first batch, and run 300 in the second one throws.
TEST_F(MeasuredCampaign, CarriesAnExceptionToTheCallerAndKeepsTheRunsBeforeIt) {
    for (const unsigned threads : {1U, 4U}) {
        Protocol protocol = protocol_with_seed(threads);
        const std::uint64_t bad = seed_of_run(protocol.seed, 300);
        device_.before = [bad](std::uint64_t seed) -> Result<void> {
            if (seed == bad) throw std::overflow_error{"out of range"};
            return boost::outcome_v2::success();
        };
        device_.runs = 0;
        EXPECT_THROW(static_cast<void>(run(key_of(protocol), protocol, threads)),
                     std::overflow_error);
        const auto samples = recorded(protocol);
        EXPECT_EQ(samples.size(), 300U);
        // No run is started after it; several threads may have started some runs before.
        if (threads == 1) {
            EXPECT_EQ(device_.runs, 3 + 301);
        }
        device_.before = nullptr;
        const auto resumed = run(key_of(protocol), protocol, threads);
        const auto fresh =
            measure(device_, kernel_, {}, protocol, Quantity::ExecutionTime, nullptr);
        ASSERT_TRUE(resumed && fresh);
        EXPECT_EQ(resumed.value().samples, fresh.value().samples);
    }
}

TEST_F(MeasuredCampaign, ReturnsTheEarliestFailureAndKeepsTheRunsBeforeIt) {
    const Protocol protocol = protocol_with_seed(9);
    device_.before = [&](std::uint64_t seed) -> Result<void> {
        for (const std::int64_t run : {41, 40, 45, 60})
            if (seed == seed_of_run(protocol.seed, run))
                return Failure{"run " + std::to_string(run) + " failed", "device"};
        return boost::outcome_v2::success();
    };
    const auto failed = run(key_of(protocol), protocol, 4);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what, "run 40 failed");
    EXPECT_EQ(recorded(protocol).size(), 40U);
}

TEST(Measure, RefusesARegionThatWasNotTimed) {
    const CountingDevice device;
    const auto measured = measure(device, {}, {}, protocol(5), Quantity::Region, nullptr);
    ASSERT_FALSE(measured);
    EXPECT_NE(measured.error().what.find("fewer than two times"), std::string::npos);
}

} // namespace
} // namespace warpbound::harness
