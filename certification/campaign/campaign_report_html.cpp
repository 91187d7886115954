/// \file
/// The report on a campaign as one self-contained page.
#include "certification/campaign/campaign_figures.hpp"
#include "certification/campaign/campaign_report.hpp"
#include "certification/campaign/held_section.hpp"
#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace warpbound::certification {

namespace {

/// Largest relative half width of a mean's confidence interval that is not listed as a finding.
constexpr double wide = 0.01;

/// Caption of the table of a quantity.
std::string caption_of(const std::string& quantity) {
    if (quantity == to_string(harness::Quantity::ResidentBlocks))
        return "Most blocks on an SM at once, of each run";
    if (quantity == harness::host_time)
        return "Time of each run in ns, from its release until the host saw its end";
    if (harness::is_wall_time(quantity)) return "Time of each run in ns";
    const bool is_region = quantity == to_string(harness::Quantity::Region) ||
                           quantity == to_string(harness::Quantity::CheckedRegion);
    const std::string what = is_region ? "Largest time of a warp between its clock reads,"
                             : quantity == to_string(harness::Quantity::Clocks)
                                 ? "Last clock read since the first of the launch,"
                                 : "Execution time";
    return what + " of each run in core cycles";
}

std::string anomaly_text(const CampaignPoint& point) {
    std::string text;
    for (const auto& [anomaly, runs] : point.anomalies)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", runs, to_string(anomaly));
    return text;
}

std::string drift_text(const CampaignPoint& point) {
    if (!point.order) return {};
    if (point.summary->distinct == 1) return "constant";
    const auto found = point.order->found();
    return found.empty() ? std::string{to_string(point.order->drift())}
                         : fmt::format("{}", fmt::join(found, ", "));
}

/// Label that distinguishes a point from the others of its group.
std::string label_of(const CampaignPoint& point) {
    return point.axes.empty() ? "launch " + point.series.key.launch : axes_text(point.axes);
}

std::string table_of(const CampaignGroup& group) {
    std::string rows;
    for (const auto& point : group.points) {
        const auto& summary = point.summary;
        const auto number = [&](auto of) {
            return cell(summary ? fmt::format("{}", of(*summary)) : std::string{}, true);
        };
        rows +=
            "<tr>" + cell(label_of(point)) + cell(std::to_string(point.series.runs), true) +
            number([](const auto& of) { return of.best; }) +
            number([](const auto& of) { return fmt::format("{:.1f}", of.mean); }) +
            cell(point.mean_half_width ? fmt::format("{:.2f} %", 100 * *point.mean_half_width) : "",
                 true) +
            number([](const auto& of) { return of.p99; }) +
            number([](const auto& of) { return of.worst; }) +
            number([](const auto& of) { return of.distinct; }) +
            number([](const auto& of) { return of.modes.size(); }) + cell(drift_text(point)) +
            cell(anomaly_text(point)) + "</tr>\n";
    }
    return table(fmt::format("{}; {}", caption_of(group.quantity), group.protocol),
                 {{"point", false},
                  {"runs", true},
                  {"best", true},
                  {"mean", true},
                  {"+/-", true},
                  {"p99", true},
                  {"worst", true},
                  {"values", true},
                  {"modes", true},
                  {"run order", false},
                  {"anomalies", false}},
                 rows);
}

/// `names_device`: several devices have series in the campaign.
std::string section(const CampaignGroup& group, std::size_t number, bool names_device) {
    const std::string title =
        names_device ? fmt::format("{} on {}", group.name, group.device) : group.name;
    std::string out = fmt::format("<h2 id=\"series-{}\">{}</h2>\n", number, escape(title));
    if (group.benchmark != nullptr)
        out += fmt::format("<p>{} Expected: {} ({}).</p>\n", escape(group.benchmark->question),
                           escape(group.benchmark->relation), escape(group.benchmark->source));
    out += fmt::format("<p class=\"quiet\">{} ({})</p>\n", escape(group.device),
                       escape(group.device_detail));
    if (group.version > 1)
        out += fmt::format("<p>Recorded again with another kernel or other flow facts; recording "
                           "{}.</p>\n",
                           group.version);
    return out + figures_of(group) + table_of(group);
}

using Items = std::vector<std::string>; ///< Markup of list items.

/// Series that need attention, listed at the top of the page.
struct Findings {
    Items not_converged;
    Items drifting;
    Items with_anomalies;
    std::int64_t untested = 0; ///< Series without a test of their order.
};

/// List item with a series, its device and a link to its section.
std::string item(const CampaignGroup& group, std::size_t number, const CampaignPoint& point,
                 const std::string& text) {
    std::string name = point.series.key.name;
    if (point.axes.empty()) name += fmt::format(" {}", point.series.key.launch);
    return fmt::format("<li><a href=\"#series-{}\">{}</a> ({}, {}): {}</li>\n", number,
                       escape(name), escape(group.device), escape(group.quantity), escape(text));
}

Findings findings_of(const CampaignReport& report) {
    Findings found;
    std::map<std::string, std::vector<std::string>> undecided; // names by reason
    for (std::size_t i = 0; i < report.groups.size(); ++i)
        for (const auto& point : report.groups[i].points) {
            const auto item_of = [&](const std::string& text) {
                return item(report.groups[i], i, point, text);
            };
            if (!point.mean_half_width)
                undecided[point.mean_undecided].push_back(point.series.key.name);
            else if (*point.mean_half_width > wide)
                found.not_converged.push_back(
                    item_of(fmt::format("mean {:.1f} +/- {:.2f} %", point.summary->mean,
                                        100 * *point.mean_half_width)));
            const auto drift = point.order ? point.order->drift() : harness::Drift::NotDecided;
            if (drift == harness::Drift::Found)
                found.drifting.push_back(item_of(drift_text(point)));
            if (drift == harness::Drift::NotDecided) ++found.untested;
            if (!point.anomalies.empty())
                found.with_anomalies.push_back(
                    item_of(anomaly_text(point) + "; " + point.first_anomaly));
        }
    for (const auto& [why, names] : undecided)
        found.not_converged.push_back(
            fmt::format("<li>Not decided for {} series, {} first: {}</li>\n", names.size(),
                        escape(names.front()), escape(why)));
    return found;
}

/// A list under a heading; a long one is shown on a click.
std::string list(const std::string& id, const std::string& title, const Items& items,
                 const std::string& otherwise) {
    constexpr std::size_t longest = 12;
    std::string out = fmt::format("<h2 id=\"{}\">{}</h2>\n", id, title);
    if (items.empty()) return out + "<p>" + otherwise + "</p>\n";
    const std::string all = fmt::format("<ul>\n{}</ul>\n", fmt::join(items, ""));
    if (items.size() <= longest) return out + all;
    return out +
           fmt::format("<details><summary>{} entries</summary>\n{}</details>\n", items.size(), all);
}

std::string conditions(const CampaignReport& report) {
    std::set<std::array<std::string, 3>> seen; // Device, its detail, condition.
    std::string rows;
    for (const auto& group : report.groups)
        for (const auto& point : group.points)
            for (const auto& noted : point.conditions)
                for (const auto& [name, value] : noted.conditions)
                    if (seen.insert({group.device, group.device_detail, name + "=" + value}).second)
                        rows += "<tr>" + cell(group.device) + cell(name) + cell(value) +
                                cell(fmt::format("{}, run {}", point.series.key.name,
                                                 noted.first_run)) +
                                "</tr>\n";
    if (rows.empty())
        return "<h2 id=\"conditions\">State of the devices</h2>\n<p>None recorded. A simulated "
               "device has no state other than its description.</p>\n";
    return "<h2 id=\"conditions\">State of the devices</h2>\n" +
           table("Recorded at the start of each measuring process; each value with the first run "
                 "that has it",
                 {{"device", false}, {"condition", false}, {"value", false}, {"first seen", false}},
                 rows);
}

std::string summary(const CampaignReport& report) {
    std::int64_t series = 0;
    std::int64_t runs = 0;
    std::set<std::string> devices;
    std::set<std::string> names;
    for (const auto& group : report.groups) {
        devices.insert(group.device);
        names.insert(group.name);
        for (const auto& point : group.points) {
            ++series;
            runs += point.series.runs;
        }
    }
    return fmt::format("<h1>Campaign {}</h1>\n<p class=\"quiet\">{}</p>\n<div "
                       "class=\"summary\">\n",
                       escape(report.file), escape(fmt::format("{}", fmt::join(devices, ", ")))) +
           card(std::to_string(runs), "runs, all kept") + card(std::to_string(series), "series") +
           card(std::to_string(names.size()), "benchmarks and kernels") + "</div>\n";
}

} // namespace

