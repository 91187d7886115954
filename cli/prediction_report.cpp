#include "cli/prediction_report.hpp"

#include "cli/json.hpp"

#ifdef WARPBOUND_HAS_ANALYZER
#include "certification/plot.hpp"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::cli {

namespace {

namespace prediction = models::prediction;

std::string launch_text(const prediction::Setting& setting) {
    if (setting.warps) return fmt::format("{} warps on one SM", *setting.warps);
    return "launch " + models::to_string(setting.launch);
}

std::string_view policy_text(const prediction::Setting& setting) {
    return setting.policy == models::gpumech::Policy::RoundRobin ? "lrr" : "gto";
}

bool asks_voudouris(const PredictionReport& report) {
    return std::ranges::any_of(report.points.front().models, [](const ModelAnswers& answers) {
        return answers.model == prediction::Model::Voudouris;
    });
}

std::string time_text(const prediction::Prediction& answer) {
    return answer.time ? fmt::format("{:.1f}", answer.time->value()) : "-";
}

std::string table(const PredictedPoint& point) {
    std::string out = fmt::format("  {:<10} {:>12} {:>12} {:>12}   core cycles; estimates, no "
                                  "bounds\n",
                                  "", "best", "typical", "worst");
    for (const auto& [model, answers] : point.models)
        out += fmt::format("  {:<10} {:>12} {:>12} {:>12}   {}\n", prediction::to_string(model),
                           time_text(answers[0]), time_text(answers[1]), time_text(answers[2]),
                           prediction::publication_of(model));
    return out;
}

/// One line for each reason, with the variants that it is the reason of.
std::string refusals(const PredictedPoint& point) {
    std::string out;
    for (const auto& [model, answers] : point.models) {
        std::vector<std::string> told;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const std::string why = answers[i].why();
            if (why.empty() || std::ranges::find(told, why) != told.end()) continue;
            told.push_back(why);
            std::string variants;
            for (std::size_t j = i; j < answers.size(); ++j)
                if (answers[j].why() == why)
                    variants += fmt::format("{}{}", variants.empty() ? "" : ", ",
                                            prediction::to_string(all_variants[j]));
            out += fmt::format("  {} ({}): {}\n", prediction::to_string(model), variants, why);
        }
    }
    if (out.empty()) return out;
    return "\nrefused; state what is missing with --set NAME=VALUE, values of the machine with "
           "--set "
           "architecture:PATH=VALUE\n" +
           out;
}

/// The typical answer if there is one, else the worst, else the best.
std::size_t shown_variant(const ModelAnswers& model) {
    for (const std::size_t i : {1U, 2U, 0U})
        if (!model.variants.at(i).refused()) return i;
    return model.variants.size();
}

std::string stack_text(const prediction::Prediction& answer) {
    constexpr double bar = 40;
    std::string out;
    for (const auto& [category, cycles] : answer.stack)
        out += fmt::format(
            "  {:<24} {:>12.4f}  {}\n", category, cycles,
            std::string(static_cast<std::size_t>(std::lround(bar * cycles / answer.cpi->value())),
                        '#'));
    return out + fmt::format("  {:<24} {:>12.4f}\n", "CPI", answer.cpi->value());
}

std::string symbol_lines(const std::vector<models::ExplainedSymbol>& symbols) {
    std::string out;
    for (const auto& symbol : symbols)
        out += fmt::format("  {:<34} {:>14.10g} {:<20} {}\n", symbol.symbol, symbol.value,
                           symbol.unit, symbol.source);
    return out;
}

std::string explanation(const ModelAnswers& model) {
    const std::size_t shown = shown_variant(model);
    if (shown == model.variants.size()) return {};
    const auto& answer = model.variants.at(shown);
    const auto name = prediction::to_string(model.model);
    const auto variant = prediction::to_string(all_variants.at(shown));
    std::string out;
    if (answer.cpi)
        out += fmt::format("\n{}, CPI stack ({} case), cycles per instruction of the SM\n{}", name,
                           variant, stack_text(answer));
    out += fmt::format("\n{}, inputs ({} case)\n{}", name, variant, symbol_lines(answer.symbols));
    return out;
}

