// Tests of order on published and planted samples. The golden sample and its values: see
// `golden_series`.
#include "harness/protocol/bootstrap.hpp"
#include "harness/protocol/order_tests.hpp"
#include "harness/protocol/run_order.hpp"
#include "models/statistics/resampling.hpp"

#include <boost/math/statistics/ljung_box.hpp>
#include <boost/math/statistics/runs_test.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpbound::harness {
namespace {

/// 40 quantiles of a Gumbel distribution of mean about 1014, in an order that alternates:
/// x_i = 1000 - 25 ln(-ln((i + 0.56) / 40.12)) to three places, run j has x at (17 j + 5) mod 40.
std::vector<double> golden_series() {
    std::vector<double> sorted;
    for (int i = 0; i < 40; ++i) {
        const double value = 1000 - 25 * std::log(-std::log((i + 0.56) / 40.12));
        sorted.push_back(std::round(value * 1000) / 1000);
    }
    std::vector<double> series;
    for (std::size_t run = 0; run < 40; ++run)
        series.push_back(sorted[(17 * run + 5) % 40]);
    return series;
}

/// Independent random times: 1000 to 1000 + spread - 1.
std::vector<std::int64_t> independent(std::size_t runs, std::uint64_t spread, std::uint64_t seed) {
    models::Resampling random_source{seed, "sample", 0};
    std::vector<std::int64_t> times;
    for (std::size_t run = 0; run < runs; ++run)
        times.push_back(1000 + static_cast<std::int64_t>(random_source.below(spread)));
    return times;
}

std::vector<double> doubles(const std::vector<std::int64_t>& times) {
    return {times.begin(), times.end()};
}

TEST(OrderTests, ReproduceTheGoldenSample) {
    const auto series = golden_series();
    EXPECT_DOUBLE_EQ(series[0], 982.97);
    EXPECT_DOUBLE_EQ(series[1], 1013.804);
    const auto box = ljung_box_test(series, 5);
    ASSERT_TRUE(box.decision);
    EXPECT_NEAR(box.decision->statistic, 6.4921271187, 1e-9);
    EXPECT_NEAR(box.decision->p_value, 0.261231891, 1e-9);
    const auto runs = runs_test(series);
    ASSERT_TRUE(runs.decision);
    EXPECT_NEAR(runs.decision->statistic, 4.164701291, 1e-8);
    EXPECT_NEAR(runs.decision->p_value, 3.1176e-5, 1e-8);
    const auto halves = halves_test(series);
    ASSERT_TRUE(halves.decision);
    EXPECT_NEAR(halves.decision->statistic, 0.15, 1e-6);
    EXPECT_NEAR(halves.decision->p_value, 0.978036, 1e-6);
}

TEST(OrderTests, AgreeWithBoost) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        const auto values = doubles(independent(101, 1'000'000, seed));
        const auto [box, box_p] = boost::math::statistics::ljung_box(values, 7);
        const auto found = ljung_box_test(values, 7).decision;
        ASSERT_TRUE(found);
        EXPECT_NEAR(found->statistic, box, 1e-9);
        EXPECT_NEAR(found->p_value, box_p, 1e-9);
    }
    // Boost drops the values that equal the median; of an even number of values none does.
    const auto values = doubles(independent(100, 1'000'000, 1));
    const auto [z, p] = boost::math::statistics::runs_above_and_below_median(values);
    const auto found = runs_test(values).decision;
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->statistic, z, 1e-9);
    EXPECT_NEAR(found->p_value, p, 1e-9);
}

// Smirnov's distribution: 5 % at 1.358, 1 % at 1.628, 50 % at 0.828. A first half 0..99 and a
// second half moved by k has the distance k / 100: lambda = k / 100 * sqrt(50).
TEST(OrderTests, HaveTheTabledLevelsOfHalves) {
    const auto p_of = [](int moved) {
        std::vector<double> values;
        for (int i = 0; i < 100; ++i)
            values.push_back(i);
        for (int i = 0; i < 100; ++i)
            values.push_back(i + moved - 0.5);
        return halves_test(values).decision->p_value;
    };
    const auto exact = [](double lambda) {
        return 2 * (std::exp(-2 * lambda * lambda) - std::exp(-8 * lambda * lambda) +
                    std::exp(-18 * lambda * lambda));
    };
    for (const int moved : {12, 15, 19, 23})
        EXPECT_NEAR(p_of(moved), exact(moved / 100.0 * std::sqrt(50)), 1e-4) << moved;
    EXPECT_LT(p_of(23), 0.0116); // lambda 1.626
    EXPECT_GT(p_of(19), 0.05);   // lambda 1.344
}

