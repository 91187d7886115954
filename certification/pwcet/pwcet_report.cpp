#include "certification/pwcet/pwcet_report.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification {

namespace {

constexpr double refutation_level = 0.01;

struct ParametersOf {
    using Parameters = std::vector<std::pair<std::string, double>>;

    Parameters operator()(const models::BlockMaximaFit<models::Gumbel>& fit) const {
        return {{"location", fit.maxima.location}, {"scale", fit.maxima.scale}};
    }
    Parameters
    operator()(const models::BlockMaximaFit<models::GeneralizedExtremeValue>& fit) const {
        return {{"location", fit.maxima.location},
                {"scale", fit.maxima.scale},
                {"shape", fit.maxima.shape}};
    }
    Parameters operator()(const models::ThresholdFit<models::Exponential>& fit) const {
        return {{"threshold", fit.threshold}, {"scale", fit.excess.scale}, {"share", fit.share}};
    }
    Parameters operator()(const models::ThresholdFit<models::GeneralizedPareto>& fit) const {
        return {{"threshold", fit.threshold},
                {"scale", fit.excess.scale},
                {"shape", fit.excess.shape},
                {"share", fit.share}};
    }
};

std::string text_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// The claim of an upper bound of the execution time; null without one.
const nlohmann::json* upper_claim(const nlohmann::json& report) {
    const auto claims = report.find("claims");
    if (claims == report.end() || !claims->is_array()) return nullptr;
    for (const auto& claim : *claims)
        if (claim.is_object() && text_in(claim, "quantity") == "execution-time" &&
            text_in(claim, "side") == "upper")
            return &claim;
    return nullptr;
}

const nlohmann::json& object_in(const nlohmann::json& object, const char* name) {
    static const nlohmann::json none = nlohmann::json::object();
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? *found : none;
}

std::optional<std::int64_t> count_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
}

/// Reports of earlier versions say of a launch its numbers of blocks and threads only.
models::LaunchIdentity launch_in(const nlohmann::json& report) {
    const auto& kernel = object_in(report, "kernel");
    models::LaunchIdentity launched{.kernel_digest = text_in(kernel, "digest"),
                                    .kernel = text_in(kernel, "name")};
    const auto& launch = object_in(report, "launch");
    if (auto whole = models::parse_launch(text_in(launch, "text"))) {
        launched.launch = std::move(whole).value();
    } else if (const auto blocks = count_in(launch, "blocks"),
               threads = count_in(launch, "threads");
               blocks && threads) {
        launched.launch = models::Launch{.blocks = *blocks, .threads = *threads};
        launched.launch->registers = count_in(launch, "registers");
        launched.launch->shared_memory = count_in(launch, "shared-memory");
        launched.says_arguments = false;
    }
    // A report names a number of SMs that is not one.
    if (launched.launch) launched.multiprocessors = count_in(launch, "multiprocessors").value_or(1);
    launched.machine_digest = text_in(object_in(report, "architecture"), "digest");
    launched.policy = text_in(report, "policy");
    return launched;
}

} // namespace

Result<BoundBeside> read_bound(const assembly::SourceText& source) {
    const auto report = nlohmann::json::parse(source.text, nullptr, false);
    if (!report.is_object() || text_in(report, "schema") != "warpbound-report/1")
        return Failure{"is no report of `analyze --format json` (expected a number of cycles, or "
                       "a file with schema warpbound-report/1)",
                       source.name};
    const auto* claim = upper_claim(report);
    if (claim == nullptr)
        return Failure{"has no claim of an upper bound of the execution time", source.name};
    const auto value = claim->find("value");
    const std::string kind = text_in(*claim, "kind");
    if (value == claim->end() || !value->is_number_integer() || value->get<std::int64_t>() < 0)
        return Failure{"its upper bound is no whole number", source.name};
    if (kind != "proved-bound" && kind != "bound-under-assumptions")
        return Failure{fmt::format("its claim is a {}, no bound", kind), source.name};
    return BoundBeside{value->get<std::int64_t>(), text_in(*claim, "unit"), kind, source.name,
                       launch_in(report)};
}