/// What stores meet at the write buffer in the typical case.
std::string stores_text(const PredictedPoint& point) {
    if (!point.stores) return {};
    const prediction::StoreDelays& stores = *point.stores;
    std::string out =
        "\nwrite buffer (recurrence: estimate, typical case; network calculus: bounds "
        "for any interleaving of warps on this path)\n";
    if (!stores.missing.empty())
        return out + fmt::format("  refused: needs {}\n", fmt::join(stores.missing, "; "));
    if (!stores.refusal.empty()) return out + fmt::format("  refused: {}\n", stores.refusal);
    out +=
        fmt::format("  {} stores of each of {} warps; by recurrence the last enters at {:.0f} and "
                    "drains at {:.0f} cycles\n",
                    stores.stores, stores.warps, stores.recurrence->last_entered.value(),
                    stores.recurrence->last_drained.value());
    if (stores.guarantee)
        out +=
            fmt::format("  a store drains at most {} cycles after it may enter, and at most {} "
                        "stores wait or drain at a time\n",
                        stores.guarantee->delay.upper().count(), stores.guarantee->backlog.upper());
    return out + symbol_lines(stores.symbols);
}

std::string seconds_row(std::string_view name, const SecondsOfVariants& times) {
    std::string out = fmt::format("  {:<10}", name);
    for (const auto& time : times)
        out += fmt::format(" {:>12}", time ? fmt::format("{:.6g}", *time) : "-");
    return out;
}

/// Copies, and each model's kernel with them.
std::string end_to_end_text(const PredictionReport& report, const PredictedPoint& point) {
    if (!point.end_to_end) return {};
    std::string out = "\nfrom end to end, copies and kernel one after the other:";
    for (const auto& [way, bytes] : report.setting->copies)
        out += fmt::format(" {} {} bytes", prediction::to_string(way), bytes);
    out += fmt::format("\n  {:<10} {:>12} {:>12} {:>12}   seconds; estimates, no bounds\n", "",
                       "best", "typical", "worst");
    out += seconds_row("copies", point.end_to_end->copies) + "   Gajger 2017, eq. 5.5\n";
    for (const auto& [model, answers] : point.models)
        out += seconds_row(prediction::to_string(model),
                           point.end_to_end->models.at(prediction::to_string(model))) +
               "\n";
    if (!point.end_to_end->missing.empty())
        out += fmt::format("  refused: needs {}\n", fmt::join(point.end_to_end->missing, "; "));
    return out;
}

/// What the shown cases looked up, each once.
std::string looked_up(const PredictedPoint& point) {
    std::vector<models::ExplainedSymbol> all;
    for (const auto& model : point.models) {
        const std::size_t shown = shown_variant(model);
        if (shown == model.variants.size()) continue;
        for (const auto& symbol : model.variants.at(shown).parameters)
            if (std::ranges::find(all, symbol) == all.end()) all.push_back(symbol);
    }
    return all.empty() ? std::string{} : "\nlooked up\n" + symbol_lines(all);
}

using Summaries = std::array<std::optional<models::ProfileSummary>, 3>;

/// A row of the profile table; the counts of a case without a path are dashes.
template <typename Count>
std::string profile_row(const Summaries& summaries, const std::string& name, Count count) {
    std::string out = fmt::format("  {:<34}", name);
    for (const auto& summary : summaries)
        out += fmt::format(" {:>9}", summary ? fmt::format("{}", count(*summary)) : "-");
    return out + "\n";
}

std::string access_name(const models::AccessCount& access) {
    std::string name = fmt::format("{}, passes {}", to_string(access.opcode_class),
                                   models::to_string(access.passes));
    if (models::is_global_load(access.opcode_class))
        name += fmt::format(", level {}", models::to_string(access.level));
    return name;
}

std::int64_t count_of(const models::ProfileSummary& summary, assembly::OpcodeClass opcode_class) {
    const auto found =
        std::ranges::find(summary.mix, opcode_class, &models::ClassCount::opcode_class);
    return found == summary.mix.end() ? 0 : found->count;
}

