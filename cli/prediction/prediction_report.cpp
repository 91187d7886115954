#include "cli/prediction/prediction_report.hpp"

#include "assembly/support/csv_cell.hpp"

#ifdef WARPBOUND_HAS_ANALYZER
#include "certification/page/plot.hpp"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace warpbound::cli {

namespace prediction = models::prediction;

std::size_t ModelAnswers::shown() const {
    for (const std::size_t i : {1U, 2U, 0U})
        if (!variants.at(i).refused()) return i;
    return variants.size();
}

bool PredictionReport::has_time() const {
    return std::ranges::any_of(points, [](const PredictedPoint& point) {
        return std::ranges::any_of(point.models, [](const ModelAnswers& model) {
            return model.shown() != model.variants.size();
        });
    });
}

bool PredictionReport::asks_voudouris() const {
    return std::ranges::any_of(points.front().models, [](const ModelAnswers& answers) {
        return answers.model == prediction::Model::Voudouris;
    });
}

std::string_view PredictionReport::policy() const {
    return setting->policy == models::gpumech::Policy::RoundRobin ? "lrr" : "gto";
}

std::vector<std::string> PredictionReport::unread() const {
    constexpr std::string_view of_machine = "architecture:";
    std::vector<std::string> names;
    for (const std::string& assignment : set) {
        std::string_view name{assignment};
        name = name.substr(0, name.find('='));
        // Of the question itself: every model reads these.
        if (name == "warps" || name.starts_with("launch.")) continue;
        const std::string_view symbol =
            name.starts_with(of_machine) ? name.substr(of_machine.size()) : name;
        const bool is_read = std::ranges::any_of(points, [&](const PredictedPoint& point) {
            return std::ranges::any_of(point.models, [&](const ModelAnswers& model) {
                return std::ranges::any_of(model.variants, [&](const auto& answer) {
                    return std::ranges::any_of(answer.parameters, [&](const auto& parameter) {
                        return parameter.symbol == symbol;
                    });
                });
            });
        });
        if (!is_read) names.emplace_back(name);
    }
    return names;
}

std::string prediction_csv(const PredictionReport& report) {
    std::string out = report.swept.empty() ? "" : fmt::format("{},", csv_cell(report.swept));
    out += "model,variant,cycles,refusal\n";
    for (const auto& point : report.points)
        for (const auto& [model, answers] : point.models)
            for (std::size_t i = 0; i < answers.size(); ++i) {
                if (!report.swept.empty()) out += fmt::format("{:.10g},", point.value);
                out +=
                    fmt::format("{},{},{},{}\n", prediction::to_string(model),
                                prediction::to_string(all_variants[i]),
                                answers[i].time ? fmt::format("{:.10g}", answers[i].time->value())
                                                : std::string{},
                                csv_cell(answers[i].why()));
            }
    return out;
}

#ifdef WARPBOUND_HAS_ANALYZER
namespace {

std::string swept_plot(const PredictionReport& report) {
    using certification::Stroke;
    constexpr std::array strokes{Stroke::Dotted, Stroke::Solid, Stroke::Dashed};
    std::vector<certification::PlotSeries> series;
    const auto& first = report.points.front().models;
    for (std::size_t row = 0; row < first.size(); ++row) {
        for (const std::size_t variant : {0U, 1U, 2U}) {
            certification::PlotSeries one{
                fmt::format("{} {}", prediction::to_string(first[row].model),
                            prediction::to_string(all_variants.at(variant))),
                {},
                row,
                strokes.at(variant)};
            for (const auto& point : report.points)
                if (const auto& time = point.models[row].variants.at(variant).time)
                    one.points.emplace_back(point.value, time->value());
            if (!one.points.empty()) series.push_back(std::move(one));
        }
    }
    return certification::line_plot(
        {.title = fmt::format("{} on {}: estimated time over {}", report.kernel,
                              report.setting->architecture.name, report.swept),
         .description = "One line for each model and case. Estimates, no bounds.",
         .x = report.swept,
         .y = "core cycles"},
        series);
}

} // namespace

Result<std::string> prediction_plot(const PredictionReport& report) {
    if (!report.has_time())
        return Failure{"every model refuses; there is no time to draw", "--plot"};
    if (!report.swept.empty()) return swept_plot(report);
    std::vector<std::string> categories;
    std::vector<certification::PlotBar> bars;
    for (const auto& model : report.points.front().models)
        for (std::size_t i = 0; i < model.variants.size(); ++i) {
            const auto& answer = model.variants.at(i);
            if (!answer.cpi) continue;
            categories.clear();
            certification::PlotBar bar{std::string{prediction::to_string(all_variants.at(i))}, {}};
            for (const auto& [category, cycles] : answer.stack) {
                categories.push_back(category);
                bar.parts.push_back(cycles);
            }
            bars.push_back(std::move(bar));
        }
    if (bars.empty())
        return Failure{"only a sweep and the CPI stack of gpumech are drawn, and gpumech refuses "
                       "or was not asked",
                       "--plot"};
    return certification::stack_plot(
        {.title =
             fmt::format("{} on {}: CPI stack", report.kernel, report.setting->architecture.name),
         .description = "GPUMech's categories; each bar sums to the CPI of the case.",
         .x = "core cycles per warp instruction of the SM",
         .y = ""},
        categories, bars);
}
#endif

} // namespace warpbound::cli
