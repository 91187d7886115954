/// \file
/// The report as JSON: keys in a fixed order, so that the same report gives the same bytes.
#include "certification/report/wording.hpp"

#include <nlohmann/json.hpp>

namespace warpbound::certification {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson terms_of(const std::vector<analyzer::BoundTerm>& terms) {
    OrderedJson list = OrderedJson::array();
    for (const auto& term : terms) {
        list.push_back({{"text", term.text}, {"count", term.count}, {"cycles", term.cycles}});
        if (!term.certificate.empty()) list.back()["certificate"] = term.certificate;
    }
    return list;
}

/// A choice lists its parts, a sum its terms.
OrderedJson tree_of(const analyzer::BoundExpression& bound) {
    const std::int64_t value = analyzer::value_of(bound).count();
    if (bound.kind == analyzer::BoundExpression::Kind::Sum)
        return {{"text", bound.text},
                {"value", value},
                {"evidence", bound.has_evidence},
                {"terms", terms_of(bound.terms)}};
    const bool is_least = bound.kind == analyzer::BoundExpression::Kind::Minimum;
    OrderedJson json{{"choice", is_least ? "least" : "largest"}, {"value", value}};
    for (const auto& part : bound.parts)
        json["parts"].push_back(tree_of(part));
    return json;
}

OrderedJson claims_of(const Report& report) {
    OrderedJson list = OrderedJson::array();
    for (const auto& claim : report.claims) {
        OrderedJson json{{"id", claim.id},
                         {"quantity", claim.quantity},
                         {"side", side_name(claim.side)},
                         {"value", claim.value},
                         {"unit", claim.unit},
                         {"kind", to_string(claim.kind)},
                         {"assumptions", claim.assumptions},
                         {"proof", claim.proof}};
        if (const auto time = report.time_of(claim)) json["time-ns"] = time->count();
        if (claim.limit_reached) json["limit-reached"] = true;
        if (!claim.terms.empty()) json["terms"] = terms_of(claim.terms);
        if (!claim.bound.parts.empty()) json["bound"] = tree_of(claim.bound);
        list.push_back(std::move(json));
    }
    return list;
}

OrderedJson coverage_of(const models::Coverage& coverage) {
    OrderedJson json{{"values", coverage.total()},  {"card", coverage.card},
                     {"family", coverage.family},   {"vendor", coverage.vendor},
                     {"derived", coverage.derived}, {"assumed", coverage.assumed},
                     {"unknown", coverage.unknown}};
    if (const auto& kernels = coverage.whole_kernels) {
        json["whole-kernels"] = {{"launches", kernels->launches}, {"inside", kernels->inside}};
        if (kernels->simulated > 0) {
            json["whole-kernels"]["simulated"] = kernels->simulated;
            json["whole-kernels"]["error-percent"] = kernels->error;
        }
    }
    return json;
}

OrderedJson observation_of(const ObservedTimes& times) {
    OrderedJson values = OrderedJson::array();
    for (const auto& [value, count] : times.values)
        values.push_back({{"value", value}, {"count", count}});
    OrderedJson json{{"quantity", times.quantity},
                     {"kind", "observed"},
                     {"device", times.device},
                     {"protocol", times.protocol},
                     {"count", times.count},
                     {"best", times.best},
                     {"mean", times.mean},
                     {"median", times.median},
                     {"p90", times.p90},
                     {"p99", times.p99},
                     {"worst", times.worst},
                     {"distinct", times.distinct},
                     {"modes", times.modes},
                     {"unit", "cycles"},
                     {"outside-bounds", times.outside_bounds},
                     {"values", values}};
    if (times.first_outside_run) {
        json["first-outside-run"] = *times.first_outside_run;
        json["outside-seeds"] = times.outside_seeds;
    }
    return json;
}

OrderedJson estimates_of(const Report& report) {
    OrderedJson list = OrderedJson::array();
    for (const auto& estimate : report.estimates) {
        OrderedJson json{{"model", estimate.model},
                         {"variant", estimate.variant},
                         {"quantity", estimate.quantity},
                         {"kind", "estimate"}};
        if (estimate.refusal.empty()) {
            json["value"] = estimate.value;
            json["unit"] = estimate.unit;
        } else {
            json["refusal"] = estimate.refusal;
        }
        json["source"] = estimate.source;
        OrderedJson inputs = OrderedJson::array();
        for (const auto& input : estimate.inputs)
            inputs.push_back({{"symbol", input.symbol},
                              {"value", input.value},
                              {"unit", input.unit},
                              {"source", input.source}});
        json["inputs"] = std::move(inputs);
        list.push_back(std::move(json));
    }
    return list;
}

OrderedJson launch_of(const Report& report) {
    const models::Launch& launch = report.launch;
    OrderedJson json{{"blocks", launch.blocks},
                     {"threads", launch.threads},
                     {"text", models::to_string(launch)}};
    if (launch.registers) json["registers"] = *launch.registers;
    if (launch.shared_memory) json["shared-memory"] = *launch.shared_memory;
    if (report.multiprocessors > 1) json["multiprocessors"] = report.multiprocessors;
    return json;
}

/// Bounds on the execution time in seconds, and what they rest on.
OrderedJson time_of(const Report& report) {
    OrderedJson json{{"quantity", "execution-time"}};
    for (const auto side : {analyzer::Side::Lower, analyzer::Side::Upper})
        if (const Claim* claim = report.claim("execution-time", side); claim != nullptr)
            json[std::string{side_name(side)} + "_ns"] = report.time_of(*claim)->count();
    json["clock_hz"] = {report.clock->range.lo, report.clock->range.hi};
    json["clock_source"] = report.clock->source;
    json["assumption"] = report.clock_assumption;
    return json;
}

OrderedJson deadline_of(const Report& report) {
    const models::Deadline& deadline = *report.deadline;
    const auto range = report.clock ? std::optional{report.clock->range} : std::nullopt;
    const models::Cycles upper{report.claim("execution-time", analyzer::Side::Upper)->value};
    return {{"quantity", "execution-time"},
            {"limit", std::visit([](auto limit) { return limit.count(); }, deadline.limit)},
            {"unit", deadline.is_time() ? "ns" : "cycles"},
            {"margin", models::margin_of(upper, deadline, range)},
            {"verdict", models::to_string(*report.deadline_verdict())}};
}

} // namespace

