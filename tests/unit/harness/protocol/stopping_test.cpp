#include "harness/protocol/per_operation.hpp"
#include "harness/protocol/stopping.hpp"
#include "harness/protocol/warm_up.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/statistics/resampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

/// The number of runs after which the rule is satisfied; 0: not within `most` runs.
std::int64_t runs_until_content(const char* rule_text, std::int64_t most,
                                const std::function<std::int64_t(std::int64_t)>& time_of) {
    const auto rule = make_rule(read_stop(rule_text).value(), most);
    for (std::int64_t run = 1; run <= most; ++run) {
        rule->observe(time_of(run - 1));
        if (rule->has_enough()) return run;
    }
    return 0;
}

std::function<std::int64_t(std::int64_t)> uniform(std::uint64_t spread, std::uint64_t seed) {
    return [=](std::int64_t run) {
        return 1000 +
               static_cast<std::int64_t>(
                   models::Resampling{seed, "time", static_cast<std::uint64_t>(run)}.below(spread));
    };
}

TEST(Stopping, ReadsWhatItWrites) {
    for (const char* text : {"fixed", "spread:0.5%", "spread:2%", "extremes", "entropy:0.1"})
        EXPECT_EQ(to_string(read_stop(text).value()), text);
    EXPECT_EQ(read_stop("spread").value(), read_stop("spread:0.5%").value());
    EXPECT_EQ(read_stop("spread:0.005").value(), read_stop("spread:0.5%").value());
    EXPECT_EQ(read_stop("entropy").value(), read_stop("entropy:0.02").value());
    for (const char* text : {"", "spread:", "spread:-1%", "spread:x", "entropy:0", "entropy:1e9",
                             "fixed:3", "extremes:2", "mean", "spread:nan", "spread:inf"}) {
        const auto refused = read_stop(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_THAT(refused.error().what, HasSubstr("expected fixed"));
    }
}

TEST(Stopping, OfAFixedCountIsSatisfiedByTheLastRun) {
    EXPECT_EQ(runs_until_content("fixed", 500, uniform(9, 1)), 500);
}

// A constant sample satisfies a rule after the minimum number of times, except entropy, which needs
// 64 runs: tests are made at 32, 36, 40, 45, 50, 56, 63 and 70 times.
TEST(Stopping, IsSoonSatisfiedByAConstantSample) {
    const auto constant = [](std::int64_t) { return std::int64_t{24}; };
    EXPECT_EQ(runs_until_content("spread:0.5%", 500, constant), 32);
    EXPECT_EQ(runs_until_content("extremes", 500, constant), 32);
    EXPECT_EQ(runs_until_content("entropy", 500, constant), 70);
}

// Uniform on 1000..1199: deviation 57.7, mean 1099.5. The half-width 1.96 * 57.7 / sqrt(n) is at
// most 0.5 % of the mean (5.5) from n = 424 on.
TEST(Stopping, OfSpreadStopsAtTheHalfWidth) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto runs = runs_until_content("spread:0.5%", 10'000, uniform(200, seed));
        EXPECT_GE(runs, 300) << seed;
        EXPECT_LE(runs, 560) << seed;
    }
    EXPECT_EQ(runs_until_content("spread:0.5%", 200, uniform(200, 1)), 0);
}

