#include "cli/measurement/measured_points.hpp"

#include "cli/output/summary_text.hpp"
#include "cli/program/command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::cli {

namespace {

/// Requires: a summary.
harness::RegionTimes region_of(const MeasuredPoint& measured) {
    return {harness::axis_value(measured.point.axes, "n", 0), measured.summary->best,
            measured.summary->worst, measured.summary->mean};
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
            measured.point.quantity != harness::Quantity::Region || !measured.summary)
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

/// "yes", "no", "-" where no rule tests it, or "no time" after the time cap.
std::string_view converged_text(const MeasuredPoint& measured) {
    return measured.ending == harness::Ending::TimeCap ? "no time" : to_string(measured.converged);
}

/// Lists the benchmarks whose quantity is not the time of a region.
std::string quantity_lines(const std::vector<MeasuredPoint>& points) {
    std::string out;
    for (const auto& [quantity, what] :
         {std::pair{harness::Quantity::Clocks, "from the first read of the launch to the last one"},
          {harness::Quantity::ResidentBlocks, "no times, but co-resident blocks of an SM"},
          {harness::Quantity::ExecutionTime, "execution times of the launch or copy"}}) {
        std::vector<std::string> names;
        for (const auto& measured : points)
            if (measured.point.quantity == quantity &&
                std::find(names.begin(), names.end(), measured.point.benchmark) == names.end())
                names.push_back(measured.point.benchmark);
        if (!names.empty()) out += fmt::format("of {}: {}\n", fmt::join(names, ", "), what);
    }
    return out;
}

/// The empty region of a launch of one warp.
const MeasuredPoint* empty_region_of_one_warp(const std::vector<MeasuredPoint>& points) {
    const auto found = std::find_if(points.begin(), points.end(), [](const auto& measured) {
        return measured.point.benchmark == "empty-region" && measured.summary &&
               harness::axis_value(measured.point.axes, "warps", 0) == 1;
    });
    return found == points.end() ? nullptr : &*found;
}

std::vector<MeasuredCopies> copies_of(const std::vector<MeasuredPoint>& points) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<harness::CopyTime>> times;
    for (const auto& measured : points) {
        if (!measured.point.copy || !measured.summary) continue;
        auto& of_one = times[measured.point.benchmark];
        if (of_one.empty()) names.push_back(measured.point.benchmark);
        of_one.push_back({measured.point.copy->bytes, measured.summary->mean});
    }
    std::vector<MeasuredCopies> copies;
    for (const auto& name : names)
        copies.push_back({name, harness::line_of_copies(times.at(name))});
    return copies;
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

std::string anomaly_lines(const std::vector<MeasuredPoint>& points) {
    std::string out;
    for (const auto& measured : points) {
        std::vector<std::string> counts;
        for (const auto& [anomaly, count] : measured.anomalies)
            counts.push_back(fmt::format("{} {}", count, anomaly));
        if (!counts.empty())
            out += fmt::format("  {}: {}{}\n", measured.point.name, fmt::join(counts, ", "),
                               measured.summary ? "" : "; no run counts");
    }
    return out.empty() ? out : "\nruns with anomalies\n" + out;
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

std::string copy_lines(const std::vector<MeasuredCopies>& copies) {
    if (copies.empty()) return {};
    std::string out = fmt::format("\n{:<43} {:>12} {:>16} {:>14}\n",
                                  "copies, a line through the means (estimate)", "start-up",
                                  "bytes per cycle", "max deviation");
    for (const auto& [name, line] : copies)
        out +=
            line ? fmt::format("{:<43} {:>12.1f} {:>16.4f} {:>12.2f} %\n", name, line.value().start,
                               line.value().bandwidth, 100 * line.value().worst_share)
                 : fmt::format("{:<43} no line: {}\n", name, line.error().what);
    return out;
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

std::vector<std::string> MeasuredSuite::without_times() const {
    std::vector<std::string> names;
    for (const auto& measured : points)
        if (!measured.summary) names.push_back(measured.point.name);
    return names;
}

std::optional<MeasuredPoint> summarise_point(const harness::BenchmarkPoint& point,
                                             const harness::Measured& measured, bool intervals) {
    if (measured.samples.empty()) return std::nullopt;
    const auto times = summarised_times(measured.samples, to_string(point.quantity));
    MeasuredPoint result;
    result.point = point;
    if (!times.empty()) result.summary = harness::summarise(times);
    result.converged = measured.converged;
    result.order = harness::examine(harness::run_times(measured.samples));
    result.ending = measured.ending;
    result.warm_up = measured.warm_up;
    for (const auto& sample : measured.samples)
        if (sample.remark.anomaly != harness::RunAnomaly::None)
            ++result.anomalies[std::string{harness::to_string(sample.remark.anomaly)}];
    if (intervals)
        result.intervals =
            harness::bootstrap(summarised_runs(measured.samples, to_string(point.quantity)));
    return result;
}

void compare_points(MeasuredSuite& suite) {
    std::map<std::int64_t, harness::RegionTimes> empty;
    for (const auto& measured : suite.points)
        if (measured.point.benchmark == "empty-region" && measured.summary)
            empty[measured.point.launch.warps_per_block()] = region_of(measured);
    for (auto& measured : suite.points) {
        if (measured.point.copy) continue; // A copy contains no empty region.
        const auto found = empty.find(measured.point.launch.warps_per_block());
        if (found != empty.end()) measured.empty = found->second;
    }
    suite.operations = operations_of(suite.points);
    suite.copies = copies_of(suite.points);
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
    out += quantity_lines(points) + "\n";
    std::string heading = summary_heading("observed, core cycles");
    heading.pop_back();
    out += fmt::format("{} {:>9}\n", heading, "converged");
    for (const auto& measured : points) {
        if (!measured.summary) continue;
        std::string row =
            summary_row(summary_label(measured.point.name, quantity_name(measured.point.quantity)),
                        *measured.summary);
        row.pop_back();
        out += fmt::format("{} {:>9}\n", row, converged_text(measured));
    }
    if (const auto* empty = empty_region_of_one_warp(points))
        out += fmt::format("\nAn empty region takes {} cycles with one warp; times between clock "
                           "reads above include it.\n",
                           empty->summary->best);
    out += operation_lines(suite.operations);
    out += copy_lines(suite.copies);
    out += drift_lines(points);
    out += anomaly_lines(points);
    if (!suite.missing.empty()) out += "\nnot measured\n";
    for (const auto& line : missing_lines(suite.missing))
        out += "  " + line + "\n";
    return out;
}

std::vector<std::string> missing_lines(const std::vector<NotMeasured>& missing) {
    using Group = std::pair<std::string, std::string>; // Benchmark, and why.
    std::vector<std::pair<Group, std::vector<const NotMeasured*>>> groups;
    std::map<Group, std::size_t> index_of;
    for (const auto& one : missing) {
        Group group{one.point.substr(0, one.point.find('/')), one.text()};
        const auto [index, added] = index_of.try_emplace(group, groups.size());
        if (added) groups.push_back({std::move(group), {}});
        groups[index->second].second.push_back(&one);
    }
    std::vector<std::string> lines;
    for (const auto& [group, points] : groups)
        lines.push_back(
            points.size() == 1
                ? fmt::format("{}: {}", points.front()->point, group.second)
                : fmt::format("{}, {} points: {}", group.first, points.size(), group.second));
    return lines;
}

std::string measured_csv(const MeasuredSuite& suite) {
    std::string out = "point,count,best,mean,p90,p99,worst,distinct,modes,empty-region,converged,"
                      "drift\n";
    for (const auto& measured : suite.points) {
        out += measured.point.name + ",";
        if (measured.summary) {
            const auto& summary = *measured.summary;
            out += fmt::format("{},{},{:.6f},{},{},{},{},{}", summary.count, summary.best,
                               summary.mean, summary.p90, summary.p99, summary.worst,
                               summary.distinct, summary.modes.size());
        } else {
            out += "0,,,,,,,";
        }
        out +=
            fmt::format(",{},{},{}\n", measured.empty ? std::to_string(measured.empty->best) : "",
                        to_string(measured.converged), harness::to_string(measured.order.drift()));
    }
    return out;
}

} // namespace warpbound::cli