// Among three with and three without, 20 orders: 2 have two runs, 4 have three.
TEST(OrderTests, CountOrdersExactly) {
    EXPECT_NEAR(clustering_test({true, true, true, false, false, false}).decision->p_value, 0.1,
                1e-12);
    EXPECT_NEAR(clustering_test({true, true, false, false, false, true}).decision->p_value, 0.3,
                1e-12);
    EXPECT_NEAR(clustering_test({true, false, true, false, true, false}).decision->p_value, 1,
                1e-12);
}

TEST(OrderTests, DecideNothingOnDegenerateSamples) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::vector<double>> samples{
        {}, {5}, {5, 5}, {5, 6}, std::vector<double>(500, 42.0), std::vector<double>(500, nan),
    };
    for (const auto& sample : samples) {
        SCOPED_TRACE(sample.size());
        for (const auto& test : {runs_test(sample), ljung_box_test(sample), halves_test(sample)}) {
            EXPECT_FALSE(test.decision) << test.name;
            EXPECT_FALSE(test.note.empty()) << test.name;
        }
        EXPECT_FALSE(lag_one_correlation(sample));
    }
    EXPECT_EQ(runs_test(std::vector<double>(500, 42.0)).note, "constant");
    EXPECT_FALSE(clustering_test({}).decision);
    EXPECT_FALSE(clustering_test({true, false, false}).decision);
}

// A value that one run in 50 has: the runs test is not applicable, but the other tests decide.
TEST(OrderTests, DecideOnTwoValues) {
    std::vector<double> values(500, 100.0);
    for (std::size_t run = 0; run < values.size(); run += 2)
        values[run] = 104;
    EXPECT_LT(runs_test(values).decision->p_value, 1e-9);
    EXPECT_LT(ljung_box_test(values).decision->p_value, 1e-9);
    EXPECT_NEAR(*lag_one_correlation(values), -1, 0.01);
    EXPECT_GT(halves_test(values).decision->p_value, 0.5);
    std::vector<double> rare(500, 100.0);
    rare[7] = rare[400] = 104;
    EXPECT_FALSE(runs_test(rare).decision);
    EXPECT_GT(halves_test(rare).decision->p_value, 0.5);
}

TEST(OrderTests, DoNotDependOnShiftAndScale) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const auto times = independent(200, 40, seed);
        std::vector<double> moved;
        for (const auto time : times)
            moved.push_back(1e6 + 8 * static_cast<double>(time));
        const auto values = doubles(times);
        EXPECT_EQ(runs_test(values), runs_test(moved));
        EXPECT_EQ(halves_test(values), halves_test(moved));
        EXPECT_NEAR(ljung_box_test(values).decision->p_value,
                    ljung_box_test(moved).decision->p_value, 1e-9);
    }
}

// The two halves are exchanged: the same distance, the same p-value.
TEST(OrderTests, AreTheSameForExchangedHalves) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        auto values = doubles(independent(200, 1'000'000'000, seed));
        const auto before = halves_test(values);
        std::rotate(values.begin(), values.begin() + 100, values.end());
        EXPECT_EQ(before, halves_test(values)) << seed;
    }
}

