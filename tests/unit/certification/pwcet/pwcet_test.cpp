#include "certification/pwcet/estimate_pwcet.hpp"
#include "certification/pwcet/pwcet_report.hpp"
#include "certification/pwcet/times_csv.hpp"
#include "models/statistics/resampling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace warpbound::certification {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int usual_runs = 1000;

/// `time` of a run index and a uniform number, as whole cycles. Some seeds give exponential runs
/// that a test refuses by chance, at the levels that it states; with this one none does.
TimesInRunOrder made(const std::function<double(int, double)>& time, int runs = usual_runs,
                     std::uint64_t seed = 4) {
    TimesInRunOrder times;
    times.name = "made";
    times.digest = "sha256:made";
    models::Resampling random{seed, "pwcet test", 0};
    for (int run = 0; run < runs; ++run)
        times.ticks.push_back(std::llround(time(run, random.uniform())));
    return times;
}

double exponential(int, double uniform) {
    return 10000 - 100 * std::log(uniform);
}

PwcetRequest request(ExtremesBy method, TailShape shape = TailShape::Zero) {
    PwcetRequest request;
    request.method = method;
    request.shape = shape;
    return request;
}

SeriesPwcet estimated(const TimesInRunOrder& times,
                      const PwcetRequest& wanted = request(ExtremesBy::ResidualVariation)) {
    return estimate_pwcet(times, wanted);
}

void expect_refused(const SeriesPwcet& series, const std::string& reason) {
    EXPECT_EQ(series.outcome, PwcetOutcome::Refused);
    EXPECT_THAT(series.reasons, Contains(HasSubstr(reason)));
    EXPECT_THAT(series.rows, IsEmpty());
}

TEST(Pwcet, OfExponentialRunsHoldsTheTrueQuantileForEveryMethod) {
    const auto times = made(exponential);
    for (const auto method :
         {ExtremesBy::ResidualVariation, ExtremesBy::Threshold, ExtremesBy::BlockMaxima}) {
        const SeriesPwcet series = estimated(times, request(method));
        ASSERT_EQ(series.outcome, PwcetOutcome::Estimated)
            << to_string(method) << testing::PrintToString(series.reasons);
        for (const auto& row : series.rows) {
            const double truth = 10000 - 100 * std::log(row.probability);
            EXPECT_LE(row.interval.lo, truth) << to_string(method) << " " << row.probability;
            EXPECT_GE(row.interval.hi.value(), truth) << to_string(method) << row.probability;
        }
    }
}

/// The correction for the number of excesses: the answer does not follow the threshold.
TEST(Pwcet, OfExponentialRunsIsTheSameForSeveralThresholdsAndBlocks) {
    const auto times = made(exponential);
    const double truth = 10000 - 100 * std::log(1e-9);
    for (const std::int64_t count : {60, 100, 200}) {
        PwcetRequest wanted = request(ExtremesBy::Threshold);
        wanted.exceedances = count;
        const SeriesPwcet series = estimated(times, wanted);
        ASSERT_EQ(series.outcome, PwcetOutcome::Estimated) << count;
        EXPECT_LE(series.rows[2].interval.lo, truth) << count;
        EXPECT_GE(series.rows[2].interval.hi.value(), truth) << count;
    }
    for (const std::int64_t block : {10, 20, 30}) {
        PwcetRequest wanted = request(ExtremesBy::BlockMaxima);
        wanted.block = block;
        const SeriesPwcet series = estimated(times, wanted);
        ASSERT_EQ(series.outcome, PwcetOutcome::Estimated) << block;
        EXPECT_LE(series.rows[2].interval.lo, truth) << block;
        EXPECT_GE(series.rows[2].interval.hi.value(), truth) << block;
    }
}

TEST(Pwcet, WithAFittedShapeHasTheEndPointOfTheRuns) {
    // GPD of shape -0.2 and scale 100: no time is above 10500.
    const auto times =
        made([](int, double uniform) { return 10000 + 500 * (1 - std::pow(uniform, 0.2)); });
    const SeriesPwcet series = estimated(times, request(ExtremesBy::Threshold, TailShape::Fitted));
    ASSERT_EQ(series.outcome, PwcetOutcome::Estimated) << testing::PrintToString(series.reasons);
    EXPECT_LT(models::shape_of(series.fits.front().fit), 0);
    EXPECT_LE(series.rows[3].interval.lo, 10498);
    EXPECT_GE(series.rows[3].interval.hi.value_or(1e9), 10498);
    // The exponential tail is an upper model of it.
    const SeriesPwcet upper = estimated(times, request(ExtremesBy::Threshold));
    ASSERT_EQ(upper.outcome, PwcetOutcome::Estimated);
    EXPECT_GT(upper.rows[3].time.value(), series.rows[3].time.value());
}

