/// \file
/// Results of measured benchmark points, as JSON.

#include "cli/measurement/measured_points.hpp"
#include "cli/output/json.hpp"
#include "cli/output/summary_text.hpp"
#include "cli/program/command.hpp"

#include <nlohmann/json.hpp>

namespace warpbound::cli {

namespace {

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
    for (const auto& [mode, clustering] : order.modes)
        modes.push_back({{"lowest", mode.lowest},
                         {"highest", mode.highest},
                         {"count", mode.count},
                         {"first-index", mode.first_run},
                         {"last-index", mode.last_run},
                         {"in-time", test_json(clustering)}});
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
    entry["converged"] = measured.converged == harness::Converged::NotTested
                             ? Json()
                             : Json(measured.converged == harness::Converged::Yes);
    entry["ending"] = harness::to_string(measured.ending);
    if (measured.warm_up)
        entry["warm-up"] = {{"runs", measured.warm_up->runs},
                            {"settled", measured.warm_up->settled}};
    entry["observations"] =
        measured.summary ? summary_json(*measured.summary,
                                        harness::unit_of(entry["quantity"].get<std::string>()))
                         : Json();
    entry["intervals"] = bootstrap_json(measured.intervals);
    entry["run-order"] = order_json(measured.order);
    if (!measured.anomalies.empty()) entry["runs-with-anomaly"] = measured.anomalies;
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

Json copies_json(const MeasuredCopies& copies) {
    Json entry{{"name", copies.name}, {"kind", "estimate"}};
    if (!copies.line) {
        entry["not-decided"] = copies.line.error().what;
        return entry;
    }
    entry["start-cycles"] = copies.line.value().start;
    entry["bytes-per-cycle"] = copies.line.value().bandwidth;
    entry["furthest-off"] = copies.line.value().worst_share;
    return entry;
}

} // namespace

std::string measured_json(const MeasuredSuite& suite) {
    Json points = Json::array();
    for (const auto& measured : suite.points)
        points.push_back(point_json(measured));
    Json operations = Json::array();
    for (const auto& operation : suite.operations)
        operations.push_back(operation_json(operation));
    Json copies = Json::array();
    for (const auto& of_one : suite.copies)
        copies.push_back(copies_json(of_one));
    Json missing = Json::array();
    for (const auto& one : suite.missing)
        missing.push_back({{"point", one.point}, {"why", one.text()}});
    return json_text("measurement", {{"device", suite.device},
                                     {"repetitions", suite.protocol.repetitions},
                                     {"stop", to_string(suite.protocol.stop)},
                                     {"seed", suite.protocol.seed},
                                     {"draw", harness::to_string(suite.protocol.draw)},
                                     {"points", std::move(points)},
                                     {"operations", std::move(operations)},
                                     {"copies", std::move(copies)},
                                     {"not-measured", std::move(missing)}});
}

} // namespace warpbound::cli
