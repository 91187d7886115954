#include "cli/kernel_measurement/measured_kernel.hpp"
#include "cli/output/json.hpp"
#include "cli/output/summary_text.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/protocol/run_order.hpp"
#include "harness/protocol/user_kernel_series.hpp"
#include "harness/simulated_identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace warpbound::cli {

namespace {

std::vector<std::int64_t> counted_times(const MeasuredTimes& times) {
    return harness::run_times(times.samples);
}

/// The values of each condition beside the runs, in their first order.
std::vector<std::pair<std::string, std::vector<std::string>>>
states_of(const MeasuredRelease& release) {
    std::map<std::string, std::vector<std::string>> values;
    for (const auto& [first_run, conditions] : release.conditions)
        for (const auto& [name, value] : conditions) {
            auto& known = values[name];
            if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
        }
    return {values.begin(), values.end()};
}

/// "250..1410 MHz" of numbers with one unit; else the values, or how many there are.
std::string range_text(const std::vector<std::string>& values) {
    if (values.size() == 1) return values.front();
    std::string unit;
    std::vector<std::pair<double, std::string>> numbers;
    for (const auto& value : values) {
        char* end = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        const std::string rest{end};
        if (end == value.c_str() || (!numbers.empty() && rest != unit)) {
            numbers.clear();
            break;
        }
        unit = rest;
        numbers.emplace_back(number, value.substr(0, value.size() - rest.size()));
    }
    constexpr std::size_t few = 3;
    if (!numbers.empty()) {
        const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
        return fmt::format("{}..{}{}", least->second, greatest->second, unit);
    }
    if (values.size() <= few) return fmt::format("{}", fmt::join(values, " / "));
    return fmt::format("{} different values", values.size());
}

std::map<harness::RunAnomaly, std::pair<std::int64_t, std::string>>
anomalies_of(const MeasuredRelease& release) {
    std::map<harness::RunAnomaly, std::pair<std::int64_t, std::string>> found;
    for (const auto& sample : release.times.front().samples)
        if (sample.remark.anomaly != harness::RunAnomaly::None) {
            auto& [count, first] = found[sample.remark.anomaly];
            if (count++ == 0) first = fmt::format("run {}: {}", sample.run, sample.remark.text);
        }
    return found;
}

std::string check_text(const MeasuredRelease& release) {
    const BoundCheck& check = *release.check;
    std::string out = fmt::format("  against the bounds {}..{} {}: {} inside, {} below, {} above, "
                                  "{} undecided\n",
                                  check.lower, check.upper, check.unit, check.inside, check.below,
                                  check.above, check.undecided);
    if (!check.clock.empty())
        out += fmt::format("    clock {}\n    a time between events is that of the kernel, at most "
                           "{} ns of its launch (estimated by an empty kernel) and at most {} ns "
                           "of the events' resolution\n",
                           check.clock, check.error.launch, check.error.resolution);
    if (!check.not_compared.empty())
        out += fmt::format("    not compared, because a side does not say it: {}\n",
                           fmt::join(check.not_compared, ", "));
    if (check.outside)
        out += fmt::format("  FINDING: run {} took {} {}, outside the bounds; again:\n    {}\n",
                           check.outside->run, check.outside->times.front(), check.unit,
                           release.reproduction);
    return out;
}

std::string release_text(const MeasuredRelease& release) {
    const auto runs = release.times.front().samples.size();
    std::string out = fmt::format("\nrelease {}, {} runs{}\n", release.release, runs,
                                  release.is_complete ? "" : ", interrupted");
    const std::string unit{harness::unit_of(release.times.front().quantity)};
    out += summary_heading("observed, " + unit);
    for (const auto& times : release.times) {
        const auto counted = counted_times(times);
        if (counted.empty())
            out += fmt::format("{:<40} no run counts\n", times.quantity);
        else
            out += summary_row(times.quantity, harness::summarise(counted));
    }
    for (const auto& [name, values] : states_of(release))
        out += fmt::format("  {}: {}\n", name, range_text(values));
    for (const auto& [anomaly, runs_of] : anomalies_of(release))
        out += fmt::format("  {} of {} runs: {}; first, {}\n", runs_of.first, runs,
                           to_string(anomaly), runs_of.second);
    if (release.wrong_outputs() > 0)
        out += fmt::format("  FINDING: outputs differ between equal runs; again:\n    {}\n",
                           release.reproduction);
    if (release.skipped > 0)
        out += fmt::format("  {} periods passed without a run, because the host was not ready\n",
                           release.skipped);
    if (!release.not_checked.empty())
        out += fmt::format("  not held against the bounds: {}\n", release.not_checked);
    if (release.check) out += check_text(release);
    return out;
}

Json sample_json(const harness::Sample& sample) {
    return {{"run", sample.run},
            {"time", sample.times.empty() ? Json() : Json(sample.times.front())},
            {"anomaly", to_string(sample.remark.anomaly)}};
}

Json check_json(const BoundCheck& check) {
    return {{"kind", "bound-under-assumptions"},
            {"unit", check.unit},
            {"lower", check.lower},
            {"upper", check.upper},
            {"clock", check.clock.empty() ? Json() : Json(check.clock)},
            {"empty-launch", check.error.launch},
            {"event-resolution", check.error.resolution},
            {"inside", check.inside},
            {"below", check.below},
            {"above", check.above},
            {"undecided", check.undecided},
            {"first-outside", check.outside ? sample_json(*check.outside) : Json()},
            {"not-compared", check.not_compared}};
}

Json release_json(const MeasuredRelease& release) {
    Json times = Json::object();
    for (const auto& one : release.times) {
        const auto counted = counted_times(one);
        times[one.quantity] =
            counted.empty()
                ? Json()
                : Json(summary_json(harness::summarise(counted), harness::unit_of(one.quantity)));
    }
    Json state = Json::object();
    for (const auto& [name, values] : states_of(release))
        state[name] = values;
    Json anomalies = Json::object();
    for (const auto& [anomaly, runs] : anomalies_of(release))
        anomalies[std::string{to_string(anomaly)}] = runs.first;
    return {{"release", release.release},
            {"runs", release.times.front().samples.size()},
            {"complete", release.is_complete},
            {"times", times},
            {"state", state},
            {"runs-with-anomalies", anomalies},
            {"periods-skipped", release.skipped},
            {"bounds", release.check ? check_json(*release.check) : Json()},
            {"not-held", release.not_checked.empty() ? Json() : Json(release.not_checked)},
            {"again", release.reproduction}};
}

} // namespace

