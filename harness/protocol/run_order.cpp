#include "harness/protocol/run_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

bool significant(const OrderTest& test) {
    return test.decision && test.decision->corrected < drift_level;
}

/// Visits every test, the tests of modes last.
template <typename Report, typename Visit> void for_each_test(Report& report, Visit visit) {
    for (auto& test : report.tests)
        visit(test);
    for (auto& mode : report.modes)
        visit(mode.clustering);
}

/// The modes with the most members, ordered by time.
std::vector<Mode> largest_modes(std::vector<Mode> modes) {
    constexpr std::size_t most_modes = 16;
    if (modes.size() <= most_modes) return modes;
    std::stable_sort(modes.begin(), modes.end(),
                     [](const Mode& a, const Mode& b) { return a.count > b.count; });
    modes.resize(most_modes);
    std::sort(modes.begin(), modes.end(),
              [](const Mode& a, const Mode& b) { return a.lowest < b.lowest; });
    return modes;
}

} // namespace

std::string_view to_string(Drift drift) {
    switch (drift) {
    case Drift::NotDecided:
        return "not decided";
    case Drift::None:
        return "none found";
    case Drift::Found:
        break;
    }
    return "found";
}

Drift RunOrder::drift() const {
    bool decided = false;
    bool found = false;
    for_each_test(*this, [&](const OrderTest& test) {
        decided = decided || test.decision.has_value();
        found = found || significant(test);
    });
    if (found) return Drift::Found;
    return decided ? Drift::None : Drift::NotDecided;
}

std::vector<std::string> RunOrder::found() const {
    std::vector<std::string> names;
    for (const auto& test : tests)
        if (significant(test)) names.push_back(test.name);
    for (const auto& [mode, clustering] : modes)
        if (significant(clustering))
            names.push_back(fmt::format("mode {}..{}", mode.lowest, mode.highest));
    return names;
}

std::optional<std::int64_t> run_time(const Sample& sample) {
    if (!counts(sample.remark.anomaly) || sample.times.empty()) return std::nullopt;
    return *std::max_element(sample.times.begin(), sample.times.end());
}

std::vector<std::int64_t> run_times(const std::vector<Sample>& samples) {
    std::vector<std::int64_t> times;
    times.reserve(samples.size());
    for (const auto& sample : samples)
        if (const auto time = run_time(sample)) times.push_back(*time);
    return times;
}

RunOrder examine(std::span<const std::int64_t> run_times) {
    RunOrder report;
    // Use differences to the smallest time: a large offset would cost precision.
    std::vector<double> values;
    values.reserve(run_times.size());
    const std::int64_t smallest =
        run_times.empty() ? 0 : *std::min_element(run_times.begin(), run_times.end());
    for (const std::int64_t time : run_times)
        values.push_back(static_cast<double>(static_cast<std::uint64_t>(time) -
                                             static_cast<std::uint64_t>(smallest)));
    report.tests = {runs_test(values), ljung_box_test(values), halves_test(values)};
    report.lag_one = lag_one_correlation(values);
    if (run_times.empty()) return report;
    const auto modes = largest_modes(summarise(run_times).clusters);
    if (modes.size() < 2) return report;
    for (const Mode& mode : modes) {
        std::vector<bool> members;
        members.reserve(run_times.size());
        for (const std::int64_t time : run_times)
            members.push_back(time >= mode.lowest && time <= mode.highest);
        report.modes.push_back({mode, clustering_test(members)});
    }
    return report;
}

void correct(std::span<RunOrder*> report) {
    std::vector<double> p_values;
    for (auto* one : report)
        for_each_test(*one, [&](const OrderTest& test) {
            if (test.decision) p_values.push_back(test.decision->p_value);
        });
    const auto corrected = holm(p_values);
    std::size_t next = 0;
    for (auto* one : report)
        for_each_test(*one, [&](OrderTest& test) {
            if (test.decision) test.decision->corrected = corrected[next++];
        });
}

} // namespace warpbound::harness