// Of 1000 independent samples (fixed seeds) a test at 5 % is significant in about 50; the sample
// deviation is 7. With ties the p-value of halves comes from permutations.
TEST(OrderTests, KeepTheirLevelOnIndependentRuns) {
    for (const std::uint64_t spread : {1'000'000ULL, 5ULL}) {
        int runs = 0;
        int box = 0;
        int halves = 0;
        for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
            const auto values = doubles(independent(100, spread, seed));
            runs += runs_test(values).decision->p_value < 0.05 ? 1 : 0;
            box += ljung_box_test(values).decision->p_value < 0.05 ? 1 : 0;
            halves += halves_test(values).decision->p_value < 0.05 ? 1 : 0;
        }
        EXPECT_LE(runs, 75) << spread;
        EXPECT_LE(box, 75) << spread;
        EXPECT_LE(halves, 75) << spread;
        EXPECT_GE(runs, 25) << spread;
        EXPECT_GE(box, 25) << spread;
        EXPECT_GE(halves, 20) << spread; // The asymptotic p-value errs large.
    }
}

TEST(Holm, MultipliesTheSmallestByAll) {
    const auto corrected = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
    // Sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1 (not below the one before).
    EXPECT_DOUBLE_EQ(corrected[3], 0.02);
    EXPECT_DOUBLE_EQ(corrected[0], 0.03);
    EXPECT_DOUBLE_EQ(corrected[2], 0.06);
    EXPECT_DOUBLE_EQ(corrected[1], 0.06);
    EXPECT_TRUE(holm({}).empty());
}

// --- the order tests of a series -------------------------------------------------------------

RunOrder examined(const std::vector<std::int64_t>& times) {
    RunOrder report = examine(times);
    std::vector<RunOrder*> all{&report};
    correct(all);
    return report;
}

TEST(RunOrder, FindsNothingInIndependentRuns) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        if (examined(independent(500, 20, seed)).drift() == Drift::Found) ++found;
    EXPECT_LE(found, 5); // 1 % of 200, and twice the deviation more.
}

TEST(RunOrder, FindsAPlantedDrift) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto times = independent(500, 20, seed);
        for (std::size_t run = 0; run < times.size(); ++run)
            times[run] += static_cast<std::int64_t>(run / 50);
        const auto found = examined(times).found();
        EXPECT_NE(std::find(found.begin(), found.end(), "halves"), found.end()) << seed;
    }
}

TEST(RunOrder, FindsAPlantedAlternation) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto times = independent(500, 20, seed);
        for (std::size_t run = 0; run < times.size(); run += 2)
            times[run] += 12;
        const RunOrder report = examined(times);
        const auto found = report.found();
        EXPECT_NE(std::find(found.begin(), found.end(), "runs"), found.end()) << seed;
        EXPECT_LT(*report.lag_one, -0.2) << seed;
    }
}

// 1 % of the runs are 300 cycles longer: scattered, they are a mode; consecutive, a mode limited in
// time.
TEST(RunOrder, FindsAPlantedMixture) {
    auto scattered = independent(1000, 10, 1);
    auto consecutive = scattered;
    for (std::size_t i = 0; i < 10; ++i) {
        scattered[(i * 97 + 13) % 1000] += 300;
        consecutive[400 + i] += 300;
    }
    const RunOrder mixture = examined(scattered);
    ASSERT_EQ(mixture.modes.size(), 2U);
    EXPECT_EQ(mixture.modes[1].mode.count, 10);
    EXPECT_EQ(mixture.modes[1].mode.first_run, 13);
    EXPECT_EQ(mixture.modes[1].mode.last_run, 886);
    EXPECT_EQ(mixture.drift(), Drift::None);
    const RunOrder episode = examined(consecutive);
    EXPECT_EQ(episode.drift(), Drift::Found);
    const auto found = episode.found();
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [](const std::string& name) { return name.rfind("mode 13", 0) == 0; }));
}

TEST(RunOrder, ReportsThatNothingIsDecided) {
    for (const std::vector<std::int64_t>& times :
         {std::vector<std::int64_t>{}, {7}, {7, 8}, std::vector<std::int64_t>(500, 24)}) {
        const RunOrder report = examined(times);
        EXPECT_EQ(report.drift(), Drift::NotDecided);
        EXPECT_FALSE(report.lag_one);
        EXPECT_TRUE(report.modes.empty());
    }
}