TEST(Pwcet, IsRefusedForTwoModes) {
    expect_refused(estimated(made([](int run, double uniform) {
                       return 10000 - 20 * std::log(uniform) + (run * 7919 % 13 < 6 ? 1000 : 0);
                   })),
                   "test modes");
}

TEST(Pwcet, IsRefusedForARareMode) {
    // One run of a hundred has 300 cycles more.
    expect_refused(estimated(made([](int run, double uniform) {
                       return 10000 - 20 * std::log(uniform) + (run * 7919 % 100 == 3 ? 300 : 0);
                   })),
                   "test tail gap");
}

TEST(Pwcet, IsRefusedForDrift) {
    const auto series = estimated(
        made([](int run, double uniform) { return 10000 - 100 * std::log(uniform) + run * 0.1; }));
    expect_refused(series, "test kpss");
    expect_refused(series, "test change point");
}

TEST(Pwcet, IsRefusedForAChangeOfState) {
    expect_refused(estimated(made([](int run, double uniform) {
                       return 10000 - 100 * std::log(uniform) + (run < 700 ? 0 : 40);
                   })),
                   "test change point");
}

TEST(Pwcet, IsRefusedForDependentRuns) {
    double state = 0;
    expect_refused(estimated(made([&](int, double uniform) {
                       state = 0.5 * state - 100 * std::log(uniform);
                       return 10000 + state;
                   })),
                   "test ljung-box");
}

TEST(Pwcet, IsRefusedForAlternatingRuns) {
    expect_refused(estimated(made([](int run, double uniform) {
                       return 10000 - 100 * std::log(uniform) + (run % 2 == 0 ? 40 : 0);
                   })),
                   "test ljung-box");
}

TEST(Pwcet, IsRefusedForAHeavyTail) {
    const auto times =
        made([](int, double uniform) { return 10000 + 200 * (std::pow(uniform, -0.5) - 1); });
    for (const auto method : {ExtremesBy::ResidualVariation, ExtremesBy::Threshold}) {
        const auto series = estimated(times, request(method));
        EXPECT_EQ(series.outcome, PwcetOutcome::Refused);
        EXPECT_THAT(series.reasons, Contains(HasSubstr("tail")));
    }
}

TEST(Pwcet, OfEqualTimesIsAConstantAndNoFit) {
    const auto series = estimated(made([](int, double) { return 4321; }));
    EXPECT_EQ(series.outcome, PwcetOutcome::Constant);
    EXPECT_THAT(series.fits, IsEmpty());
    EXPECT_EQ(series.figures.high_water_mark, 4321);
}

TEST(Pwcet, IsRefusedForFewRunsAndFewValues) {
    for (const int runs : {0, 1})
        expect_refused(estimated(made(exponential, runs)), "needs 100");
    expect_refused(estimated(made(exponential, 50)), "50 runs; needs 100");
    expect_refused(estimated(made([](int, double uniform) { return uniform < 0.5 ? 100 : 102; })),
                   "2 distinct times; needs 10");
}

TEST(Pwcet, FollowsShiftAndScale) {
    const auto times = made(exponential);
    auto moved = times;
    for (auto& ticks : moved.ticks)
        ticks = 1'000'000'000'000 + 3 * ticks;
    for (const auto method : {ExtremesBy::ResidualVariation, ExtremesBy::BlockMaxima}) {
        const auto first = estimated(times, request(method));
        const auto second = estimated(moved, request(method));
        ASSERT_EQ(first.outcome, PwcetOutcome::Estimated);
        ASSERT_EQ(second.outcome, PwcetOutcome::Estimated);
        for (std::size_t i = 0; i < first.rows.size(); ++i)
            EXPECT_NEAR(second.rows[i].time.value(), 1e12 + 3 * first.rows[i].time.value(), 0.01);
        for (std::size_t i = 0; i < first.before.size(); ++i)
            EXPECT_NEAR(first.before[i].decision->p_value, second.before[i].decision->p_value, 1e-6)
                << first.before[i].name;
        EXPECT_NEAR(first.extremes.variation, second.extremes.variation, 1e-9);
    }
}

PwcetReport report_on(const TimesInRunOrder& times, std::optional<std::int64_t> bound) {
    PwcetReport report;
    report.file = "made";
    report.series = {estimate_pwcet(times, report.request)};
    if (bound) report.bound = BoundBeside{*bound, "cycles", "stated-bound", "--bound"};
    return report;
}

TEST(PwcetReport, IsTheSameForTheSameTimes) {
    const auto times = made(exponential);
    EXPECT_EQ(render_json(report_on(times, {})), render_json(report_on(times, {})));
}

