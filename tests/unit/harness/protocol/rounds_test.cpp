// Series measured in campaign rounds, and under rules that stop them early.
#include "harness/protocol/measure.hpp"
#include "harness/protocol/rounds.hpp"
#include "models/statistics/resampling.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>

namespace warpbound::harness {
namespace {

/// Times are a function of the seed; remembers the order in which series ran.
class NotingDevice final : public Device {
public:
    class Prepared final : public PreparedKernel {
    public:
        Prepared(const NotingDevice& device, std::int64_t blocks)
            : device_{device}, blocks_{blocks} {}
        Result<Outcome> run(const RunOptions& options) const override {
            const std::lock_guard lock{device_.mutex};
            if (device_.order.empty() || device_.order.back() != blocks_)
                device_.order.push_back(blocks_);
            if (device_.before)
                if (auto allowed = device_.before(options.seed); !allowed)
                    return allowed.as_failure();
            Outcome outcome;
            outcome.observation.execution_time =
                models::Cycles{1000 + static_cast<std::int64_t>(models::mix(options.seed) % 200)};
            return outcome;
        }

    private:
        const NotingDevice& device_;
        std::int64_t blocks_;
    };
    [[nodiscard]] DeviceIdentity identity() const override { return {"noting", ""}; }
    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const override {
        return std::unique_ptr<PreparedKernel>{
            std::make_unique<Prepared>(*this, kernel.launch.blocks)};
    }
    std::function<Result<void>(std::uint64_t)> before;
    mutable std::mutex mutex;
    mutable std::vector<std::int64_t> order;
};

Protocol protocol_of(const char* stop, std::int64_t repetitions) {
    Protocol protocol;
    protocol.warm_up = 0;
    protocol.repetitions = repetitions;
    protocol.stop = read_stop(stop).value();
    return protocol;
}

/// Series of launches of 1, 2 .. blocks.
class Rounds : public testing::Test {
protected:
    void SetUp() override { campaign_ = Campaign::open(folder_.path() / "campaign.db").value(); }
    SeriesKey key_of(const Protocol& protocol, std::int64_t blocks) {
        SeriesKey key;
        key.name = "point";
        key.device = "noting";
        key.protocol = to_string(protocol);
        key.launch = models::to_string(models::Launch{blocks, 32});
        key.quantity = to_string(Quantity::ExecutionTime);
        return key;
    }
    /// Measures in rounds; returns the samples of all series.
    Result<std::vector<Measured>> run(const Protocol& protocol, std::int64_t count,
                                      Campaign* campaign, unsigned threads = 1,
                                      const std::function<bool()>& stop = {}) {
        std::vector<std::unique_ptr<PreparedKernel>> prepared;
        std::vector<std::unique_ptr<SeriesRun>> series;
        std::vector<SeriesRun*> all;
        for (std::int64_t blocks = 1; blocks <= count; ++blocks) {
            Kernel kernel;
            kernel.launch = {blocks, 32};
            prepared.push_back(device_.prepare(kernel).value());
            series.push_back(SeriesRun::begin(device_, kernel, *prepared.back(),
                                              key_of(protocol, blocks), protocol,
                                              Quantity::ExecutionTime, campaign)
                                 .value());
            all.push_back(series.back().get());
        }
        const auto measured = measure_in_rounds(all, protocol.seed, campaign, threads, {}, stop);
        if (!measured) return measured.as_failure();
        std::vector<Measured> results;
        for (auto& one : series)
            results.push_back(one->take());
        return results;
    }
    Result<Measured> alone(const Protocol& protocol, std::int64_t blocks, Campaign* campaign,
                           unsigned threads = 1) {
        Kernel kernel;
        kernel.launch = {blocks, 32};
        return measure(device_, kernel, key_of(protocol, blocks), protocol, Quantity::ExecutionTime,
                       campaign, threads);
    }