std::string render_html(const CampaignReport& report) {
    const Findings found = findings_of(report);
    std::string body = summary(report) + held_section(report);
    body += list("converged", "Not converged", found.not_converged,
                 "The 95 % confidence interval of the mean is within 1 % of it for every series.");
    body += list("drift", "Drift and dependence in run order", found.drifting,
                 fmt::format("No test of the run order rejects independence (level 1 %, corrected "
                             "for the number of tests); {} series are constant or too short for a "
                             "test.",
                             found.untested));
    body += list("anomalies", "Run anomalies", found.with_anomalies, "No run has an anomaly.");
    const bool names_device =
        std::any_of(report.groups.begin(), report.groups.end(), [&](const CampaignGroup& group) {
            return group.device != report.groups.front().device;
        });
    for (std::size_t i = 0; i < report.groups.size(); ++i)
        body += section(report.groups[i], i, names_device);
    body += conditions(report);
    body +=
        "<h2 id=\"glossary\">Glossary</h2>\n<dl>\n"
        "<dt>best, mean, worst</dt><dd>Observed times, no bounds: the largest time of the warps of "
        "a "
        "launch; for clocks, the time from the first to the last clock read of the launch. Only "
        "runs without a time, or of another code, are excluded.</dd>\n"
        "<dt>+/-</dt><dd>Half width of the 95 % bootstrap interval of the mean.</dd>\n"
        "<dt>run order</dt><dd>Tests that reject independence of the run order: runs about the "
        "median, Ljung-Box, first half against second half, clustering of a mode's members; "
        "p-values corrected for the number of all tests (Holm).</dd>\n</dl>\n";
    body += fmt::format("<p class=\"quiet\">warpbound {}.</p>\n", escape(report.tool_version));
    return page("Campaign " + report.file, body);
}

} // namespace warpbound::certification