TEST(PwcetReport, ShowsThreeKindsInOneTable) {
    const std::string text = render_text(report_on(made(exponential), 20000));
    EXPECT_THAT(text, HasSubstr("pWCET (estimate)"));
    EXPECT_THAT(text, HasSubstr("observed, worst"));
    EXPECT_THAT(text, HasSubstr("stated-bound"));
    EXPECT_THAT(text, Not(HasSubstr("not informative")));
    EXPECT_THAT(text, HasSubstr("not a bound"));
}

TEST(PwcetReport, CallsAnEstimateAboveTheBoundNotInformative) {
    const auto report = report_on(made(exponential), 11500);
    EXPECT_EQ(standing_of(report.series[0], report.series[0].rows[0], report.bound),
              Standing::Plausible);
    EXPECT_EQ(standing_of(report.series[0], report.series[0].rows[3], report.bound),
              Standing::NotInformative);
    EXPECT_THAT(render_text(report), HasSubstr("not informative"));
    EXPECT_FALSE(is_refuted(report));
}

TEST(PwcetReport, CallsAnEstimateBelowTheHighWaterMarkRefuted) {
    auto report = report_on(made(exponential), {});
    auto row = report.series[0].rows[1]; // At 1e-6.
    row.time = models::Estimate<models::RunTime>{report.series[0].figures.high_water_mark - 1};
    EXPECT_EQ(standing_of(report.series[0], row, {}), Standing::Refuted);
    // At 1e-2 ten of 1000 runs may lie above.
    row.probability = 1e-2;
    EXPECT_EQ(standing_of(report.series[0], row, {}), Standing::Plausible);
    row.time = models::Estimate<models::RunTime>{report.series[0].figures.median};
    EXPECT_EQ(standing_of(report.series[0], row, {}), Standing::Refuted);
}

TEST(PwcetReport, CallsABoundBelowTheHighWaterMarkRefuted) {
    const auto report = report_on(made(exponential), 10001);
    EXPECT_TRUE(refutes_bound(report.series[0], report.bound));
    EXPECT_TRUE(is_refuted(report));
}

/// No quantile, no interval, no plot of return levels in any format.
void expect_no_estimate(const PwcetReport& report) {
    ASSERT_EQ(report.series[0].outcome, PwcetOutcome::Refused);
    for (const std::string& text : {render_text(report), render_json(report), render_html(report)})
        for (const std::string word :
             {"95 % interval", "interval-", "return level", "estimates\"", "\"pwcet\"",
              "pWCET (estimate)", "fits", "QQ", "shape by threshold"})
            EXPECT_EQ(text.find(word), std::string::npos) << word;
    EXPECT_THAT(render_text(report), HasSubstr("no pWCET"));
    EXPECT_THAT(render_json(report), HasSubstr("no-pwcet"));
    EXPECT_THAT(render_html(report), HasSubstr("No pWCET"));
}

TEST(PwcetReport, OfARefusedFitHasNoEstimateInAnyFormat) {
    // Fitted, and then rejected: a heavy tail by its shape, a uniform one by goodness of fit.
    for (const auto& time : std::vector<std::function<double(int, double)>>{
             [](int, double uniform) { return 10000 + 2000 * (std::pow(uniform, -0.2) - 1); },
             [](int, double uniform) { return 10000 + 1000 * uniform; }}) {
        PwcetReport report;
        report.request = request(ExtremesBy::Threshold);
        report.request.exceedances = 400;
        report.series = {estimate_pwcet(made(time), report.request)};
        report.bound = BoundBeside{20000, "cycles", "stated-bound", "--bound"};
        ASSERT_FALSE(report.series[0].extremes.values.empty())
            << testing::PrintToString(report.series[0].reasons);
        expect_no_estimate(report);
    }
}

TEST(PwcetReport, OfASeriesWithoutRunsHasNoTime) {
    const auto report = report_on(made(exponential, 0), {});
    expect_refused(report.series[0], "no runs; needs 100");
    expect_no_estimate(report);
    EXPECT_THAT(render_text(report), Not(HasSubstr("worst")));
    EXPECT_THAT(render_json(report), Not(HasSubstr("high-water-mark")));
    EXPECT_EQ(render_html(report).find("worst"), std::string::npos);
}

