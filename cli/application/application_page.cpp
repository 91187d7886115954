#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"
#include "cli/application/application_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace warpbound::cli {

namespace {

using certification::cell;
using certification::escape;
using models::application::operation_kinds;
using models::application::OperationKind;

constexpr std::size_t most_bars = 2000;
constexpr std::size_t most_lanes = 40;
constexpr std::size_t most_ranks = 200;

/// A figure of one width.
struct Drawing {
    double width;
    double left; ///< Where time begins.
    double lane = 24;
    /// Height of the name of a lane above its bars; 0: the name is at the left.
    double above = 0;
    int ticks = 4;
};

/// Operations of one server, one lane each, on the axis of time.
class Timeline {
public:
    Timeline(const ApplicationPoint& point, const Drawing& drawing)
        : point_{point}, drawing_{drawing} {
        lanes_.resize(point.plan.servers.size(), 0);
        for (std::size_t s = 0; s < point.plan.servers.size() && used_ < most_lanes; ++s)
            if (point.typical.servers[s].served > 0) lanes_[s] = ++used_;
        for (std::size_t i = 0; i < point.typical.served.size(); ++i)
            if (lane_of(i) > 0) drawn_.push_back(i);
        std::ranges::stable_sort(drawn_, std::greater<>{}, [&](std::size_t i) {
            return point_.typical.served[i].end - point_.typical.served[i].start;
        });
        left_out_ = drawn_.size() > most_bars ? drawn_.size() - most_bars : 0;
        drawn_.resize(drawn_.size() - left_out_);
    }

    [[nodiscard]] std::size_t left_out() const { return left_out_; }

    [[nodiscard]] std::string svg() const {
        const double height = drawing_.lane * static_cast<double>(used_ + 2);
        std::string text = fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" "
                                       "role=\"img\"><title>Timeline</title><desc>Operations "
                                       "of each server over time, typical times.</desc>\n",
                                       drawing_.width, height);
        for (std::size_t s = 0; s < lanes_.size(); ++s)
            if (lanes_[s] > 0)
                text += fmt::format("<text x=\"4\" y=\"{:.1f}\">{}</text>\n",
                                    y(lanes_[s]) + (drawing_.above > 0 ? -6 : 15),
                                    escape(shortened(point_.plan.servers[s].name)));
        for (const std::size_t i : drawn_)
            text += bar(i);
        return text + axis() + "</svg>\n";
    }

private:
    [[nodiscard]] std::size_t lane_of(std::size_t record) const {
        const auto& operation = point_.typical.served[record].operation;
        return operation ? lanes_[point_.plan.operations[*operation].server] : 0;
    }
    [[nodiscard]] double x(std::int64_t time) const {
        const auto all = static_cast<double>(std::max<std::int64_t>(1, point_.typical.makespan));
        return drawing_.left +
               static_cast<double>(time) / all * (drawing_.width - 20 - drawing_.left);
    }
    [[nodiscard]] double y(std::size_t lane) const {
        return drawing_.lane * static_cast<double>(lane - 1) + 2 + drawing_.above;
    }
    [[nodiscard]] std::string shortened(const std::string& name) const {
        const double room = drawing_.above > 0 ? drawing_.width : drawing_.left;
        const auto most = static_cast<std::size_t>(room / 7);
        return name.size() <= most ? name : name.substr(0, most - 2) + "..";
    }
    [[nodiscard]] std::string bar(std::size_t record) const {
        const auto& served = point_.typical.served[record];
        const auto& operation = point_.plan.operations[*served.operation];
        const double width = std::max(0.5, x(served.end) - x(served.start));
        return fmt::format(
            "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
            "height=\"{:.0f}\"><title>{}: {}, {} from {}</title></rect>\n",
            certification::stack_class(static_cast<std::size_t>(operation.kind)), x(served.start),
            y(lane_of(record)), width, drawing_.lane - 6 - drawing_.above,
            escape(point_.plan.ranks[served.rank].name), escape(point_.plan.names[served.name]),
            shown(served.end - served.start), shown(served.start));
    }
    [[nodiscard]] std::string axis() const {
        const double base = drawing_.lane * static_cast<double>(used_) + 6;
        std::string text = fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" "
                                       "y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                                       x(0), x(point_.typical.makespan), base, base);
        for (int i = 0; i <= drawing_.ticks; ++i) {
            const std::int64_t time = i == drawing_.ticks
                                          ? point_.typical.makespan
                                          : point_.typical.makespan / drawing_.ticks * i;
            const std::string_view anchor = i == drawing_.ticks ? "end"
                                            : i == 0            ? "start"
                                                                : "middle";
            text += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" "
                                "text-anchor=\"{}\">{}</text>\n",
                                x(time), base + 18, anchor, shown(time));
        }
        return text;
    }

    const ApplicationPoint& point_;
    Drawing drawing_;
    std::vector<std::size_t> lanes_; ///< Of each server, from 1; 0: not drawn.
    std::vector<std::size_t> drawn_;
    std::size_t used_ = 0;
    std::size_t left_out_ = 0;
};