std::string render_json(const Report& report) {
    OrderedJson assumptions = OrderedJson::array();
    for (const auto& assumption : report.assumptions)
        assumptions.push_back({{"id", assumption.id},
                               {"text", assumption.text},
                               {"status", analyzer::to_string(assumption.status)},
                               {"about", analyzer::to_string(assumption.subject)}});
    OrderedJson values = OrderedJson::array();
    for (const auto& value : report.machine_values)
        values.push_back({{"path", value.path},
                          {"value", value.value},
                          {"grade", value.grade},
                          {"source", value.source}});
    OrderedJson series = OrderedJson::array();
    OrderedJson first = nullptr;
    for (const auto& times : report.observations) {
        series.push_back(observation_of(times));
        if (first.is_null() && times.quantity == "execution-time") first = series.back();
    }
    OrderedJson path = OrderedJson::array();
    for (const auto& block : report.worst_path) {
        path.push_back({{"block", address_text(block.address)},
                        {"count", block.count},
                        {"cycles", block.cycles}});
        if (!block.source.empty()) path.back()["source"] = block.source;
    }
    OrderedJson stack = OrderedJson::array();
    for (const auto& [category, cycles] : report.stack)
        stack.push_back({{"category", category}, {"cycles", cycles}});
    OrderedJson inputs = OrderedJson::array();
    for (const auto& input : report.inputs)
        inputs.push_back({{"role", input.role}, {"name", input.name}, {"digest", input.digest}});
    OrderedJson instructions = OrderedJson::array();
    for (const auto& line : report.assembly) {
        instructions.push_back({{"address", address_text(line.address)},
                                {"text", line.text},
                                {"executions", line.executions},
                                {"cycles", line.cycles}});
        if (!line.source.empty()) instructions.back()["source"] = line.source;
    }
    OrderedJson json{
        {"schema", "warpbound-report/1"},
        {"tool", {{"name", "warpbound"}, {"version", report.tool_version}}},
        {"kernel",
         {{"name", report.kernel}, {"digest", report.kernel_digest}, {"isa", report.isa}}},
        {"launch", launch_of(report)},
        {"architecture",
         {{"name", report.architecture},
          {"title", report.architecture_title},
          {"digest", report.architecture_digest},
          {"coverage", coverage_of(report.coverage)}}},
        {"policy", report.policy},
        {"verdict", verdict_of(report)},
        {"claims", claims_of(report)},
        {"assumptions", assumptions},
        {"unchecked-assumptions", report.unchecked_assumptions()},
        {"machine-values", values},
        {"estimates", estimates_of(report)},
        {"observations", first},
        {"observation-series", series},
        {"worst-path", path},
        {"stack", stack},
        {"instructions", instructions},
        {"inputs", inputs},
        {"seed", report.seed},
        {"solver", report.solver},
        {"versions", report.versions},
        {"limitations", report.limitations}};
    if (report.clock) json["time"] = time_of(report);
    if (report.deadline) json["deadline"] = deadline_of(report);
    if (!report.undecided.empty()) json["undecided"] = report.undecided;
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

} // namespace warpbound::certification
