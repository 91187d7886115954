/// \file
/// The report on pWCET estimates as one self-contained page.

#include "certification/page/escape.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/pwcet/pwcet_figures.hpp"
#include "certification/pwcet/pwcet_report.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

std::string row(const std::string& cells) {
    return "<tr>" + cells + "</tr>\n";
}

std::string list(const std::vector<std::string>& items) {
    std::string out = "<ul>\n";
    for (const auto& item : items)
        out += "<li>" + escape(item) + "</li>\n";
    return out + "</ul>\n";
}

std::string kinds_table(const SeriesPwcet& series, const PwcetReport& report) {
    std::string rows;
    const bool estimated = !series.rows.empty();
    for (const auto& one : series.rows)
        rows += row(cell("pWCET (estimate)") + cell(fmt::format("{:g}", one.probability), true) +
                    cell(estimate_text(series, one.time.value()), true) +
                    cell(interval_text(series, one.interval)) +
                    cell(std::string{to_string(standing_of(series, one, report.bound))}));
    if (series.figures.runs > 0)
        rows += row(cell("observed, worst") + cell("", true) +
                    cell(time_in(series, series.figures.high_water_mark), true) +
                    cell(fmt::format("{} runs", series.figures.runs)) + cell(""));
    if (report.bound)
        rows +=
            row(cell(report.bound->kind) + cell("", true) +
                cell(fmt::format("{}", report.bound->value), true) + cell(report.bound->source) +
                cell(refutes_bound(series, report.bound) ? "refuted by a run" : ""));
    if (rows.empty()) return {};
    return table(
        (estimated ? "Estimate, observation and bound, in " : "Observation and bound, in ") +
            series.times.unit,
        {{"kind", false},
         {estimated ? "per run" : "", true},
         {series.times.unit, true},
         {estimated ? "95 % interval, or source" : "source", false},
         {"verdict", false}},
        rows);
}

std::string fits_table(const SeriesPwcet& series, const PwcetRequest& request) {
    if (series.fits.empty()) return {};
    Columns columns{{"fit", false}};
    for (const double p : request.probabilities)
        columns.emplace_back(fmt::format("at {:g}", p), true);
    columns.emplace_back("parameters", false);
    std::string rows;
    for (const auto& fit : series.fits) {
        std::string cells = cell(fit.name);
        for (const auto& time : fit.times)
            cells += cell(estimate_text(series, time.value()), true);
        std::string parameters;
        for (const auto& [name, value] : parameters_of(fit.fit))
            parameters += fmt::format("{}{} {:.6g}", parameters.empty() ? "" : ", ", name, value);
        rows += row(cells + cell(parameters));
    }
    return table("Fits by two estimators and of two shapes; the first one is reported", columns,
                 rows);
}

std::string tests_table(const std::string& caption, const std::vector<harness::OrderTest>& tests) {
    if (tests.empty()) return {};
    std::string rows;
    for (const auto& test : tests) {
        if (!test.decision) {
            rows += row(cell(test.name) + cell("", true) + cell("", true) + cell("", true) +
                        cell("not decided") + cell(test.note));
            continue;
        }
        const auto& [statistic, p, corrected] = *test.decision;
        rows += row(cell(test.name) + cell(fmt::format("{:.4g}", statistic), true) +
                    cell(fmt::format("{:.3g}", p), true) +
                    cell(fmt::format("{:.3g}", corrected), true) +
                    cell(corrected < pwcet_level ? "rejected"
                         : p < pwcet_level       ? "rejected before the correction only"
                                                 : "not rejected") +
                    cell(test.note));
    }
    return table(fmt::format("{}: {} tests, level {:g} % after Holm's correction", caption,
                             tests.size(), 100 * pwcet_level),
                 {{"test", false},
                  {"statistic", true},
                  {"p", true},
                  {"corrected", true},
                  {"verdict", false},
                  {"note", false}},
                 rows);
}

