/// \file
/// The report on pWCET estimates as JSON.

#include "certification/pwcet/pwcet_report.hpp"

#include <nlohmann/json.hpp>

namespace warpbound::certification {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson interval_json(const models::QuantileInterval& interval) {
    return {{"lower", interval.lo},
            {"upper", interval.hi ? OrderedJson(*interval.hi) : OrderedJson(nullptr)}};
}

OrderedJson tests_json(const std::vector<harness::OrderTest>& tests) {
    OrderedJson list = OrderedJson::array();
    for (const auto& test : tests) {
        OrderedJson entry{{"name", test.name}, {"note", test.note}};
        if (test.decision) {
            entry["statistic"] = test.decision->statistic;
            entry["p-value"] = test.decision->p_value;
            entry["p-corrected"] = test.decision->corrected;
            entry["rejected"] = test.decision->corrected < pwcet_level;
            entry["rejected-uncorrected"] = test.decision->p_value < pwcet_level;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

OrderedJson detectable_json(const SeriesPwcet& series) {
    OrderedJson list = OrderedJson::array();
    for (const auto& seen : series.detectable)
        list.push_back({{"test", seen.test},
                        {"effect", seen.effect},
                        {"value", seen.value},
                        {"unit", seen.unit.empty() ? "1" : seen.unit},
                        {"power", stated_power},
                        {"level", pwcet_level / static_cast<double>(series.before.size())},
                        {"source", seen.source}});
    return list;
}

OrderedJson fits_json(const SeriesPwcet& series, const PwcetRequest& request) {
    OrderedJson list = OrderedJson::array();
    for (const auto& fit : series.fits) {
        OrderedJson parameters = OrderedJson::object();
        for (const auto& [name, value] : parameters_of(fit.fit))
            parameters[name] = value;
        OrderedJson times = OrderedJson::array();
        for (std::size_t i = 0; i < fit.times.size(); ++i)
            times.push_back(
                {{"probability", request.probabilities[i]}, {"value", fit.times[i].value()}});
        list.push_back({{"name", fit.name},
                        {"parameters", std::move(parameters)},
                        {"estimates", std::move(times)}});
    }
    return list;
}

OrderedJson figures_json(const SeriesPwcet& series) {
    const auto& figures = series.figures;
    OrderedJson modes = OrderedJson::array();
    for (const auto& mode : figures.modes)
        modes.push_back({{"lowest", static_cast<double>(mode.lowest) * series.times.tick},
                         {"highest", static_cast<double>(mode.highest) * series.times.tick},
                         {"count", mode.count},
                         {"first-run", mode.first_run},
                         {"last-run", mode.last_run}});
    OrderedJson out{{"runs", figures.runs}};
    if (figures.runs == 0) return out;
    out.update({{"distinct", figures.distinct},
                {"lattice-step", static_cast<double>(figures.lattice) * series.times.tick},
                {"least", figures.least},
                {"median", figures.median},
                {"high-water-mark", figures.high_water_mark},
                {"first-worst-run", figures.first_worst_run},
                {"modes", std::move(modes)}});
    return out;
}

OrderedJson row_json(const PwcetRow& row, const std::string& unit) {
    return {{"kind", "pwcet"},
            {"probability-per-run", row.probability},
            {"value", row.time.value()},
            {"unit", unit},
            {"interval-95", interval_json(row.interval)}};
}

OrderedJson series_json(const SeriesPwcet& series, const PwcetReport& report) {
    OrderedJson out{{"name", series.times.name},
                    {"about", series.times.about},
                    {"unit", series.times.unit},
                    {"digest", series.times.digest},
                    {"seed", series.seed},
                    {"outcome", series.outcome == PwcetOutcome::Estimated  ? "estimated"
                                : series.outcome == PwcetOutcome::Constant ? "constant"
                                                                           : "no-pwcet"},
                    {"observed", figures_json(series)},
                    {"reasons", series.reasons},
                    {"findings", series.warnings},
                    {"tests-of-the-runs", tests_json(series.before)},
                    {"tests-of-the-fit", tests_json(series.after)},
                    {"detectable-effects", detectable_json(series)}};
    if (!series.extremes.values.empty()) {
        OrderedJson extremes{{"count", series.extremes.values.size()}};
        if (series.extremes.block > 0) {
            extremes["block"] = series.extremes.block;
        } else {
            extremes["threshold"] = series.extremes.threshold;
            extremes["residual-cv"] = series.extremes.variation;
            extremes["band"] = models::variation_band(series.extremes.values.size());
        }
        out["extremes"] = std::move(extremes);
    }
    if (series.outcome == PwcetOutcome::Estimated) {
        out["fits"] = fits_json(series, report.request);
        out["interval-method"] = series.interval_method;
    }
    OrderedJson rows = OrderedJson::array();
    for (const auto& row : series.rows) {
        OrderedJson entry = row_json(row, series.times.unit);
        if (const auto standing = standing_of(series, row, report.bound);
            standing != Standing::Plausible)
            entry["standing"] = to_string(standing);
        rows.push_back(std::move(entry));
    }
    if (series.figures.runs > 0)
        rows.push_back({{"kind", "observed"},
                        {"value", series.figures.high_water_mark},
                        {"unit", series.times.unit}});
    if (report.bound)
        rows.push_back({{"kind", report.bound->kind},
                        {"side", "upper"},
                        {"value", report.bound->value},
                        {"unit", report.bound->unit},
                        {"source", report.bound->source},
                        {"refuted", refutes_bound(series, report.bound)}});
    out["times"] = std::move(rows);
    return out;
}

} // namespace

std::string render_json(const PwcetReport& report) {
    OrderedJson list = OrderedJson::array();
    for (const auto& series : report.series)
        list.push_back(series_json(series, report));
    OrderedJson envelope = OrderedJson::array();
    for (const auto& row : report.envelope)
        envelope.push_back(row_json(row, report.series.front().times.unit));
    OrderedJson result{{"schema", "warpbound-pwcet/1"},
                       {"tool", {{"name", "warpbound"}, {"version", report.tool_version}}},
                       {"file", report.file},
                       {"method", to_string(report.request.method)},
                       {"shape", report.request.shape == TailShape::Zero ? "zero" : "fitted"},
                       {"series", std::move(list)},
                       {"envelope", std::move(envelope)},
                       {"not-covered", not_covered()}};
    if (report.bound) result["bound-not-compared"] = report.bound->not_compared;
    return result.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

} // namespace warpbound::certification