std::int64_t MeasuredRelease::wrong_outputs() const {
    const auto& samples = times.front().samples;
    return std::count_if(samples.begin(), samples.end(), [](const harness::Sample& sample) {
        return sample.remark.anomaly == harness::RunAnomaly::Output;
    });
}

std::string text_of(const MeasuredKernel& measured) {
    std::string out = fmt::format("{} of {} on {} ({})\nlaunch {}\ninputs {}\n", measured.kernel,
                                  measured.file, measured.device.name, measured.device.detail,
                                  measured.launch, measured.inputs_digest);
    if (const auto& bound = measured.bound) {
        // A simulated device is one multiprocessor.
        const bool on_one = bound->launched.multiprocessors == 1;
        out += fmt::format("bound on {}: {}..{} cycles under {} assumptions, which `warpbound "
                           "bound{}` lists\n",
                           bound->machine, bound->cycles.lower().count(),
                           bound->cycles.upper().count(), bound->assumptions,
                           on_one ? " --multiprocessors 1" : "");
    }
    if (const auto& beside = measured.co_runner)
        out +=
            fmt::format("co-runner {} of {} on a second stream, launch {}, {} ns a launch alone\n",
                        beside->kernel, beside->file, beside->launch, beside->time_alone);
    for (const auto& release : measured.releases)
        out += release_text(release);
    const bool is_above = std::any_of(
        measured.releases.begin(), measured.releases.end(),
        [](const MeasuredRelease& release) { return release.check && release.check->above > 0; });
    if (is_above && measured.device.name.starts_with(harness::simulated_prefix))
        out +=
            "  the bound assumes that latencies of loads contain queueing delay and refreshes; a\n"
            "  simulated memory system adds them. `analyze --runs` draws what the bound assumes\n";
    return out;
}

std::string json_of(const MeasuredKernel& measured) {
    Json releases = Json::array();
    for (const auto& release : measured.releases)
        releases.push_back(release_json(release));
    const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    Json bound;
    if (measured.bound)
        bound = {{"kind", "bound-under-assumptions"},
                 {"machine", measured.bound->machine},
                 {"unit", "cycles"},
                 {"lower", measured.bound->cycles.lower().count()},
                 {"upper", measured.bound->cycles.upper().count()},
                 {"assumptions", measured.bound->assumptions}};
    Json co_runner;
    if (const auto& beside = measured.co_runner)
        co_runner = {{"file", beside->file},
                     {"kernel", beside->kernel},
                     {"launch", beside->launch},
                     {"module-digest", beside->module_digest},
                     {"inputs-digest", beside->inputs_digest},
                     {"unit", "ns"},
                     {"time-alone", beside->time_alone}};
    return json_text("measured-kernel", {{"file", measured.file},
                                         {"kernel", measured.kernel},
                                         {"launch", measured.launch},
                                         {"device", measured.device.name},
                                         {"device-detail", measured.device.detail},
                                         {"module-digest", or_null(measured.module_digest)},
                                         {"kernel-digest", or_null(measured.kernel_digest)},
                                         {"inputs-digest", measured.inputs_digest},
                                         {"bound", bound},
                                         {"co-runner", co_runner},
                                         {"releases", releases}});
}

std::string csv_of(const MeasuredKernel& measured) {
    std::string out = "release,run,quantity,unit,time,anomaly\n";
    for (const auto& release : measured.releases)
        for (const auto& times : release.times)
            for (const auto& sample : times.samples)
                out += fmt::format("{},{},{},{},{},{}\n", release.release, sample.run,
                                   times.quantity, harness::unit_of(times.quantity),
                                   sample.times.empty() ? std::string{}
                                                        : std::to_string(sample.times.front()),
                                   to_string(sample.remark.anomaly));
    return out;
}

Exit exit_of(const MeasuredKernel& measured) {
    bool undecided = false;
    for (const auto& release : measured.releases) {
        if (release.wrong_outputs() > 0 || (release.check && release.check->is_violated()))
            return Exit::Violated;
        if (release.is_complete && counted_times(release.times.front()).empty())
            return Exit::Violated;
        undecided = undecided || !release.is_complete || !release.not_checked.empty() ||
                    (release.check && release.check->undecided > 0);
    }
    return undecided ? Exit::Undecided : Exit::Holds;
}

} // namespace warpbound::cli
