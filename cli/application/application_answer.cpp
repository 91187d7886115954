#include "cli/application/application_answer.hpp"

#include "cli/output/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

namespace warpbound::cli {

using models::Nanoseconds;
using models::application::Basis;
using models::application::operation_kinds;
using models::application::OperationKind;

std::int64_t ApplicationPoint::least() const {
    const std::int64_t ends = std::min({lower_ends, typical.makespan, upper_ends});
    return drawn ? std::min(ends, drawn->best) : ends;
}

std::int64_t ApplicationPoint::most() const {
    const std::int64_t ends = std::max({lower_ends, typical.makespan, upper_ends});
    return drawn ? std::max(ends, drawn->worst) : ends;
}

bool ApplicationPoint::is_refuted() const {
    return least() < bounds.time.lower().count() || most() > bounds.time.upper().count();
}

std::int64_t ApplicationPoint::margin() const {
    return plan.deadline->count() - bounds.time.upper().count();
}

bool ApplicationAnswer::has(models::DeadlineVerdict verdict) const {
    return std::ranges::any_of(points, [&](const auto& point) { return point.verdict == verdict; });
}

bool ApplicationAnswer::is_refuted() const {
    return std::ranges::any_of(points, &ApplicationPoint::is_refuted);
}

PathParts path_parts(const models::application::Plan& plan,
                     const harness::ApplicationTimes& times) {
    PathParts parts{};
    for (const std::size_t at : times.critical_path) {
        const auto& served = times.served[at];
        const std::size_t part =
            served.operation ? static_cast<std::size_t>(plan.operations[*served.operation].kind)
                             : operation_kinds;
        parts.at(part) += served.end - served.start;
    }
    return parts;
}

std::string path_part_name(std::size_t part) {
    return part == operation_kinds ? "barrier"
                                   : std::string{to_string(static_cast<OperationKind>(part))};
}

std::string kind_of(const analyzer::ApplicationBounds& bounds) {
    switch (bounds.basis) {
    case Basis::Bounds:
        return "bound-under-assumptions";
    case Basis::Measured:
        return "hybrid-estimate";
    case Basis::Estimate:
        break;
    }
    return "estimate";
}

std::string margin_text(std::int64_t margin) {
    if (margin < 0) return "-" + models::to_string(models::rounded_up(Nanoseconds{-margin}));
    return models::to_string(models::rounded_down(Nanoseconds{margin}));
}

std::string margin_phrase(const ApplicationPoint& point) {
    const std::int64_t margin = point.margin();
    const std::string after = margin < 0 ? margin_text(margin).substr(1) : std::string{};
    if (point.bounds.basis == Basis::Estimate) {
        const std::int64_t typical = point.plan.deadline->count() - point.typical.makespan;
        return fmt::format("estimate: typically {} {} it, at the latest {} {} it",
                           shown(std::abs(typical)), typical < 0 ? "after" : "before",
                           margin < 0 ? after : margin_text(margin),
                           margin < 0 ? "after" : "before");
    }
    switch (*point.verdict) {
    case models::DeadlineVerdict::Met:
        return "margin " + margin_text(margin);
    case models::DeadlineVerdict::Violated:
        return "every run ends after it";
    case models::DeadlineVerdict::Undecided:
        break;
    }
    return "the upper bound ends " + after + " after it";
}

std::string shown(std::int64_t nanoseconds) {
    const auto time = static_cast<double>(nanoseconds);
    if (nanoseconds >= 1'000'000'000) return fmt::format("{:.5g} s", time / 1e9);
    if (nanoseconds >= 1'000'000) return fmt::format("{:.5g} ms", time / 1e6);
    if (nanoseconds >= 1'000) return fmt::format("{:.5g} \u00b5s", time / 1e3);
    return fmt::format("{} ns", nanoseconds);
}

std::string percent(std::int64_t part, std::int64_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<PathRow> path_rows(const ApplicationPoint& point) {
    std::map<std::pair<std::size_t, std::string>, PathRow> sums;
    for (const std::size_t at : point.typical.critical_path) {
        const auto& served = point.typical.served[at];
        const std::string server =
            served.operation
                ? point.plan.servers[point.plan.operations[*served.operation].server].name
                : "-";
        auto& row = sums[{served.name, server}];
        const std::string& rank = point.plan.ranks[served.rank].name;
        row.name = point.plan.names[served.name];
        row.rank = row.count == 0 || row.rank == rank ? rank : "several";
        row.server = server;
        row.time += served.end - served.start;
        ++row.count;
    }
    std::vector<PathRow> rows;
    for (auto& [key, row] : sums)
        rows.push_back(std::move(row));
    std::ranges::stable_sort(rows, std::greater<>{}, &PathRow::time);
    return rows;
}

namespace {

std::string value_cell(const std::string& text) {
    const bool needs_quotes = text.find_first_of(",\"\n") != std::string::npos;
    if (!needs_quotes) return text;
    std::string quoted = "\"";
    for (const char character : text)
        quoted += character == '"' ? "\"\"" : std::string(1, character);
    return quoted + "\"";
}

Json times_json(const ApplicationPoint& point) {
    Json times = Json::array();
    for (const auto& time : point.plan.times)
        times.push_back({{"name", time.name},
                         {"unit", "ns"},
                         {"lo", time.time->lo.count()},
                         {"typical", time.time->typical.count()},
                         {"hi", time.time->hi.count()},
                         {"basis", to_string(time.basis)},
                         {"source", time.source},
                         {"line", time.line}});
    return times;
}

Json ranks_json(const ApplicationPoint& point) {
    Json ranks = Json::array();
    for (std::size_t r = 0; r < point.plan.ranks.size(); ++r) {
        const auto& rank = point.typical.ranks[r];
        Json one{{"name", point.plan.ranks[r].name},
                 {"end", rank.end},
                 {"blocked", rank.blocked},
                 {"queued", rank.queued}};
        for (std::size_t kind = 0; kind < operation_kinds; ++kind)
            one[std::string{to_string(static_cast<OperationKind>(kind))}] = rank.service.at(kind);
        ranks.push_back(std::move(one));
    }
    return ranks;
}

Json servers_json(const ApplicationPoint& point) {
    Json servers = Json::array();
    for (std::size_t s = 0; s < point.plan.servers.size(); ++s) {
        const auto& server = point.plan.servers[s];
        const auto& times = point.typical.servers[s];
        servers.push_back({{"name", server.name},
                           {"server", to_string(server.kind)},
                           {"capacity", server.capacity},
                           {"operations", times.served},
                           {"busy", times.busy},
                           {"queued", times.queued}});
    }
    return servers;
}

Json point_json(const ApplicationPoint& point) {
    Json choices = Json::object();
    for (const auto& [name, value] : point.choices)
        choices[name] = value;
    Json parameters = Json::object();
    for (const auto& [name, value] : point.plan.parameters)
        parameters[name] = models::application::to_string(value);
    Json path = Json::object();
    const auto& parts = point.on_critical_path;
    for (std::size_t part = 0; part < parts.size(); ++part)
        path[path_part_name(part)] = parts.at(part);
    Json json{{"choices", std::move(choices)},
              {"parameters", std::move(parameters)},
              {"kind", kind_of(point.bounds)},
              {"unit", "ns"},
              {"time",
               {{"lower-ends", point.lower_ends},
                {"typical", point.typical.makespan},
                {"upper-ends", point.upper_ends}}},
              {"limits",
               {{"lower", point.bounds.time.lower().count()},
                {"upper", point.bounds.time.upper().count()}}}};
    if (point.verdict) {
        json["deadline"] = point.plan.deadline->count();
        json["verdict"] = to_string(*point.verdict);
        json["margin"] = point.margin();
    }
    if (point.drawn)
        json["drawn"] = {{"runs", point.drawn->runs},
                         {"best", point.drawn->best},
                         {"mean", point.drawn->mean},
                         {"worst", point.drawn->worst}};
    json["critical-path"] = std::move(path);
    json["ranks"] = ranks_json(point);
    json["servers"] = servers_json(point);
    json["times"] = times_json(point);
    return json;
}

} // namespace

std::string csv_of(const ApplicationAnswer& answer) {
    std::string text;
    for (const auto& [name, value] : answer.points.front().choices)
        text += value_cell(name) + ",";
    text += "kind,typical_ns,lower_ends_ns,upper_ends_ns,limit_lower_ns,limit_upper_ns,speedup";
    const bool has_drawn = answer.points.front().drawn.has_value();
    if (has_drawn) text += ",runs,best_ns,mean_ns,worst_ns";
    if (answer.has_deadline()) text += ",deadline_ns,margin_ns,verdict";
    for (std::size_t part = 0; part <= operation_kinds; ++part)
        text += "," + path_part_name(part) + "_ns";
    text += "\n";
    const auto first = static_cast<double>(answer.points.front().typical.makespan);
    for (const auto& point : answer.points) {
        for (const auto& [name, value] : point.choices)
            text += value_cell(value) + ",";
        const auto now = static_cast<double>(point.typical.makespan);
        text += fmt::format("{},{},{},{},{},{},{}", kind_of(point.bounds), point.typical.makespan,
                            point.lower_ends, point.upper_ends, point.bounds.time.lower().count(),
                            point.bounds.time.upper().count(),
                            now == 0 ? "" : fmt::format("{:.6g}", first / now));
        if (has_drawn)
            text += fmt::format(",{},{},{:.1f},{}", point.drawn->runs, point.drawn->best,
                                point.drawn->mean, point.drawn->worst);
        if (point.verdict)
            text += fmt::format(",{},{},{}", point.plan.deadline->count(), point.margin(),
                                to_string(*point.verdict));
        for (const std::int64_t part : point.on_critical_path)
            text += fmt::format(",{}", part);
        text += "\n";
    }
    return text;
}

std::string json_of(const ApplicationAnswer& answer) {
    Json points = Json::array();
    for (const auto& point : answer.points)
        points.push_back(point_json(point));
    Json assumptions = Json::array();
    for (const auto& assumption : answer.assumptions)
        assumptions.push_back({{"id", assumption.id},
                               {"text", assumption.text},
                               {"status", to_string(assumption.status)},
                               {"about", to_string(assumption.subject)}});
    return json_text("application", Json{{"application",
                                          {{"file", answer.application.name},
                                           {"digest", answer.application.digest}}},
                                         {"seed", answer.seed},
                                         {"points", std::move(points)},
                                         {"assumptions", std::move(assumptions)},
                                         {"refuted", answer.is_refuted()}});
}

} // namespace warpbound::cli