// The 32nd time is longer than all before: the rule needs as many again, and it tests at 63 and at
// 70 times.
TEST(Stopping, OfExtremesWaitsAsLongAgainAfterANewWorstTime) {
    const auto late = [](std::int64_t run) { return std::int64_t{run == 31 ? 99 : 24}; };
    EXPECT_EQ(runs_until_content("extremes", 10'000, late), 70);
}

// Four values: the entropy goes to 2 bits, and its change over 64 runs falls below 0.02 after a few
// hundred runs. Values that never repeat: it is log2(n), and changes by less over 64 runs from
// n = 4650 on, where log2(n / (n - 64)) = 0.02.
TEST(Stopping, OfEntropyWaitsForTheHistogram) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const auto runs = runs_until_content("entropy", 10'000, uniform(4, seed));
        EXPECT_GE(runs, 70) << seed;
        EXPECT_LE(runs, 1000) << seed;
    }
    const auto runs =
        runs_until_content("entropy", 10'000, [](std::int64_t run) { return 7 * run; });
    EXPECT_GE(runs, 4500);
    EXPECT_LE(runs, 5250); // The next test.
}

// A run without times counts as a run, and adds no time.
TEST(Stopping, CountsRunsWithoutTimesAsRunsOnly) {
    const auto fixed = make_rule(read_stop("fixed").value(), 2);
    const auto spread = make_rule(read_stop("spread").value(), 1000);
    for (int run = 0; run < 100; ++run) {
        fixed->observe(std::nullopt);
        spread->observe(std::nullopt);
    }
    EXPECT_TRUE(fixed->has_enough());
    EXPECT_FALSE(spread->has_enough());
}

// --- warm-up ----------------------------------------------------------------------------------

WarmUp warmed(std::optional<std::int64_t> count,
              const std::function<std::optional<std::int64_t>(std::int64_t)>& time_of) {
    return warm_up(count,
                   [&](std::int64_t run) -> Result<std::optional<std::int64_t>> {
                       return time_of(run);
                   })
        .value();
}

TEST(WarmUp, MakesAsManyRunsAsAreAskedFor) {
    const auto falling = [](std::int64_t run) { return std::optional{1000 - run}; };
    EXPECT_EQ(warmed(10, falling).runs, 10);
    EXPECT_TRUE(warmed(10, falling).settled);
    EXPECT_EQ(warmed(0, falling).runs, 0);
}

// Constant times settle with the second window. Times that fall for 20 runs: the third window (17
// to 24) is the last one with a better time, so the fourth settles.
TEST(WarmUp, EndsWhenTheBestOfAWindowNoLongerFalls) {
    EXPECT_EQ(warmed(std::nullopt, [](std::int64_t) { return std::optional{24}; }).runs, 16);
    const auto settled = warmed(std::nullopt, [](std::int64_t run) {
        return std::optional{1000 - 10 * std::min<std::int64_t>(run, 20)};
    });
    EXPECT_EQ(settled.runs, 32);
    EXPECT_TRUE(settled.settled);
}

TEST(WarmUp, ReportsThatItDidNotSettle) {
    const auto never =
        warmed(std::nullopt, [](std::int64_t run) { return std::optional{100'000 - run}; });
    EXPECT_EQ(never.runs, most_warm_up);
    EXPECT_FALSE(never.settled);
    EXPECT_FALSE(warmed(std::nullopt, [](std::int64_t) { return std::nullopt; }).settled);
}

TEST(WarmUp, RefusesWhatARunRefuses) {
    const auto refused = warm_up(5, [](std::int64_t run) -> Result<std::optional<std::int64_t>> {
        if (run == 3) return Failure{"no", "device"};
        return std::optional<std::int64_t>{1};
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what, "no");
}

// --- the time of an operation, by two methods ----------------------------------------------------

RegionTimes constant(std::int64_t n, std::int64_t time) {
    return {n, time, time, static_cast<double>(time)};
}

/// 24 + 6 n (V14 Table 19).
std::vector<RegionTimes> independent() {
    std::vector<RegionTimes> regions;
    for (std::int64_t n = 1; n <= 16; ++n)
        regions.push_back(constant(n, 24 + 6 * n));
    return regions;
}

TEST(PerOperation, AgreesOnIndependentOperations) {
    const auto found = per_operation(independent(), constant(0, 24), true);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->n, 8);
    EXPECT_EQ(found->by_slope, 6);
    EXPECT_EQ(found->by_empty, 6);
    EXPECT_EQ(found->overhead, 24);
    EXPECT_EQ(found->disagreement, "");
}

TEST(PerOperation, FindsAnEmptyRegionThatIsWrong) {
    for (const std::int64_t empty : {22, 26}) {
        const auto found = per_operation(independent(), constant(0, empty), true);
        EXPECT_THAT(found->disagreement, HasSubstr("leave 24 cycles for none"));
        EXPECT_THAT(found->disagreement,
                    HasSubstr("the empty region takes " + std::to_string(empty)));
    }
    for (const std::int64_t empty : {23, 25})
        EXPECT_EQ(per_operation(independent(), constant(0, empty), true)->disagreement, "");
}

// A chain: 30 + 18 (n - 1) (V14 Table 20). The slope is the latency; the empty region differs from
// the extrapolation to n = 0, and that is no error.
TEST(PerOperation, DoesNotCompareTheOverheadOfAChain) {
    std::vector<RegionTimes> regions;
    for (std::int64_t n = 1; n <= 16; ++n)
        regions.push_back(constant(n, 12 + 18 * n));
    const auto found = per_operation(regions, constant(0, 24), false);
    EXPECT_EQ(found->by_slope, 18);
    EXPECT_EQ(found->by_empty, 17.25);
    EXPECT_EQ(found->overhead, 12);
    EXPECT_EQ(found->disagreement, "");
}

TEST(PerOperation, IsSilentWhereTimesVaryOrAreNotLinear) {
    auto varying = independent();
    varying[7].worst += 2;
    EXPECT_EQ(per_operation(varying, constant(0, 30), true)->disagreement, "");
    auto bent = independent();
    bent[3] = constant(4, 49);
    EXPECT_EQ(per_operation(bent, constant(0, 30), true)->disagreement, "");
    EXPECT_FALSE(per_operation(independent(), std::nullopt, true)->by_empty);
    EXPECT_FALSE(per_operation(std::array{constant(3, 5), constant(5, 7)}, std::nullopt, true));
    EXPECT_FALSE(per_operation({}, std::nullopt, true));
}

/// The simulated Fermi, with longer times reported for some kernels.
class WrongDevice final : public Device {
public:
    WrongDevice(std::string kernel, std::int64_t error)
        : device_{open_device("simulated:fermi-gtx470").value()}, kernel_{std::move(kernel)},
          error_{error} {}
    [[nodiscard]] DeviceIdentity identity() const override { return device_->identity(); }
    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const override {
        auto prepared = device_->prepare(kernel);
        if (!prepared) return prepared;
        const bool wrong = kernel.name == kernel_;
        return std::unique_ptr<PreparedKernel>{
            std::make_unique<Prepared>(std::move(prepared).value(), wrong ? error_ : 0)};
    }

private:
    class Prepared final : public PreparedKernel {
    public:
        Prepared(std::unique_ptr<PreparedKernel> right, std::int64_t error)
            : right_{std::move(right)}, error_{error} {}
        Result<Outcome> run(const RunOptions& options) const override {
            auto outcome = right_->run(options);
            if (outcome)
                for (auto& warp : outcome.value().observation.warps)
                    warp.last_clock = *warp.last_clock + models::Cycles{error_};
            return outcome;
        }

    private:
        std::unique_ptr<PreparedKernel> right_;
        std::int64_t error_;
    };
    std::unique_ptr<Device> device_;
    std::string kernel_;
    std::int64_t error_;
};

/// The result of the points of independent additions on a device.
PerOperation additions_on(const Device& device) {
    const auto fermi = models::load_architecture("fermi-gtx470").value();
    Protocol protocol;
    protocol.repetitions = 20;
    const auto measured = [&](const BenchmarkPoint& point) {
        const auto samples = measure_point(device, point, protocol, nullptr).value().samples;
        std::vector<std::int64_t> times;
        for (const auto& sample : samples)
            times.push_back(sample.times.front());
        const Summary summary = summarise(times);
        return RegionTimes{axis_value(point.axes, "n", 0), summary.best, summary.worst,
                           summary.mean};
    };
    const auto empty = points_of("empty-region", fermi).value();
    const auto additions = points_of("independent-add", fermi).value();
    std::vector<RegionTimes> regions;
    for (const auto& point : additions)
        regions.push_back(measured(point));
    return per_operation(regions, measured(empty.front()), additions.front().adds_to_empty).value();
}

TEST(PerOperation, FindsADeviceWhoseEmptyRegionIsWrong) {
    EXPECT_EQ(additions_on(WrongDevice{"", 0}).disagreement, "");
    EXPECT_EQ(additions_on(WrongDevice{"empty-region/warps=1", 1}).disagreement, "");
    for (const std::int64_t error : {-2, 2}) {
        const auto found = additions_on(WrongDevice{"empty-region/warps=1", error});
        EXPECT_THAT(found.disagreement,
                    HasSubstr("leave 24 cycles for none, but the empty region takes " +
                              std::to_string(24 + error)));
        EXPECT_EQ(found.by_slope, 6);
    }
}

} // namespace
} // namespace warpbound::harness