/// Instruction mix, accesses and dependence distances of the three paths side by side.
std::string profile_text(const Summaries& summaries) {
    if (std::ranges::none_of(summaries, [](const auto& summary) { return summary.has_value(); }))
        return {};
    std::string out =
        fmt::format("\n  {:<34} {:>9} {:>9} {:>9}   executed instructions of a warp\n", "", "best",
                    "typical", "worst");
    for (int index = 0; index < assembly::opcode_class_count; ++index) {
        const auto opcode_class = static_cast<assembly::OpcodeClass>(index);
        if (std::ranges::any_of(summaries, [opcode_class](const auto& summary) {
                return summary && count_of(*summary, opcode_class) > 0;
            }))
            out += profile_row(summaries, std::string{to_string(opcode_class)},
                               [opcode_class](const models::ProfileSummary& summary) {
                                   return count_of(summary, opcode_class);
                               });
    }
    std::vector<std::string> accesses;
    for (const auto& summary : summaries)
        if (summary)
            for (const auto& access : summary->accesses)
                if (std::ranges::find(accesses, access_name(access)) == accesses.end())
                    accesses.push_back(access_name(access));
    for (const auto& name : accesses)
        out += profile_row(summaries, name, [&name](const models::ProfileSummary& summary) {
            std::int64_t count = 0;
            for (const auto& access : summary.accesses)
                if (access_name(access) == name) count += access.count;
            return count;
        });
    for (std::size_t range = 0; range < models::distance_ranges.size(); ++range)
        out += profile_row(
            summaries, fmt::format("nearest producer {}", models::distance_ranges.at(range)),
            [range](const models::ProfileSummary& summary) { return summary.distances.at(range); });
    return out;
}

Json profiles_json(const Summaries& summaries) {
    Json out = Json::array();
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        if (!summaries.at(i)) continue;
        const auto& summary = *summaries.at(i);
        Json mix = Json::object();
        for (const auto& [opcode_class, count] : summary.mix)
            mix[std::string{to_string(opcode_class)}] = count;
        Json accesses = Json::array();
        for (const auto& access : summary.accesses)
            accesses.push_back({{"class", to_string(access.opcode_class)},
                                {"passes", models::to_string(access.passes)},
                                {"level", models::to_string(access.level)},
                                {"bytes-per-lane", access.bytes_per_lane},
                                {"count", access.count}});
        Json distances = Json::object();
        for (std::size_t range = 0; range < models::distance_ranges.size(); ++range)
            distances[models::distance_ranges.at(range)] = summary.distances.at(range);
        out.push_back({{"variant", prediction::to_string(all_variants.at(i))},
                       {"mix", std::move(mix)},
                       {"accesses", std::move(accesses)},
                       {"nearest-producer", std::move(distances)}});
    }
    return out;
}

Json symbols_json(const std::vector<models::ExplainedSymbol>& symbols) {
    Json out = Json::array();
    for (const auto& symbol : symbols)
        out.push_back({{"symbol", symbol.symbol},
                       {"value", symbol.value},
                       {"unit", symbol.unit},
                       {"source", symbol.source}});
    return out;
}

/// Adds what the models of a point say to the arrays of estimates and of refusals.
void add_json(const PredictionReport& report, const PredictedPoint& point, Json& estimates,
              Json& refused) {
    for (const auto& [model, answers] : point.models)
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const auto& answer = answers[i];
            Json entry{{"model", prediction::to_string(model)},
                       {"variant", prediction::to_string(all_variants[i])}};
            if (!report.swept.empty()) entry[report.swept] = point.value;
            if (answer.refused()) {
                entry["missing"] = answer.missing;
                entry["why"] = answer.why();
                refused.push_back(std::move(entry));
                continue;
            }
            entry["value"] = answer.time->value();
            entry["unit"] = "cycles";
            entry["kind"] = "estimate";
            entry["source"] = prediction::publication_of(model);
            if (report.swept.empty()) {
                entry["inputs"] = symbols_json(answer.symbols);
                entry["parameters"] = symbols_json(answer.parameters);
            }
            if (answer.cpi) {
                entry["cpi"] = answer.cpi->value();
                Json stack = Json::array();
                for (const auto& [category, cycles] : answer.stack)
                    stack.push_back({{"category", category}, {"cycles-per-instruction", cycles}});
                entry["stack"] = std::move(stack);
            }
            estimates.push_back(std::move(entry));
        }
}

Json stores_json(const prediction::StoreDelays& stores) {
    Json out{{"stores-of-a-warp", stores.stores},
             {"warps", stores.warps},
             {"missing", stores.missing},
             {"inputs", symbols_json(stores.symbols)}};
    if (!stores.refusal.empty()) out["why"] = stores.refusal;
    if (stores.recurrence)
        out["recurrence"] = {{"kind", "estimate"},
                             {"last-entered", stores.recurrence->last_entered.value()},
                             {"last-drained", stores.recurrence->last_drained.value()},
                             {"unit", "cycles"}};
    if (stores.guarantee)
        out["network-calculus"] = {{"kind", "bound under assumptions"},
                                   {"assumption", "every warp follows the typical path, and the "
                                                  "description's intervals hold"},
                                   {"delay", stores.guarantee->delay.upper().count()},
                                   {"unit", "cycles"},
                                   {"backlog", stores.guarantee->backlog.upper()}};
    return out;
}

