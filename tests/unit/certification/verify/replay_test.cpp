/// \file
/// Which recorded runs are simulated again, and what a wrong one says.
#include "certification/verify/replay.hpp"
#include "tests/unit/certification/sample_bundle.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace warpbound::certification::verify {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

Series series_of_times(const std::vector<std::int64_t>& times) {
    Series series{"inputs/K1/samples-1.json", {}, {}};
    for (const std::int64_t time : times)
        series.samples.add(0, std::span{&time, 1});
    return series;
}

TEST(Replay, TakesAllRunsOfAShortSeries) {
    EXPECT_THAT(chosen_runs(series_of_times({5, 4, 6}), {}), testing::ElementsAre(0, 1, 2));
}

TEST(Replay, TakesAllRunsWhenAsked) {
    EXPECT_THAT(chosen_runs(series_of_times(std::vector<std::int64_t>(500, 7)), {true, 1}),
                SizeIs(500));
}

TEST(Replay, TakesAtLeastSixteenAndAtMost256AndTheExtremes) {
    std::vector<std::int64_t> times(40, 7);
    times[23] = 9;
    times[31] = 5;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        const auto runs = chosen_runs(series_of_times(times), {false, seed});
        EXPECT_GE(runs.size(), 16U);
        EXPECT_LE(runs.size(), 18U);
        EXPECT_THAT(runs, Contains(23U));
        EXPECT_THAT(runs, Contains(31U));
        EXPECT_TRUE(std::is_sorted(runs.begin(), runs.end()));
    }
    EXPECT_LE(chosen_runs(series_of_times(std::vector<std::int64_t>(10'000, 7)), {}).size(), 258U);
}

TEST(Replay, EverySeedChoosesOtherRuns) {
    const Series series = series_of_times(std::vector<std::int64_t>(500, 7));
    std::set<std::vector<std::size_t>> choices;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        choices.insert(chosen_runs(series, {false, seed}));
    EXPECT_THAT(choices, SizeIs(20));
    EXPECT_EQ(chosen_runs(series, {false, 3}), chosen_runs(series, {false, 3}));
}

TEST(Replay, HoldsOnRunsThatWereSimulatedForAnyNumberOfThreads) {
    const Evidence evidence = read_evidence(tests::plain(bundle().files));
    for (const unsigned threads : {1U, 4U}) {
        const StepResult step = check_replay(evidence, {true, 1}, threads);
        EXPECT_EQ(step.verdict, Verdict::Holds) << step.detail;
        EXPECT_THAT(step.detail, HasSubstr("40 of 40 runs in 2 series"));
    }
}

TEST(Replay, NamesTheFirstRunThatIsWrongForAnyNumberOfThreads) {
    const Evidence evidence = read_evidence(tests::plain(bundle().files));
    auto samples = evidence.kernels[1]->series[0].samples.unpacked();
    samples[4].times[0] += 1;
    samples[15].times[0] += 1;
    evidence.kernels[1]->series[0].samples = samples;
    for (const unsigned threads : {1U, 4U}) {
        const StepResult step = check_replay(evidence, {true, 1}, threads);
        EXPECT_EQ(step.verdict, Verdict::Failed);
        EXPECT_THAT(step.detail, HasSubstr("inputs/K2/samples-1.json: run 4 (seed "));
    }
}

TEST(Replay, FindsASeriesOfAnotherMachine) {
    const Evidence evidence = read_evidence(tests::plain(bundle().files));
    evidence.kernels[0]->series[0].key.device = "cuda:0";
    const StepResult step = check_replay(evidence, {}, 1);
    EXPECT_EQ(step.verdict, Verdict::Failed);
    EXPECT_THAT(step.detail, HasSubstr("expected 'simulated:turing-t4'"));
}

} // namespace
} // namespace warpbound::certification::verify
