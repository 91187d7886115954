#include "cli/measured_points.hpp"

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::cli {

namespace {

/// What a row summarises: all times, or of clocks the last one of each run.
std::vector<std::int64_t> shown_times(const std::vector<harness::Sample>& samples,
                                      harness::Quantity quantity) {
    return quantity == harness::Quantity::Clocks ? harness::run_times(samples)
                                                 : flat_times(samples);
}

std::vector<std::vector<std::int64_t>> counted_runs(const std::vector<harness::Sample>& samples) {
    std::vector<std::vector<std::int64_t>> runs;
    for (const auto& sample : samples)
        if (counts(sample.remark.trouble)) runs.push_back(sample.times);
    return runs;
}

harness::RegionTimes region_of(const MeasuredPoint& measured) {
    return {harness::axis_value(measured.point.axes, "n", 0), measured.summary.best,
            measured.summary.worst, measured.summary.mean};
}

/// Benchmark and axes without `n`.
std::string operation_name(const harness::BenchmarkPoint& point) {
    std::string name = point.benchmark;
    for (const auto& [axis, value] : point.axes)
        if (axis != "n") name += fmt::format("/{}={}", axis, value);
    return name;
}

std::vector<MeasuredOperation> operations_of(const std::vector<MeasuredPoint>& points) {
    struct Line {
        std::vector<harness::RegionTimes> regions;
        const MeasuredPoint* first = nullptr;
    };
    std::vector<std::string> names;
    std::map<std::string, Line> lines;
    for (const auto& measured : points) {
        if (harness::axis_value(measured.point.axes, "n", 0) == 0 ||
            measured.point.quantity != harness::Quantity::Region)
            continue;
        const std::string name = operation_name(measured.point);
        Line& line = lines[name];
        if (line.first == nullptr) names.push_back(name);
        if (line.first == nullptr) line.first = &measured;
        line.regions.push_back(region_of(measured));
    }
    std::vector<MeasuredOperation> operations;
    for (const auto& name : names) {
        Line& line = lines.at(name);
        std::sort(line.regions.begin(), line.regions.end(),
                  [](const auto& a, const auto& b) { return a.n < b.n; });
        auto times = harness::per_operation(line.regions, line.first->empty,
                                            line.first->point.adds_to_empty);
        if (times) operations.push_back({name, std::move(*times)});
    }
    return operations;
}

/// "yes", "no" or, with the time that was up, "no time".
std::string_view converged_text(harness::Ending ending) {
    if (ending == harness::Ending::Enough) return "yes";
    return ending == harness::Ending::TimeCap ? "no time" : "no";
}

std::string drift_lines(const std::vector<MeasuredPoint>& points) {
    std::string out;
    for (const auto& measured : points) {
        const auto found = measured.order.found();
        if (!found.empty())
            out += fmt::format("  {}: {}\n", measured.point.name, fmt::join(found, ", "));
    }
    if (out.empty()) return out;
    return fmt::format("\ndrift or dependence in run order (p below {} after correction for all "
                       "tests)\n{}",
                       harness::drift_level, out);
}

std::string marked_lines(const std::vector<MeasuredPoint>& points) {
    std::string out;
    for (const auto& measured : points) {
        std::vector<std::string> counts;
        for (const auto& [trouble, count] : measured.marked)
            counts.push_back(fmt::format("{} {}", count, trouble));
        if (!counts.empty())
            out += fmt::format("  {}: {}\n", measured.point.name, fmt::join(counts, ", "));
    }
    return out.empty() ? out : "\nruns with trouble\n" + out;
}

std::string operation_lines(const std::vector<MeasuredOperation>& operations) {
    if (operations.empty()) return {};
    std::string out = fmt::format("\n{:<40} {:>9} {:>12} {:>16}\n", "per operation, core cycles",
                                  "n, 2n", "from n to 2n", "less empty");
    std::string contradictions;
    for (const auto& [name, times] : operations) {
        out += fmt::format("{:<40} {:>9} {:>12.2f} {:>16}\n", name,
                           fmt::format("{}, {}", times.n, 2 * times.n), times.by_slope,
                           times.by_empty ? fmt::format("{:.2f}", *times.by_empty) : "-");
        if (!times.disagreement.empty())
            contradictions += fmt::format("  {}: {}\n", name, times.disagreement);
    }
    if (contradictions.empty()) return out;
    return out + "\nempty region and slope disagree\n" + contradictions;
}

Json interval_json(const harness::ConfidenceInterval& interval) {
    return {{"lo", interval.lo}, {"hi", interval.hi}};
}

Json bootstrap_json(const harness::Bootstrap& bootstrap) {
    if (!bootstrap.intervals) return {{"not-decided", bootstrap.why_not}};
    const auto& intervals = *bootstrap.intervals;
    return {{"kind", "estimate"},
            {"method", "bootstrap of runs, percentile"},
            {"confidence", intervals.confidence},
            {"replicates", intervals.replicates},
            {"mean", interval_json(intervals.mean)},
            {"median", interval_json(intervals.median)},
            {"p99", interval_json(intervals.p99)}};
}

Json test_json(const harness::OrderTest& test) {
    Json entry{{"test", test.name}};
    if (test.decision) {
        entry["statistic"] = test.decision->statistic;
        entry["p"] = test.decision->p_value;
        entry["p-corrected"] = test.decision->corrected;
        if (!test.note.empty()) entry["note"] = test.note;
    } else {
        entry["not-decided"] = test.note;
    }
    return entry;
}

Json order_json(const harness::RunOrder& order) {
    Json tests = Json::array();
    for (const auto& test : order.tests)
        tests.push_back(test_json(test));
    Json modes = Json::array();
    for (const auto& [mode, together] : order.modes)
        modes.push_back({{"lowest", mode.lowest},
                         {"highest", mode.highest},
                         {"count", mode.count},
                         {"first-run", mode.first_run},
                         {"last-run", mode.last_run},
                         {"in-time", test_json(together)}});
    Json entry{{"drift", harness::to_string(order.drift())},
               {"level", harness::drift_level},
               {"tests", std::move(tests)},
               {"modes-of-runs", std::move(modes)}};
    if (order.lag_one) entry["lag-1-correlation"] = *order.lag_one;
    return entry;
}

Json point_json(const MeasuredPoint& measured) {
    Json axes = Json::object();
    for (const auto& [axis, value] : measured.point.axes)
        axes[axis] = value;
    Json entry{{"benchmark", measured.point.benchmark}, {"axes", std::move(axes)}};
    entry["quantity"] = quantity_name(measured.point.quantity);
    entry["converged"] = measured.ending == harness::Ending::Enough;
    entry["ending"] = harness::to_string(measured.ending);
    if (measured.warm_up)
        entry["warm-up"] = {{"runs", measured.warm_up->runs},
                            {"settled", measured.warm_up->settled}};
    entry["observations"] = summary_json(measured.summary);
    entry["intervals"] = bootstrap_json(measured.intervals);
    entry["run-order"] = order_json(measured.order);
    if (!measured.marked.empty()) entry["runs-with-trouble"] = measured.marked;
    if (measured.empty) entry["empty-region"] = measured.empty->best;
    return entry;
}

Json operation_json(const MeasuredOperation& operation) {
    const auto& times = operation.times;
    Json entry{{"name", operation.name},     {"kind", "estimate"},
               {"unit", "cycles"},           {"n", times.n},
               {"by-slope", times.by_slope}, {"overhead", times.overhead}};
    if (times.by_empty) entry["by-empty-region"] = *times.by_empty;
    if (!times.disagreement.empty()) entry["disagreement"] = times.disagreement;
    return entry;
}

} // namespace

std::string NotMeasured::text() const {
    Failure rest = why;
    if (rest.where == point) rest.where.clear();
    return to_string(rest);
}

bool MeasuredSuite::disagrees() const {
    return std::any_of(operations.begin(), operations.end(),
                       [](const auto& one) { return !one.times.disagreement.empty(); });
}

std::optional<MeasuredPoint> summarise_point(const harness::BenchmarkPoint& point,
                                             const harness::Measured& measured, bool intervals) {
    const auto times = shown_times(measured.samples, point.quantity);
    if (times.empty()) return std::nullopt;
    MeasuredPoint result;
    result.point = point;
    result.summary = harness::summarise(times);
    result.order = harness::examine(harness::run_times(measured.samples));
    result.ending = measured.ending;
    result.warm_up = measured.warm_up;
    for (const auto& sample : measured.samples)
        if (sample.remark.trouble != harness::Trouble::None)
            ++result.marked[std::string{harness::to_string(sample.remark.trouble)}];
    if (intervals) result.intervals = harness::bootstrap(counted_runs(measured.samples));
    return result;
}

void compare_points(MeasuredSuite& suite) {
    std::map<std::int64_t, harness::RegionTimes> empty;
    for (const auto& measured : suite.points)
        if (measured.point.benchmark == "empty-region")
            empty[measured.point.launch.warps_per_block()] = region_of(measured);
    for (auto& measured : suite.points) {
        const auto found = empty.find(measured.point.launch.warps_per_block());
        if (found != empty.end()) measured.empty = found->second;
    }
    suite.operations = operations_of(suite.points);
    std::vector<harness::RunOrder*> orders;
    for (auto& measured : suite.points)
        orders.push_back(&measured.order);
    harness::correct(orders);
}

std::string measured_text(const MeasuredSuite& suite) {
    const auto& points = suite.points;
    const bool fixed = suite.protocol.stop.kind == harness::StopKind::Fixed;
    std::string out =
        fmt::format("{} repetitions{} from seed {} on {}; times between two clock "
                    "reads\n",
                    suite.protocol.repetitions,
                    fixed ? "" : fmt::format(" at most, stop {},", to_string(suite.protocol.stop)),
                    suite.protocol.seed, suite.device);
    if (std::any_of(points.begin(), points.end(), [](const auto& measured) {
            return measured.point.quantity == harness::Quantity::Clocks;
        }))
        out += "of crowd, start-order, wake-order, store-burst and resident-warps: from the first "
               "read of the launch to the last\n";
    out += "\n";
    std::string heading = summary_heading("observed, core cycles");
    heading.pop_back();
    out += fmt::format("{} {:>9}\n", heading, "converged");
    for (const auto& measured : points) {
        std::string row = summary_row(measured.point.name, measured.summary);
        row.pop_back();
        out += fmt::format("{} {:>9}\n", row, converged_text(measured.ending));
    }
    if (!points.empty() && points.front().empty)
        out += fmt::format(
            "\nAn empty region takes {} cycles with one warp; times above include it.\n",
            points.front().empty->best);
    out += operation_lines(suite.operations);
    out += drift_lines(points);
    out += marked_lines(points);
    if (!suite.missing.empty()) out += "\nnot measured\n";
    for (const auto& line : missing_lines(suite.missing))
        out += "  " + line + "\n";
    return out;
}

std::vector<std::string> missing_lines(const std::vector<NotMeasured>& missing) {
    using Group = std::pair<std::string, std::string>; // Benchmark, and why.
    std::vector<std::pair<Group, std::vector<const NotMeasured*>>> groups;
    std::map<Group, std::size_t> places;
    for (const auto& one : missing) {
        Group group{one.point.substr(0, one.point.find('/')), one.text()};
        const auto [place, added] = places.try_emplace(group, groups.size());
        if (added) groups.push_back({std::move(group), {}});
        groups[place->second].second.push_back(&one);
    }
    std::vector<std::string> lines;
    for (const auto& [group, points] : groups)
        lines.push_back(
            points.size() == 1
                ? fmt::format("{}: {}", points.front()->point, group.second)
                : fmt::format("{}, {} points: {}", group.first, points.size(), group.second));
    return lines;
}

std::string measured_json(const MeasuredSuite& suite) {
    Json points = Json::array();
    for (const auto& measured : suite.points)
        points.push_back(point_json(measured));
    Json operations = Json::array();
    for (const auto& operation : suite.operations)
        operations.push_back(operation_json(operation));
    Json missing = Json::array();
    for (const auto& one : suite.missing)
        missing.push_back({{"point", one.point}, {"why", one.text()}});
    return Json{{"device", suite.device},
                {"repetitions", suite.protocol.repetitions},
                {"stop", to_string(suite.protocol.stop)},
                {"seed", suite.protocol.seed},
                {"draw", harness::to_string(suite.protocol.draw)},
                {"points", std::move(points)},
                {"operations", std::move(operations)},
                {"not-measured", std::move(missing)}}
               .dump(2) +
           "\n";
}

std::string measured_csv(const MeasuredSuite& suite) {
    std::string out = "point,count,best,mean,p90,p99,worst,distinct,modes,empty-region,converged,"
                      "drift\n";
    for (const auto& measured : suite.points) {
        const auto& summary = measured.summary;
        out += fmt::format("{},{},{},{:.6f},{},{},{},{},{},{},{},{}\n", measured.point.name,
                           summary.count, summary.best, summary.mean, summary.p90, summary.p99,
                           summary.worst, summary.distinct, summary.modes.size(),
                           measured.empty ? std::to_string(measured.empty->best) : "",
                           measured.ending == harness::Ending::Enough ? "yes" : "no",
                           harness::to_string(measured.order.drift()));
    }
    return out;
}

} // namespace warpbound::cli