TEST(PwcetReport, HasAnEnvelopeThatIsTheSlowerInput) {
    const auto fast = estimated(made(exponential));
    const auto slow = estimated(made(
        [](int run, double uniform) { return exponential(run, uniform) + 500; }, usual_runs, 3));
    ASSERT_EQ(slow.outcome, PwcetOutcome::Estimated) << testing::PrintToString(slow.reasons);
    const auto envelope = envelope_of({fast, slow}, {});
    ASSERT_EQ(envelope.size(), 4U);
    for (std::size_t i = 0; i < envelope.size(); ++i)
        EXPECT_EQ(envelope[i].time.value(),
                  std::max(fast.rows[i].time.value(), slow.rows[i].time.value()));
    EXPECT_THAT(envelope_of({fast, estimated(made(exponential, 50))}, {}), IsEmpty());
}

TEST(PwcetReport, ReadsTheUpperBoundOfAnAnalysis) {
    const std::string start = R"({"schema": "warpbound-report/1", "kernel": {"digest": "sha256:a"},
        "claims": [{"quantity": "execution-time", "side": "lower", "value": 7, "unit": "cycles",
        "kind": "proved-bound"}, {"quantity": "execution-time", "side": "upper", "value": 99,
        "unit": "cycles", "kind": ")";
    const auto bound = read_bound({"a.json", start + R"(bound-under-assumptions"}]})"});
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound.value().value, 99);
    EXPECT_EQ(bound.value().kind, "bound-under-assumptions");
    EXPECT_EQ(bound.value().launched.kernel_digest, "sha256:a");
    EXPECT_FALSE(bound.value().launched.launch);
    EXPECT_FALSE(read_bound({"a.json", start + R"(hybrid-estimate"}]})"}));
    EXPECT_FALSE(read_bound({"a.json", "{}"}));
    EXPECT_FALSE(read_bound({"a.json", "[1"}));
}

TEST(PwcetReport, ComparesTheLaunchOfTheBoundWithThatOfTheRuns) {
    const std::string start = R"({"schema": "warpbound-report/1", "policy": "unknown",
        "kernel": {"name": "saxpy", "digest": "sha256:a"}, "architecture": {"digest": "sha256:m"},
        "claims": [{"quantity": "execution-time", "side": "upper", "value": 99, "unit": "cycles",
        "kind": "proved-bound"}], "launch": {"blocks": 2, "threads": 128)";
    auto times = made(exponential, 2);
    times.launched = {.kernel_digest = "sha256:a",
                      .kernel = "saxpy",
                      .launch = models::Launch{.blocks = 2, .threads = 128},
                      .machine_digest = "sha256:m",
                      .policy = "gto",
                      .multiprocessors = 1};
    const auto compared = [&](const std::string& launch) {
        auto bound = read_bound({"a.json", start + launch});
        const auto same = compare_launches(bound.value(), {times});
        return same ? fmt::format("{}", fmt::join(bound.value().not_compared, ", "))
                    : same.error().what;
    };
    EXPECT_EQ(compared(R"(, "text": "2x128"}})"), "");
    EXPECT_EQ(compared("}}"), "shapes and arguments");
    EXPECT_EQ(compared(R"(, "text": "2x128,0x160=7"}})"), "argument 0x160");
    EXPECT_THAT(compared(R"(, "text": "2x64"}})"),
                HasSubstr("launch 2x128, that of the bound is 2x64"));
    EXPECT_THAT(compared(R"(, "text": "2x128", "multiprocessors": 4}})"),
                HasSubstr("multiprocessors 1, that of the bound is 4"));
    times.launched = {};
    EXPECT_EQ(compared(R"(, "text": "2x128"}})"), "code, launch, machine, policy, multiprocessors");
}

Result<TimesInRunOrder> read(const std::string& text) {
    return read_times({"times.csv", text}, "us");
}

TEST(TimesFile, IsReadInRunOrderWithItsDecimals) {
    const auto times = read("time\n# warm\n12.5\n\n7\n8.25\n");
    ASSERT_TRUE(times);
    EXPECT_EQ(times.value().ticks, (std::vector<std::int64_t>{1250, 700, 825}));
    EXPECT_NEAR(times.value().tick, 0.01, 1e-15);
    EXPECT_EQ(times.value().unit, "us");
}

TEST(TimesFile, IsRefusedWithTheLineOfWhatIsNoTime) {
    for (const std::string wrong :
         {"nan", "inf", "-3", "1e9", "1,2", "0x10", "9007199254740993", "1.1234567890", "12.", "."})
        for (const std::string& text : {"5\n" + wrong + "\n6\n"}) {
            const auto times = read(text);
            ASSERT_FALSE(times) << wrong;
            EXPECT_EQ(times.error().line, 2) << wrong;
        }
    EXPECT_FALSE(read("nan\n5\n"));
    EXPECT_FALSE(read(""));
    EXPECT_FALSE(read("time\n"));
    EXPECT_FALSE(read("9007199254740991\n0.5\n"));
}

} // namespace
} // namespace warpbound::certification
