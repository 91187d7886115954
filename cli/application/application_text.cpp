#include "cli/application/application_answer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::cli {

namespace {

using models::application::operation_kinds;
using models::application::OperationKind;
using models::application::Plan;

constexpr std::size_t most_rows = 12;

std::string counted(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string size_of(const Plan& plan) {
    std::size_t hosts = 0;
    std::size_t devices = 0;
    for (const auto& server : plan.servers) {
        hosts += server.kind == models::application::ServerKind::Cores ? 1 : 0;
        devices += server.kind == models::application::ServerKind::Device ? 1 : 0;
    }
    return counted(hosts, "host") + ", " + counted(devices, "device") + ", " +
           counted(plan.ranks.size(), "rank") + ", " + counted(plan.operations.size(), "operation");
}

std::string parameters_of(const Plan& plan) {
    std::string text;
    for (const auto& [name, value] : plan.parameters)
        text += fmt::format(" {}={}", name, models::application::to_string(value));
    return text.empty() ? " none" : text;
}

/// Which times stand in the way of a bound.
std::string reason_of(const ApplicationPoint& point) {
    std::string names;
    for (const auto& time : point.plan.times)
        if (time.basis != models::application::Basis::Bounds &&
            names.find("'" + time.name + "'") == std::string::npos)
            names += (names.empty() ? "'" : ", '") + time.name + "'";
    return names;
}

std::string verdict_rows(const ApplicationPoint& point) {
    if (!point.verdict) return {};
    const bool decides = point.bounds.basis != models::application::Basis::Estimate;
    return fmt::format("deadline   {:>12}   {}\nverdict    {}{}\n",
                       models::to_string(*point.plan.deadline), margin_phrase(point),
                       to_string(*point.verdict), decides ? "" : ": an estimate decides nothing");
}

std::string time_rows(const ApplicationPoint& point) {
    std::string text = verdict_rows(point);
    text += fmt::format(
        "time       {:>12}   typical times; {} to {} with all times at their ends\n",
        shown(point.typical.makespan), shown(std::min(point.lower_ends, point.upper_ends)),
        shown(std::max(point.lower_ends, point.upper_ends)));
    if (point.drawn)
        text += fmt::format("drawn      {:>12}   mean of {} runs, {} to {}\n",
                            shown(static_cast<std::int64_t>(point.drawn->mean + 0.5)),
                            point.drawn->runs, shown(point.drawn->best), shown(point.drawn->worst));
    const auto& limits = point.bounds.time;
    const bool bounds = kind_of(point.bounds) == "bound-under-assumptions";
    text += fmt::format("at most    {:>12}   {}\nat least   {:>12}\n",
                        models::to_string(models::rounded_up(limits.upper())),
                        bounds ? "bound under the assumptions below"
                               : "whatever the times inside their ranges: no bound, see kind",
                        models::to_string(models::rounded_down(limits.lower())));
    text += fmt::format("kind       {}", kind_of(point.bounds));
    if (!bounds) text += ": no bound is claimed for the times of " + reason_of(point);
    return text + "\n";
}

std::string path_text(const ApplicationPoint& point) {
    std::string text = fmt::format("\ncritical path  {:<22} {:<16} {:<32} {:>7} {:>12} {:>8}\n",
                                   "operation", "rank", "server", "count", "time", "share");
    const auto rows = path_rows(point);
    std::int64_t rest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        if (i >= most_rows) {
            rest += row.time;
            continue;
        }
        text += fmt::format("               {:<22} {:<16} {:<32} {:>7} {:>12} {:>8}\n", row.name,
                            row.rank, row.server, row.count, shown(row.time),
                            percent(row.time, point.typical.makespan));
    }
    if (rest > 0)
        text += fmt::format("               {:<81} {:>12} {:>8}\n", "others", shown(rest),
                            percent(rest, point.typical.makespan));
    return text;
}

std::string ranks_text(const ApplicationPoint& point) {
    std::string text =
        fmt::format("\n{:<18} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "rank", "end",
                    "compute", "kernels", "copies", "messages", "queued", "blocked");
    for (std::size_t r = 0; r < point.plan.ranks.size(); ++r) {
        if (r == most_rows) {
            text += fmt::format("{} more ranks: --format json lists them\n",
                                point.plan.ranks.size() - r);
            break;
        }
        const auto& rank = point.typical.ranks[r];
        const auto of = [&](OperationKind kind) {
            return rank.service.at(static_cast<std::size_t>(kind));
        };
        text +=
            fmt::format("{:<18} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
                        point.plan.ranks[r].name, shown(rank.end),
                        shown(of(OperationKind::Computation)), shown(of(OperationKind::Kernel)),
                        shown(of(OperationKind::CopyToDevice) + of(OperationKind::CopyToHost)),
                        shown(of(OperationKind::Message)), shown(rank.queued), shown(rank.blocked));
    }
    return text;
}

std::string servers_text(const ApplicationPoint& point) {
    std::string text = fmt::format("\n{:<32} {:>10} {:>12} {:>8} {:>12}\n", "server", "operations",
                                   "busy", "in use", "queued");
    std::size_t shown_rows = 0;
    std::size_t more = 0;
    for (std::size_t s = 0; s < point.plan.servers.size(); ++s) {
        const auto& times = point.typical.servers[s];
        if (times.served == 0) continue;
        if (shown_rows++ >= most_rows) {
            ++more;
            continue;
        }
        text += fmt::format(
            "{:<32} {:>10} {:>12} {:>8} {:>12}\n", point.plan.servers[s].name, times.served,
            shown(times.busy),
            percent(times.busy / point.plan.servers[s].capacity, point.typical.makespan),
            shown(times.queued));
    }
    if (more > 0) text += fmt::format("{} more servers: --format json lists them\n", more);
    return text;
}

std::string times_text(const ApplicationPoint& point) {
    std::string text = fmt::format("\n{:<22} {:>12} {:>12} {:>12}  {:<9} {}\n", "time of", "lo",
                                   "typical", "hi", "claims", "source");
    std::size_t rows = 0;
    for (const auto& time : point.plan.times) {
        if (rows++ == most_rows) {
            text += fmt::format("{} more times: --format json lists them\n",
                                point.plan.times.size() - most_rows);
            break;
        }
        text += fmt::format(
            "{:<22} {:>12} {:>12} {:>12}  {:<9} {}\n", time.name, shown(time.time->lo.count()),
            shown(time.time->typical.count()), shown(time.time->hi.count()), to_string(time.basis),
            time.source.empty() ? fmt::format("stated, line {}", time.line) : time.source);
    }
    return text;
}

std::string assumptions_text(const ApplicationAnswer& answer) {
    std::string text =
        fmt::format("\nassumptions ({}, all unchecked unless marked)\n", answer.assumptions.size());
    for (const auto& assumption : answer.assumptions)
        text += fmt::format("  {:<4} {}{}\n", assumption.id, assumption.text,
                            assumption.status == analyzer::AssumptionStatus::Unchecked
                                ? ""
                                : fmt::format(" ({})", to_string(assumption.status)));
    return text;
}

std::string sweep_text(const ApplicationAnswer& answer) {
    std::string text = "\n";
    for (const auto& [name, value] : answer.points.front().choices)
        text += fmt::format("{:<18} ", name);
    if (answer.has_deadline()) text += fmt::format("{:<10} {:>11} ", "verdict", "margin");
    text += fmt::format("{:>12} {:>12} {:>12} {:>8} {:>9} {:>9} {:>9}  {}\n", "typical", "at least",
                        "at most", "speed-up", "kernels", "copies", "messages", "kind");
    const auto first = static_cast<double>(answer.points.front().typical.makespan);
    for (const auto& point : answer.points) {
        for (const auto& [name, value] : point.choices)
            text += fmt::format("{:<18} ", value);
        if (point.verdict)
            text += fmt::format("{:<10} {:>11} ", to_string(*point.verdict),
                                margin_text(point.margin()));
        const auto& parts = point.on_critical_path;
        const auto share = [&](std::int64_t part) { return percent(part, point.typical.makespan); };
        const auto of = [&](OperationKind kind) {
            return parts.at(static_cast<std::size_t>(kind));
        };
        text += fmt::format(
            "{:>12} {:>12} {:>12} {:>8} {:>9} {:>9} {:>9}  {}\n", shown(point.typical.makespan),
            models::to_string(models::rounded_down(point.bounds.time.lower())),
            models::to_string(models::rounded_up(point.bounds.time.upper())),
            point.typical.makespan == 0
                ? "-"
                : fmt::format("{:.3f}", first / static_cast<double>(point.typical.makespan)),
            share(of(OperationKind::Kernel)),
            share(of(OperationKind::CopyToDevice) + of(OperationKind::CopyToHost)),
            share(of(OperationKind::Message)), kind_of(point.bounds));
    }
    return text + "shares are those of the critical path with typical times\n";
}

} // namespace

std::string text_of(const ApplicationAnswer& answer, bool quiet) {
    const auto& first = answer.points.front();
    std::string text = fmt::format("application  {}", answer.application.name);
    if (!answer.is_sweep()) text += ": " + size_of(first.plan);
    text += "\n";
    if (answer.is_refuted()) text += "\nREFUTED: a simulated time lies outside its limits\n";
    if (answer.is_sweep()) {
        text += sweep_text(answer);
    } else {
        text += "parameters  " + parameters_of(first.plan) + "\n\n" + time_rows(first) +
                path_text(first);
        if (!quiet) text += ranks_text(first) + servers_text(first) + times_text(first);
    }
    if (!quiet) text += assumptions_text(answer);
    return text;
}

} // namespace warpbound::cli