std::string timeline(const ApplicationPoint& point) {
    const Timeline wide{point, {.width = 960, .left = 220}};
    const Timeline narrow{point, {.width = 420, .left = 10, .lane = 40, .above = 18, .ticks = 2}};
    std::string key;
    for (std::size_t kind = 0; kind < operation_kinds; ++kind)
        if (std::ranges::any_of(point.plan.operations, [&](const auto& operation) {
                return static_cast<std::size_t>(operation.kind) == kind;
            }))
            key += fmt::format("<span class=\"key\"><svg viewBox=\"0 0 10 10\"><rect "
                               "class=\"{}\"/></svg></span>{} ",
                               certification::stack_class(kind), path_part_name(kind));
    std::string caption = "Operations of each server, typical times.";
    if (wide.left_out() > 0)
        caption += fmt::format(" The {} shortest operations are left out.", wide.left_out());
    return "<p>" + key + "</p>\n" + certification::figure(wide.svg(), narrow.svg(), caption);
}

std::string path_table(const ApplicationPoint& point) {
    std::string rows;
    for (const auto& row : path_rows(point))
        rows += "<tr>" + cell(row.name) + cell(row.rank) + cell(row.server) +
                cell(fmt::format("{}", row.count), true) + cell(shown(row.time), true) +
                cell(percent(row.time, point.typical.makespan), true) + "</tr>\n";
    return certification::sortable_table("Operations whose times add up to the predicted time",
                                         {{"operation", false},
                                          {"rank", false},
                                          {"server", false},
                                          {"count", true},
                                          {"time", true},
                                          {"share", true}},
                                         rows);
}

std::string ranks_table(const ApplicationPoint& point) {
    std::string rows;
    for (std::size_t r = 0; r < point.plan.ranks.size() && r < most_ranks; ++r) {
        const auto& rank = point.typical.ranks[r];
        rows += "<tr>" + cell(point.plan.ranks[r].name) + cell(shown(rank.end), true);
        for (const std::int64_t time : rank.service)
            rows += cell(shown(time), true);
        rows += cell(shown(rank.queued), true) + cell(shown(rank.blocked), true) + "</tr>\n";
    }
    certification::Columns columns{{"rank", false}, {"end", true}};
    for (std::size_t kind = 0; kind < operation_kinds; ++kind)
        columns.emplace_back(path_part_name(kind), true);
    columns.emplace_back("queued", true);
    columns.emplace_back("blocked", true);
    std::string caption = "Time of each rank with typical times: in service by kind, queued at "
                          "servers, blocked at receives, waits and barriers";
    if (point.plan.ranks.size() > most_ranks)
        caption += fmt::format("; the first {} of {} ranks", most_ranks, point.plan.ranks.size());
    return certification::sortable_table(caption, columns, rows);
}

std::string servers_table(const ApplicationPoint& point) {
    std::string rows;
    for (std::size_t s = 0; s < point.plan.servers.size(); ++s) {
        const auto& times = point.typical.servers[s];
        if (times.served == 0) continue;
        rows += "<tr>" + cell(point.plan.servers[s].name) +
                cell(fmt::format("{}", times.served), true) + cell(shown(times.busy), true) +
                cell(percent(times.busy / point.plan.servers[s].capacity, point.typical.makespan),
                     true) +
                cell(shown(times.queued), true) + "</tr>\n";
    }
    return certification::sortable_table("Servers with typical times",
                                         {{"server", false},
                                          {"operations", true},
                                          {"busy", true},
                                          {"in use", true},
                                          {"queued", true}},
                                         rows);
}