    tests::TemporaryFolder folder_;
    std::unique_ptr<Campaign> campaign_;
    NotingDevice device_;
};

TEST_F(Rounds, GiveEverySeriesTheSamplesThatItHasInIsolation) {
    const auto measured = run(protocol_of("fixed", 300), 5, campaign_.get());
    ASSERT_TRUE(measured);
    const auto list = campaign_->list().value();
    ASSERT_EQ(list.size(), 5U);
    for (std::int64_t blocks = 1; blocks <= 5; ++blocks) {
        const auto i = static_cast<std::size_t>(blocks - 1);
        const auto expected = alone(protocol_of("fixed", 300), blocks, nullptr).value().samples;
        EXPECT_EQ(measured.value()[i].samples, expected);
        EXPECT_EQ(campaign_->samples(list[i].id).value(), expected);
        // All runs were made, and convergence was not tested.
        EXPECT_EQ(measured.value()[i].ending, Ending::AllRuns);
        EXPECT_EQ(measured.value()[i].converged, Converged::NotTested);
    }
}

TEST_F(Rounds, AlternateInAnOrderGivenByTheSeed) {
    Protocol protocol = protocol_of("fixed", 96); // Three rounds of 32.
    ASSERT_TRUE(run(protocol, 6, nullptr));
    const auto first = device_.order;
    EXPECT_GE(first.size(), 16U); // 18 batches; a series may end a round and begin the next.
    EXPECT_NE(std::vector(first.begin(), first.begin() + 6),
              (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    device_.order.clear();
    ASSERT_TRUE(run(protocol, 6, nullptr));
    EXPECT_EQ(device_.order, first);
    device_.order.clear();
    protocol.seed = 2;
    ASSERT_TRUE(run(protocol, 6, nullptr));
    EXPECT_NE(device_.order, first);
}

// A stopping rule keeps a prefix of the runs of a fixed count, of the same length on any number of
// threads, alone or in rounds, uninterrupted or resumed.
TEST_F(Rounds, StopASeriesAfterTheSameRunHoweverItIsMeasured) {
    const auto all = alone(protocol_of("fixed", 2000), 1, nullptr).value().samples;
    for (const char* rule : {"spread:0.5%", "extremes", "entropy:0.1"}) {
        SCOPED_TRACE(rule);
        const auto one = alone(protocol_of(rule, 2000), 1, nullptr).value();
        EXPECT_EQ(one.ending, Ending::Enough);
        EXPECT_EQ(one.converged, Converged::Yes);
        ASSERT_LT(one.samples.size(), all.size());
        EXPECT_TRUE(std::equal(one.samples.begin(), one.samples.end(), all.begin()));
        EXPECT_EQ(alone(protocol_of(rule, 2000), 1, nullptr, 4).value().samples, one.samples);
        EXPECT_EQ(run(protocol_of(rule, 2000), 3, nullptr).value()[0].samples, one.samples);
    }
}

TEST_F(Rounds, ContinueASeriesUnderAnotherRule) {
    const auto spread = alone(protocol_of("spread:0.5%", 2000), 1, campaign_.get()).value();
    const auto fixed = alone(protocol_of("fixed", 2000), 1, campaign_.get()).value();
    EXPECT_LT(spread.samples.size(), 2000U);
    EXPECT_EQ(fixed.samples, alone(protocol_of("fixed", 2000), 1, nullptr).value().samples);
    // There are more runs than the rule needs: all are returned, and none is added.
    const auto again = alone(protocol_of("spread:0.5%", 2000), 1, campaign_.get()).value();
    EXPECT_EQ(again.samples.size(), 2000U);
    EXPECT_EQ(again.converged, Converged::Yes);
    EXPECT_FALSE(again.warm_up);
}

TEST_F(Rounds, ReportThatASeriesDidNotConverge) {
    const auto few = alone(protocol_of("spread:0.5%", 100), 1, nullptr).value();
    EXPECT_EQ(few.ending, Ending::AllRuns);
    EXPECT_EQ(few.converged, Converged::No);
    EXPECT_EQ(few.samples.size(), 100U);
    Protocol capped = protocol_of("spread:0.0001%", 1'000'000'000);
    capped.time_cap = std::chrono::duration<double>{1e-6};
    const auto short_of_time = alone(capped, 1, nullptr).value();
    EXPECT_EQ(short_of_time.ending, Ending::TimeCap);
    EXPECT_FALSE(short_of_time.samples.empty());
    EXPECT_TRUE(short_of_time.complete());
}

TEST_F(Rounds, RecordTheRunsBeforeAFailureAndResume) {
    const Protocol protocol = protocol_of("fixed", 200);
    const std::uint64_t bad = seed_of_run(protocol.seed, 70);
    device_.before = [bad](std::uint64_t seed) -> Result<void> {
        if (seed == bad) return Failure{"run 70 failed", "device"};
        return boost::outcome_v2::success();
    };
    const auto failed = run(protocol, 3, campaign_.get());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what, "run 70 failed");
    std::int64_t recorded = 0;
    const auto list = campaign_->list().value();
    for (const auto& series : list) {
        EXPECT_GE(series.runs, 64); // Two rounds.
        recorded += series.runs;
    }
    EXPECT_GE(recorded, 3 * 64 + 6);
    device_.before = nullptr;
    const auto resumed = run(protocol, 3, campaign_.get());
    ASSERT_TRUE(resumed);
    for (const auto& one : resumed.value())
        EXPECT_EQ(one.samples, alone(protocol, 1, nullptr).value().samples);
}

TEST_F(Rounds, StopWhenTheyAreAskedTo) {
    std::atomic<int> asked{0};
    const auto stopped =
        run(protocol_of("fixed", 1000), 3, campaign_.get(), 2, [&] { return ++asked > 150; });
    ASSERT_TRUE(stopped);
    std::int64_t recorded = 0;
    const auto list = campaign_->list().value();
    for (const auto& series : list)
        recorded += series.runs;
    EXPECT_GT(recorded, 0);
    EXPECT_LE(recorded, 150);
    for (const auto& one : stopped.value())
        EXPECT_EQ(one.ending, Ending::Interrupted);
}

TEST(Transaction, RecordsAllOrNothing) {
    const tests::TemporaryFolder folder;
    const auto campaign = Campaign::open(folder.path() / "campaign.db").value();
    const auto failed = campaign->in_one_transaction([&]() -> Result<void> {
        const auto series = campaign->series({"a", "d", "", "p", "k", "f", "1x32", "region"});
        if (!series) return series.as_failure();
        if (auto done = campaign->append(series.value().id, {{0, 1, {5}, {}}}); !done) return done;
        return campaign->append(series.value().id, {{7, 1, {5}, {}}});
    });
    ASSERT_FALSE(failed);
    EXPECT_TRUE(campaign->list().value().empty());
    const auto kept = campaign->in_one_transaction([&]() -> Result<void> {
        const auto series = campaign->series({"a", "d", "", "p", "k", "f", "1x32", "region"});
        if (!series) return series.as_failure();
        if (auto done = campaign->append(series.value().id, {{0, 1, {5}, {}}}); !done) return done;
        return campaign->append(series.value().id, {{1, 2, {6}, {}}});
    });
    ASSERT_TRUE(kept);
    EXPECT_EQ(campaign->list().value().at(0).runs, 2);
}

} // namespace
} // namespace warpbound::harness