Result<void> compare_launches(BoundBeside& bound, const std::vector<TimesInRunOrder>& times) {
    for (const auto& one : times) {
        if (one.unit != bound.unit)
            return Failure{fmt::format("a bound in {} beside times in {}", bound.unit, one.unit),
                           bound.source};
        const auto [differences, not_compared] = models::compare(bound.launched, one.launched);
        if (!differences.empty())
            return Failure{fmt::format("a bound of another launch than {}: {}", one.name,
                                       fmt::join(differences, "; ")),
                           bound.source};
        for (const auto& what : not_compared)
            bound.not_compared.push_back(times.size() > 1 ? what + " of " + one.name : what);
    }
    return boost::outcome_v2::success();
}

std::string not_compared_text(const std::optional<BoundBeside>& bound) {
    if (!bound || bound->not_compared.empty()) return {};
    return fmt::format("Not compared between the bound and the runs, as one of them does not say "
                       "it: {}. The bound counts only if it is of the same launch.",
                       fmt::join(bound->not_compared, ", "));
}

std::string_view to_string(Standing standing) {
    switch (standing) {
    case Standing::Plausible:
        return "";
    case Standing::NotInformative:
        return "not informative";
    case Standing::Refuted:
        break;
    }
    return "refuted";
}

Standing standing_of(const SeriesPwcet& series, const PwcetRow& row,
                     const std::optional<BoundBeside>& bound) {
    const double time = row.time.value();
    const auto above = std::count_if(
        series.times.ticks.begin(), series.times.ticks.end(),
        [&](std::int64_t ticks) { return static_cast<double>(ticks) * series.times.tick > time; });
    const auto runs = static_cast<double>(series.figures.runs);
    if (above > 0) {
        const boost::math::binomial exceedances{runs, row.probability};
        const bool unexpected =
            boost::math::cdf(boost::math::complement(exceedances, static_cast<double>(above) - 1)) <
            refutation_level;
        if (unexpected) return Standing::Refuted;
    }
    if (bound && time > static_cast<double>(bound->value)) return Standing::NotInformative;
    return Standing::Plausible;
}

bool refutes_bound(const SeriesPwcet& series, const std::optional<BoundBeside>& bound) {
    return bound && series.figures.runs > 0 &&
           series.figures.high_water_mark > static_cast<double>(bound->value);
}

bool is_estimated(const PwcetReport& report) {
    return std::none_of(report.series.begin(), report.series.end(),
                        [](const auto& series) { return series.outcome == PwcetOutcome::Refused; });
}

bool is_refuted(const PwcetReport& report) {
    return std::any_of(report.series.begin(), report.series.end(), [&](const auto& series) {
        return refutes_bound(series, report.bound) ||
               std::any_of(series.rows.begin(), series.rows.end(), [&](const auto& row) {
                   return standing_of(series, row, report.bound) == Standing::Refuted;
               });
    });
}

const std::vector<std::string>& not_covered() {
    static const std::vector<std::string> sentences{
        "inputs, hardware states and co-runners that are not among the runs",
        "whether the runs are representative of operation: no test can show it (Cazorla et al., "
        "WCET 2013)",
        "another launch, clock, driver, cache or ECC setting than that of the runs",
        "dependence that is weaker than the tests find, and tails that change beyond the runs"};
    return sentences;
}

std::string estimate_text(const SeriesPwcet& series, double value) {
    return fmt::format("{:.{}f}", value, series.times.decimals + 1);
}

std::string interval_text(const SeriesPwcet& series, const models::QuantileInterval& interval) {
    if (!interval.hi) return "above " + estimate_text(series, interval.lo);
    return estimate_text(series, interval.lo) + " to " + estimate_text(series, *interval.hi);
}

std::string method_text(const SeriesPwcet& series, const PwcetRequest& request) {
    if (series.extremes.block > 0)
        return fmt::format("block-maxima: {} blocks of {} runs, {}", series.extremes.values.size(),
                           series.extremes.block, series.fits.empty() ? "" : series.fits[0].name);
    return fmt::format("{}: {} of {} runs above {}, residual CV {:.3f} (band 1 +/- {:.3f}), {}",
                       to_string(request.method), series.extremes.values.size(),
                       series.figures.runs, estimate_text(series, series.extremes.threshold),
                       series.extremes.variation,
                       models::variation_band(series.extremes.values.size()),
                       series.fits.empty() ? "" : series.fits[0].name);
}

std::vector<std::pair<std::string, double>> parameters_of(const models::TailFit& fit) {
    return std::visit(ParametersOf{}, fit);
}

std::string time_in(const SeriesPwcet& series, double value) {
    return fmt::format("{:.{}f}", value, series.times.decimals);
}

} // namespace warpbound::certification