std::string points_table(const ApplicationAnswer& answer) {
    std::string rows;
    certification::Columns columns;
    for (const auto& [name, value] : answer.points.front().choices)
        columns.emplace_back(name, true);
    if (answer.has_deadline()) {
        columns.emplace_back("verdict", false);
        columns.emplace_back("margin", true);
    }
    for (const char* name : {"typical", "at least", "at most", "speed-up"})
        columns.emplace_back(name, true);
    columns.emplace_back("kind", false);
    const auto first = static_cast<double>(answer.points.front().typical.makespan);
    for (const auto& point : answer.points) {
        rows += "<tr>";
        for (const auto& [name, value] : point.choices)
            rows += cell(value, true);
        if (point.verdict)
            rows += cell(std::string{to_string(*point.verdict)}) +
                    cell(margin_text(point.margin()), true);
        const auto now = static_cast<double>(point.typical.makespan);
        rows += cell(shown(point.typical.makespan), true) +
                cell(models::to_string(models::rounded_down(point.bounds.time.lower())), true) +
                cell(models::to_string(models::rounded_up(point.bounds.time.upper())), true) +
                cell(now == 0 ? "-" : fmt::format("{:.3f}", first / now), true) +
                cell(kind_of(point.bounds)) + "</tr>\n";
    }
    return certification::sortable_table("Predicted time at each point", columns, rows);
}

std::string times_table(const ApplicationPoint& point) {
    std::string rows;
    for (const auto& time : point.plan.times)
        rows +=
            "<tr>" + cell(time.name) + cell(shown(time.time->lo.count()), true) +
            cell(shown(time.time->typical.count()), true) +
            cell(shown(time.time->hi.count()), true) + cell(std::string{to_string(time.basis)}) +
            cell(time.source.empty() ? fmt::format("stated, line {}", time.line) : time.source) +
            "</tr>\n";
    return certification::table("What the prediction is made from",
                                {{"time of", false},
                                 {"lo", true},
                                 {"typical", true},
                                 {"hi", true},
                                 {"claims", false},
                                 {"source", false}},
                                rows);
}

/// Of the first point; of a sweep the table has them all.
std::string verdict_card(const ApplicationAnswer& answer) {
    const ApplicationPoint& point = answer.points.front();
    if (!point.verdict) return {};
    const std::string deadline = "deadline " + models::to_string(*point.plan.deadline);
    const std::string phrase = margin_phrase(point);
    switch (*point.verdict) {
    case models::DeadlineVerdict::Met:
        return certification::card("Met, " + phrase, deadline, "holds");
    case models::DeadlineVerdict::Violated:
        return certification::card("Violated", deadline + ": " + phrase, "refuted");
    case models::DeadlineVerdict::Undecided:
        break;
    }
    return certification::card("Undecided", deadline + ": " + phrase, "undecided");
}

/// Of the typical times, and of the drawn runs where there are any.
std::string time_card(const ApplicationPoint& point) {
    std::string text = "typical times, " + kind_of(point.bounds);
    if (point.drawn)
        text += fmt::format("; {} runs that draw every time from its range: {} to {}, mean {}",
                            point.drawn->runs, shown(point.drawn->best), shown(point.drawn->worst),
                            shown(static_cast<std::int64_t>(point.drawn->mean + 0.5)));
    return certification::card(shown(point.typical.makespan), text);
}

} // namespace

std::string html_of(const ApplicationAnswer& answer) {
    const auto& point = answer.points.front();
    const certification::SectionScope scope;
    std::string body = "<h1>" + escape(answer.application.name) + "</h1>\n";
    if (answer.is_refuted())
        body += "<p><b>REFUTED</b>: a simulated time lies outside its limits.</p>\n";
    body += "<div class=\"summary\">\n" + verdict_card(answer) + time_card(point) +
            certification::card(models::to_string(models::rounded_up(point.bounds.time.upper())),
                                "at most") +
            certification::card(models::to_string(models::rounded_down(point.bounds.time.lower())),
                                "at least") +
            "</div>\n";
    if (answer.is_sweep())
        body += certification::heading(scope, "points", "Points") + points_table(answer) +
                "<p>What follows is the first point.</p>\n";
    body += certification::heading(scope, "timeline", "Timeline") + timeline(point) +
            certification::heading(scope, "path", "Critical path") + path_table(point) +
            certification::heading(scope, "ranks", "Ranks") + ranks_table(point) +
            certification::heading(scope, "servers", "Servers") + servers_table(point) +
            certification::heading(scope, "times", "Times") + times_table(point) +
            certification::heading(scope, "assumptions", "Assumptions") + "<ul>\n";
    for (const auto& assumption : answer.assumptions)
        body += fmt::format("<li>{}: {}</li>\n", assumption.id, escape(assumption.text));
    return certification::page("Application " + answer.application.name, body + "</ul>\n");
}

} // namespace warpbound::cli