Json seconds_json(const SecondsOfVariants& times) {
    Json out = Json::object();
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times.at(i)) out[std::string{prediction::to_string(all_variants.at(i))}] = *times.at(i);
    return out;
}

Json end_to_end_json(const PredictionReport& report, const PredictedPoint& point) {
    Json copies = Json::array();
    for (const auto& [way, bytes] : report.setting->copies)
        copies.push_back({{"way", prediction::to_string(way)}, {"bytes", bytes}});
    Json models = Json::object();
    for (const auto& [name, times] : point.end_to_end->models)
        models[std::string{name}] = seconds_json(times);
    Json out{{"copies", std::move(copies)},
             {"copy-time", seconds_json(point.end_to_end->copies)},
             {"models", std::move(models)},
             {"missing", point.end_to_end->missing},
             {"unit", "s"},
             {"kind", "estimate"},
             {"source", "Gajger 2017, eq. 5.5"}};
    if (!report.swept.empty()) out[report.swept] = point.value;
    return out;
}

/// A cell that commas, quotes and line ends cannot break.
std::string cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    return quoted + "\"";
}

} // namespace

bool PredictionReport::has_time() const {
    return std::ranges::any_of(points, [](const PredictedPoint& point) {
        return std::ranges::any_of(point.models, [](const ModelAnswers& model) {
            return shown_variant(model) != model.variants.size();
        });
    });
}

std::string prediction_text(const PredictionReport& report) {
    const auto& setting = *report.setting;
    std::string out =
        fmt::format("{} on {}, {}, policy {}\n{}\n", report.kernel, setting.architecture.name,
                    launch_text(setting), policy_text(setting), report.origin);
    if (asks_voudouris(report) && setting.voudouris)
        out += fmt::format("costs of V14: {}\n", setting.voudouris.value().name);
    if (!report.set.empty()) out += fmt::format("set: {}\n", fmt::join(report.set, ", "));
    if (report.swept.empty()) {
        const PredictedPoint& point = report.points.front();
        out += "\n" + table(point) + refusals(point);
        out += end_to_end_text(report, point);
        for (const auto& model : point.models)
            out += explanation(model);
        return out + stores_text(point) + looked_up(point) + profile_text(report.summaries);
    }
    std::string told; // Reasons are not repeated at every point.
    for (const auto& point : report.points) {
        out += fmt::format("\n{} = {:.10g}\n{}{}", report.swept, point.value, table(point),
                           end_to_end_text(report, point));
        const std::string reasons = refusals(point);
        if (reasons != told) out += reasons;
        told = reasons;
    }
    return out;
}

std::string prediction_json(const PredictionReport& report) {
    const auto& setting = *report.setting;
    Json out{{"kernel", report.kernel},
             {"architecture",
              {{"name", setting.architecture.name}, {"digest", setting.architecture.digest}}},
             {"launch", models::to_string(setting.launch)},
             {"policy", policy_text(setting)},
             {"profile", report.origin},
             {"set", report.set},
             {"profiles", profiles_json(report.summaries)}};
    if (setting.warps) out["warps"] = *setting.warps;
    if (asks_voudouris(report) && setting.voudouris) out["costs"] = setting.voudouris.value().name;
    if (!report.swept.empty()) out["swept"] = report.swept;
    Json estimates = Json::array();
    Json refused = Json::array();
    for (const auto& point : report.points)
        add_json(report, point, estimates, refused);
    out["estimates"] = std::move(estimates);
    out["refused"] = std::move(refused);
    if (report.swept.empty() && report.points.front().stores)
        out["write-buffer"] = stores_json(*report.points.front().stores);
    for (const auto& point : report.points)
        if (point.end_to_end) out["end-to-end"].push_back(end_to_end_json(report, point));
    return out.dump(2) + "\n";
}

std::string prediction_csv(const PredictionReport& report) {
    std::string out = report.swept.empty() ? "" : fmt::format("{},", cell(report.swept));
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
                                cell(answers[i].why()));
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
        return Failure{"every model refuses; there is nothing to draw", "--plot"};
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