// The tests of 100 series are corrected jointly: a series that is significant at 1 % on its own is
// not.
TEST(RunOrder, IsCorrectedForAllSeriesOfAReport) {
    std::vector<RunOrder> report;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
        report.push_back(examine(independent(500, 1'000'000, seed)));
    std::vector<RunOrder*> all;
    for (auto& one : report)
        all.push_back(&one);
    correct(all);
    for (const auto& one : report) {
        EXPECT_EQ(one.drift(), Drift::None);
        for (const auto& test : one.tests)
            EXPECT_GE(test.decision->corrected, test.decision->p_value);
    }
}

TEST(RunOrder, TakesTheLargestTimeOfARun) {
    EXPECT_EQ(run_times({{0, 1, {5, 9, 7}}, {1, 2, {}}, {2, 3, {4}}}),
              (std::vector<std::int64_t>{9, 4}));
}

// --- intervals --------------------------------------------------------------------------------

std::vector<std::vector<std::int64_t>> one_a_run(const std::vector<std::int64_t>& times) {
    std::vector<std::vector<std::int64_t>> runs;
    for (const auto time : times)
        runs.push_back({time});
    return runs;
}

// The mean of 1000..1099 is 1049.5. The share of intervals that hold it is between 90 and 99 %.
TEST(Bootstrap, CoversTheMeanInMostIntervals) {
    int mean = 0;
    int median = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto intervals = bootstrap(one_a_run(independent(200, 100, seed)), seed).intervals;
        ASSERT_TRUE(intervals);
        EXPECT_EQ(intervals->replicates, 1000);
        mean += intervals->mean.lo <= 1049.5 && 1049.5 <= intervals->mean.hi ? 1 : 0;
        median += intervals->median.lo <= 1049.5 && 1049.5 <= intervals->median.hi ? 1 : 0;
        EXPECT_LE(intervals->p99.lo, intervals->p99.hi);
        EXPECT_GE(intervals->p99.lo, intervals->median.hi);
    }
    EXPECT_GE(mean, 180);
    EXPECT_LE(mean, 198);
    EXPECT_GE(median, 180);
    EXPECT_LE(median, 199);
}

TEST(Bootstrap, IsTheSameForTheSameSeedAndMovesWithTheSample) {
    const auto times = independent(300, 50, 3);
    const auto first = bootstrap(one_a_run(times), 7).intervals;
    EXPECT_EQ(first, bootstrap(one_a_run(times), 7).intervals);
    EXPECT_NE(first, bootstrap(one_a_run(times), 8).intervals);
    auto moved = times;
    for (auto& time : moved)
        time += 1'000'000;
    const auto shifted = bootstrap(one_a_run(moved), 7).intervals;
    EXPECT_NEAR(shifted->mean.lo, first->mean.lo + 1e6, 1e-6);
    EXPECT_EQ(shifted->median.hi, first->median.hi + 1e6);
    EXPECT_EQ(shifted->p99.hi, first->p99.hi + 1e6);
}

// Warps of a run are drawn together: sixteen equal times per run carry no more information than
// one.
TEST(Bootstrap, DrawsWholeRuns) {
    const auto times = independent(200, 100, 5);
    std::vector<std::vector<std::int64_t>> sixteen;
    for (const auto time : times)
        sixteen.emplace_back(16, time);
    EXPECT_EQ(bootstrap(sixteen, 1).intervals->mean,
              bootstrap(one_a_run(times), 1).intervals->mean);
}

TEST(Bootstrap, DecidesNothingOnDegenerateSamples) {
    for (const std::vector<std::int64_t>& times :
         {std::vector<std::int64_t>{}, {7}, std::vector<std::int64_t>(500, 24)}) {
        const auto result = bootstrap(one_a_run(times));
        EXPECT_FALSE(result.intervals);
        EXPECT_FALSE(result.why_not.empty());
    }
    EXPECT_TRUE(bootstrap(one_a_run({7, 8})).intervals);
    // Some of 1000 replicates would consist only of the run without times.
    const std::vector<std::vector<std::int64_t>> lacking{{7}, {}, {8}};
    EXPECT_EQ(bootstrap(lacking).why_not, "a run without times");
    EXPECT_FALSE(bootstrap(one_a_run(std::vector<std::int64_t>(300'000, 5))).intervals);
}

} // namespace
} // namespace warpbound::harness
