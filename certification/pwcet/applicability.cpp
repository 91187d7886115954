#include "certification/pwcet/applicability.hpp"

#include "harness/protocol/stationarity_tests.hpp"
#include "harness/protocol/statistics.hpp"
#include "models/statistics/extremes.hpp"
#include "models/statistics/tail_gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::certification {

namespace {

constexpr std::size_t lags = 20;
constexpr std::size_t fewest_spacings = 20;
/// Of a large sample: the resampled p-value fits them again 999 times.
constexpr std::size_t most_spacings = 1000;

std::string modes_text(const SeriesPwcet& series) {
    std::string text;
    for (const auto& mode : series.figures.modes)
        text +=
            fmt::format("{}{}..{} ({} runs, from run {} to run {})", text.empty() ? "" : "; ",
                        time_text(series.times, mode.lowest), time_text(series.times, mode.highest),
                        mode.count, mode.first_run, mode.last_run);
    return text;
}

harness::OrderTest gap_test(const SeriesPwcet& series, std::span<const double> sorted) {
    const std::size_t count = std::clamp(sorted.size() / 10, fewest_spacings, most_spacings);
    const auto gap = models::tail_gap(sorted, count, lattice_of(series), series.seed);
    if (!gap)
        return {"tail gap", std::nullopt, fmt::format("the {} largest times are equal", count)};
    return {"tail gap", harness::Decision{gap->share, gap->p_value, gap->p_value},
            fmt::format("{} runs from {:.{}f} on, the next below is {:.{}f}{}", gap->above, gap->to,
                        series.times.decimals, gap->from, series.times.decimals,
                        gap->resampled ? "; ties: 999 replicates" : "")};
}

} // namespace

std::vector<double> values_of(const TimesInRunOrder& times) {
    std::vector<double> values;
    values.reserve(times.ticks.size());
    for (const std::int64_t ticks : times.ticks)
        values.push_back(static_cast<double>(ticks) * times.tick);
    return values;
}

std::string time_text(const TimesInRunOrder& times, std::int64_t ticks) {
    return fmt::format("{:.{}f}", static_cast<double>(ticks) * times.tick, times.decimals);
}

models::Lattice lattice_of(const SeriesPwcet& series) {
    return {static_cast<double>(series.figures.lattice) * series.times.tick, series.figures.least};
}

void describe_sample(SeriesPwcet& series) {
    const auto& ticks = series.times.ticks;
    SampleFigures& figures = series.figures;
    figures.runs = static_cast<std::int64_t>(ticks.size());
    if (ticks.size() < 2) {
        // One run shows nothing of a tail, but it may refute a bound.
        if (!ticks.empty()) {
            figures.distinct = 1;
            figures.least = static_cast<double>(ticks.front()) * series.times.tick;
            figures.median = figures.least;
            figures.high_water_mark = figures.least;
        }
        series.reasons.push_back(ticks.empty() ? fmt::format("no runs; needs {}", fewest_pwcet_runs)
                                               : fmt::format("1 run; needs {}", fewest_pwcet_runs));
        return;
    }
    const auto summary = harness::summarise(ticks);
    figures.distinct = summary.distinct;
    figures.lattice = models::lattice_step(ticks);
    figures.least = static_cast<double>(summary.best) * series.times.tick;
    figures.median = static_cast<double>(summary.median) * series.times.tick;
    figures.high_water_mark = static_cast<double>(summary.worst) * series.times.tick;
    figures.first_worst_run = summary.first_worst_run;
    figures.modes = summary.modes;
    if (summary.distinct == 1) {
        series.outcome = PwcetOutcome::Constant;
        return;
    }
    if (ticks.size() < fewest_pwcet_runs)
        series.reasons.push_back(fmt::format("{} runs; needs {}", ticks.size(), fewest_pwcet_runs));
    if (static_cast<std::size_t>(summary.distinct) < fewest_distinct) {
        std::string counts;
        for (const auto& value : summary.values)
            counts += fmt::format("{}{} ({} runs)", counts.empty() ? "" : ", ",
                                  time_text(series.times, value.value), value.count);
        series.reasons.push_back(fmt::format("{} distinct times; needs {}: {}", summary.distinct,
                                             fewest_distinct, counts));
    }
}

void judge(SeriesPwcet& series, std::vector<harness::OrderTest>& family,
           const std::string& meaning) {
    std::vector<double> p_values;
    for (const auto& test : family)
        if (test.decision) p_values.push_back(test.decision->p_value);
    const auto corrected = harness::holm(p_values);
    std::size_t next = 0;
    for (auto& test : family) {
        if (!test.decision) {
            series.reasons.push_back(
                fmt::format("test {} cannot decide: {}", test.name, test.note));
            continue;
        }
        test.decision->corrected = corrected[next++];
        const auto text = [&](std::string_view how) {
            return fmt::format("test {} rejects {}{}: p {:.3g}, corrected {:.3g} ({})", test.name,
                               meaning, how, test.decision->p_value, test.decision->corrected,
                               test.note);
        };
        if (test.decision->corrected < pwcet_level)
            series.reasons.push_back(text(""));
        else if (test.decision->p_value < pwcet_level)
            series.warnings.push_back(text(" before the correction only"));
    }
}

void test_runs(SeriesPwcet& series, std::span<const double> in_run_order,
               std::span<const double> sorted) {
    if (series.figures.modes.size() > 1)
        series.reasons.push_back("test modes finds several (dip test, 1 %): " + modes_text(series));
    // Differences to the least time: a large offset would cost digits.
    std::vector<double> values{in_run_order.begin(), in_run_order.end()};
    for (double& value : values)
        value -= series.figures.least;
    series.before = {harness::runs_test(values),
                     harness::ljung_box_test(values, lags),
                     harness::halves_test(values, series.seed),
                     harness::kpss_test(values),
                     harness::change_point_test(values),
                     gap_test(series, sorted)};
    judge(series, series.before, "independent, identically distributed runs");
    std::vector<std::string> passed;
    for (const auto& test : series.before)
        if (test.decision && test.decision->corrected >= pwcet_level) passed.push_back(test.name);
    // The first step of Holm's correction: the strictest level that a test may be held to.
    series.detectable = detectable_effects(passed, values.size(), lags,
                                           pwcet_level / static_cast<double>(series.before.size()));
}

} // namespace warpbound::certification