std::string detectable_table(const SeriesPwcet& series) {
    if (series.detectable.empty()) return {};
    std::string rows;
    for (const auto& seen : series.detectable)
        rows +=
            row(cell(seen.test) + cell(seen.effect) +
                cell(fmt::format("{:.2f}{}{}", seen.value, seen.unit.empty() ? "" : " ", seen.unit),
                     true) +
                cell(seen.source));
    return table(
        fmt::format("Effects that a passed test finds with at least {:g} % power in {} runs "
                    "(level {:g} % / {})",
                    100 * stated_power, series.figures.runs, 100 * pwcet_level,
                    series.before.size()),
        {{"test", false}, {"effect", false}, {"at least", true}, {"source", false}}, rows);
}

std::string outcome(const SeriesPwcet& series, const PwcetReport& report) {
    switch (series.outcome) {
    case PwcetOutcome::Constant:
        return fmt::format("<p>Constant: {} runs of {} {}. There is nothing to fit.</p>\n",
                           series.figures.runs, time_in(series, series.figures.least),
                           escape(series.times.unit));
    case PwcetOutcome::Refused:
        return "<p><strong>No pWCET.</strong></p>\n" + list(series.reasons);
    case PwcetOutcome::Estimated:
        break;
    }
    return fmt::format("<p>Method {}. Interval: {}. Seed {}.</p>\n",
                       escape(method_text(series, report.request)), escape(series.interval_method),
                       series.seed);
}

std::string section(const SeriesPwcet& series, const PwcetReport& report, std::size_t number) {
    std::string out =
        fmt::format("<h2 id=\"series-{}\">{}</h2>\n", number, escape(series.times.name));
    if (!series.times.about.empty())
        out += fmt::format("<p class=\"quiet\">{}</p>\n", escape(series.times.about));
    out += outcome(series, report) + kinds_table(series, report);
    if (!series.warnings.empty()) out += "<p>Findings:</p>\n" + list(series.warnings);
    return out + figures_of(series, report) + fits_table(series, report.request) +
           tests_table("Tests of the runs", series.before) + detectable_table(series) +
           tests_table("Tests of the fit", series.after);
}

std::string summary(const PwcetReport& report) {
    std::string cards;
    for (const auto& series : report.series) {
        cards += card(std::to_string(series.figures.runs), "runs of " + series.times.name);
        if (!series.rows.empty())
            cards += card(estimate_text(series, series.rows.back().time.value()),
                          fmt::format("{}: pWCET at {:g} per run, an estimate", series.times.unit,
                                      series.rows.back().probability));
        if (series.figures.runs > 0)
            cards += card(time_in(series, series.figures.high_water_mark),
                          series.times.unit + ": the worst observed");
    }
    if (report.bound)
        cards += card(std::to_string(report.bound->value),
                      report.bound->unit + ": " + report.bound->kind);
    return fmt::format("<h1>pWCET of {}</h1>\n<p class=\"quiet\">An estimate under statistical "
                       "assumptions, not a bound. warpbound {}</p>\n<div class=\"summary\">\n{}"
                       "</div>\n",
                       escape(report.file), escape(report.tool_version), cards);
}

std::string envelope(const PwcetReport& report) {
    if (report.envelope.empty()) return {};
    std::string rows;
    for (const auto& one : report.envelope)
        rows += row(cell(fmt::format("{:g}", one.probability), true) +
                    cell(estimate_text(report.series.front(), one.time.value()), true) +
                    cell(interval_text(report.series.front(), one.interval)));
    return "<h2 id=\"envelope\">Envelope</h2>\n" +
           table("At each probability the largest of all series",
                 {{"per run", true},
                  {report.series.front().times.unit, true},
                  {"95 % interval", false}},
                 rows);
}

} // namespace

std::string render_html(const PwcetReport& report) {
    std::string body = summary(report);
    for (std::size_t i = 0; i < report.series.size(); ++i)
        body += section(report.series[i], report, i);
    body += envelope(report);
    if (const auto open = not_compared_text(report.bound); !open.empty())
        body += fmt::format("<p class=\"quiet\">{}</p>\n", escape(open));
    body += "<h2 id=\"not-covered\">Not covered</h2>\n" + list(not_covered());
    return page("pWCET of " + report.file, body);
}

} // namespace warpbound::certification
