/// \file
/// The report on pWCET estimates as text.

#include "certification/pwcet/pwcet_report.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

std::string line(const std::string& name, const std::string& text) {
    return fmt::format("{:<12}{}\n", name, text);
}

std::string figures_text(const SeriesPwcet& series) {
    const auto& figures = series.figures;
    std::string out = line("series", series.times.name);
    if (!series.times.about.empty()) out += line("", series.times.about);
    if (figures.runs < 2) return out + line("runs", figures.runs == 0 ? "none" : "1");
    const double ties =
        1 - static_cast<double>(figures.distinct) / static_cast<double>(figures.runs);
    out += line("runs", fmt::format("{} in run order, {} distinct times, ties {:.1f} %, lattice "
                                    "step {}",
                                    figures.runs, figures.distinct, 100 * ties,
                                    time_in(series, static_cast<double>(figures.lattice) *
                                                        series.times.tick)));
    out += line("observed",
                fmt::format("least {}, median {}, high-water mark {} {} (run {})",
                            time_in(series, figures.least), time_in(series, figures.median),
                            time_in(series, figures.high_water_mark), series.times.unit,
                            figures.first_worst_run));
    return out;
}

std::string tests_text(const SeriesPwcet& series) {
    std::string out;
    const auto family = [&](const char* title, const std::vector<harness::OrderTest>& tests) {
        if (tests.empty()) return;
        out += fmt::format(
            "\n{:<34}{:>10}{:>10}{:>11}\n",
            fmt::format("{} ({} tests, {:g} %)", title, tests.size(), 100 * pwcet_level),
            "statistic", "p", "corrected");
        for (const auto& test : tests) {
            if (!test.decision) {
                out += fmt::format("  {:<32}not decided: {}\n", test.name, test.note);
                continue;
            }
            const auto& [statistic, p, corrected] = *test.decision;
            out += fmt::format("  {:<32}{:>10.4g}{:>10.3g}{:>11.3g}  {}; {}\n", test.name,
                               statistic, p, corrected,
                               corrected < pwcet_level ? "rejected"
                               : p < pwcet_level       ? "rejected before the correction only"
                                                       : "not rejected",
                               test.note);
        }
    };
    family("tests of the runs", series.before);
    if (!series.detectable.empty())
        out += fmt::format(
            "\neffects that a passed test finds with at least {:g} % power in {} runs "
            "(level {:g} % / {})\n",
            100 * stated_power, series.figures.runs, 100 * pwcet_level, series.before.size());
    for (const auto& seen : series.detectable)
        out += fmt::format("  {:<32}{} of {:.2f}{}{}  ({})\n", seen.test, seen.effect, seen.value,
                           seen.unit.empty() ? "" : " ", seen.unit, seen.source);
    family("tests of the fit", series.after);
    return out;
}

std::string fits_text(const SeriesPwcet& series, const PwcetRequest& request) {
    if (series.fits.empty()) return {};
    std::string out = fmt::format("\n{:<32}", "fits, estimate at");
    for (const double p : request.probabilities)
        out += fmt::format("{:>12g}", p);
    out += "\n";
    for (const auto& fit : series.fits) {
        out += fmt::format("  {:<30}", fit.name);
        for (const auto& time : fit.times)
            out += fmt::format("{:>12}", estimate_text(series, time.value()));
        std::string parameters;
        for (const auto& [name, value] : parameters_of(fit.fit))
            parameters += fmt::format("{}{} {:.6g}", parameters.empty() ? "" : ", ", name, value);
        out += "  " + parameters + "\n";
    }
    return out;
}

std::string kinds_text(const SeriesPwcet& series, const PwcetReport& report) {
    const std::string unit = series.times.unit;
    if (series.figures.runs == 0 && !report.bound) return {};
    const bool estimated = !series.rows.empty();
    std::string out = fmt::format("\n{:<26}{:>10}{:>14}   {}\n", "kind", estimated ? "per run" : "",
                                  unit, estimated ? "95 % interval" : "source");
    for (const auto& row : series.rows) {
        const auto standing = standing_of(series, row, report.bound);
        const std::string interval = interval_text(series, row.interval);
        out += fmt::format("{:<26}{:>10g}{:>14}   ", "pWCET (estimate)", row.probability,
                           estimate_text(series, row.time.value()));
        out += standing == Standing::Plausible
                   ? interval + "\n"
                   : fmt::format("{:<28}{}\n", interval, to_string(standing));
    }
    if (series.figures.runs > 0)
        out += fmt::format("{:<26}{:>10}{:>14}   {} runs\n", "observed, worst", "",
                           time_in(series, series.figures.high_water_mark), series.figures.runs);
    if (report.bound)
        out += fmt::format("{:<26}{:>10}{:>14}   {}{}\n", report.bound->kind, "",
                           report.bound->value, report.bound->source,
                           refutes_bound(series, report.bound) ? ": refuted by a run" : "");
    return out;
}

std::string list(const char* title, const std::vector<std::string>& items) {
    if (items.empty()) return {};
    std::string out = fmt::format("\n{}\n", title);
    for (const auto& item : items)
        out += "  - " + item + "\n";
    return out;
}

std::string series_text(const SeriesPwcet& series, const PwcetReport& report) {
    std::string out = figures_text(series);
    switch (series.outcome) {
    case PwcetOutcome::Constant:
        out +=
            line("constant", fmt::format("{} runs of {} {}; nothing to fit", series.figures.runs,
                                         time_in(series, series.figures.least), series.times.unit));
        return out + kinds_text(series, report);
    case PwcetOutcome::Refused:
        out += line("no pWCET", series.reasons.size() == 1
                                    ? "1 reason"
                                    : fmt::format("{} reasons", series.reasons.size()));
        out += list("reasons", series.reasons);
        return out + list("findings", series.warnings) + tests_text(series) +
               kinds_text(series, report);
    case PwcetOutcome::Estimated:
        break;
    }
    out += line("method", method_text(series, report.request));
    out += line("interval", series.interval_method);
    out += line("seed", fmt::format("{}{}", series.seed,
                                    report.request.seed ? "" : " (from the digest of the times)"));
    return out + kinds_text(series, report) + fits_text(series, report.request) +
           tests_text(series) + list("findings", series.warnings);
}

} // namespace

std::string render_text(const PwcetReport& report) {
    std::string out;
    for (const auto& series : report.series)
        out += (out.empty() ? "" : "\n") + series_text(series, report);
    if (!report.envelope.empty()) {
        out += fmt::format("\nenvelope of {} series: at each probability the largest\n",
                           report.series.size());
        for (const auto& row : report.envelope)
            out += fmt::format("{:<26}{:>10g}{:>14}   {}\n", "pWCET (estimate)", row.probability,
                               estimate_text(report.series.front(), row.time.value()),
                               interval_text(report.series.front(), row.interval));
    }
    if (const auto open = not_compared_text(report.bound); !open.empty()) out += "\n" + open + "\n";
    return out + list("A pWCET is an estimate under statistical assumptions, not a bound. Not "
                      "covered:",
                      not_covered());
}

} // namespace warpbound::certification
