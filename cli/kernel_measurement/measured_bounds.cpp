#include "cli/kernel_measurement/measured_bounds.hpp"

#include "harness/campaign/series_identity.hpp"
#include "harness/protocol/run_order.hpp"
#include "harness/protocol/user_kernel_series.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpbound::cli {

namespace {

constexpr double rate_error = 0.01; ///< Of the clock register (`harness/devices/cuda/clock_rate`).

/// "1410.0 MHz" in hertz; none for another text.
std::optional<double> hertz_of(const std::string* text) {
    if (text == nullptr) return std::nullopt;
    char* end = nullptr;
    const double megahertz = std::strtod(text->c_str(), &end);
    if (end == text->c_str() || std::string{end} != " MHz" || !(megahertz > 0)) return std::nullopt;
    return megahertz * 1e6;
}

Result<BoundCheck> begun(const KernelBound& bound, const harness::SeriesKey& key) {
    const auto comparison = models::compare(bound.launched, harness::identity_of(key));
    if (!comparison.differences.empty())
        return Failure{fmt::format("the bound is not that of these runs: {}",
                                   fmt::join(comparison.differences, "; ")),
                       key.name};
    BoundCheck check;
    check.not_compared = comparison.not_compared;
    return check;
}

} // namespace

std::optional<ClockOfRuns> clock_of_runs(const std::string& stated,
                                         const std::vector<harness::RecordedConditions>& recorded) {
    if (!stated.empty())
        if (const auto range = models::parse_clock(stated))
            return ClockOfRuns{range.value(), "stated"};
    double lowest = 0;
    double highest = 0;
    const auto add = [&](double low, double high) {
        lowest = lowest == 0 ? low : std::min(lowest, low);
        highest = std::max(highest, high);
    };
    for (const auto& [first_run, conditions] : recorded) {
        if (const auto clock = hertz_of(harness::find_condition(conditions, "clock")))
            add(*clock, *clock);
        if (const auto rate = hertz_of(harness::find_condition(conditions, "clock-rate")))
            add(*rate * (1 - rate_error), *rate * (1 + rate_error));
    }
    if (highest == 0) return std::nullopt;
    return ClockOfRuns{{std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(lowest))),
                        static_cast<std::int64_t>(std::ceil(highest))},
                       "read right after the runs; that it was no other during them is assumed"};
}

void hold_against(BoundCheck& check, const std::vector<harness::Sample>& samples) {
    for (const harness::Sample& sample : samples) {
        const auto time = harness::run_time(sample);
        if (!time) continue;
        const bool is_below = *time + check.error.resolution < check.lower;
        const bool is_above = *time - check.error.launch - check.error.resolution > check.upper;
        if (is_below)
            ++check.below;
        else if (is_above)
            ++check.above;
        else if (*time < check.lower || *time > check.upper)
            ++check.undecided;
        else
            ++check.inside;
        if ((is_below || is_above) && !check.outside) check.outside = sample;
    }
}

Result<BoundCheck> check_of(const KernelBound& bound, const harness::SeriesKey& key,
                            const ClockOfRuns& clock, const EventError& error,
                            const std::vector<harness::Sample>& samples) {
    auto check = begun(bound, key);
    if (!check) return check;
    const auto times = models::time_of(bound.cycles, clock.range);
    check.value().unit = "ns";
    check.value().lower = times.lower().count();
    check.value().upper = times.upper().count();
    check.value().error = error;
    check.value().clock = fmt::format("{}, {}", to_string(clock.range), clock.source);
    hold_against(check.value(), samples);
    return check;
}

Result<BoundCheck> check_of(const KernelBound& bound, const harness::SeriesKey& key,
                            const std::vector<harness::Sample>& samples) {
    auto check = begun(bound, key);
    if (!check) return check;
    check.value().unit = "cycles";
    check.value().lower = bound.cycles.lower().count();
    check.value().upper = bound.cycles.upper().count();
    hold_against(check.value(), samples);
    return check;
}

} // namespace warpbound::cli
