/// \file
/// A prediction as text.
#include "cli/prediction/prediction_report.hpp"
#include "models/architecture/shipped.hpp"

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

/// One line for each reason of a refusal, with the variants that it applies to.
std::string refusals(const PredictedPoint& point) {
    std::string out;
    for (const auto& [model, answers] : point.models) {
        std::vector<std::string> reported;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const std::string why = answers[i].why();
            if (why.empty() || std::ranges::find(reported, why) != reported.end()) continue;
            reported.push_back(why);
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
    const std::size_t shown = model.shown();
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

/// Delays of stores at the write buffer in the typical case.
std::string stores_text(const PredictedPoint& point) {
    if (!point.stores) return {};
    const prediction::StoreDelays& stores = *point.stores;
    std::string out =
        "\nwrite buffer (recurrence: estimate, typical case; network calculus: bounds "
        "for any interleaving of warps on this path, if all multiprocessors get the same number of "
        "blocks)\n";
    if (!stores.missing.empty())
        return out + fmt::format("  refused: needs {}\n", fmt::join(stores.missing, "; "));
    if (stores.recurrence)
        out += fmt::format("  {} stores of each of {} warps; by recurrence the last enters at "
                           "{:.0f} and drains at {:.0f} cycles\n",
                           stores.stores, stores.warps, stores.recurrence->last_entered.value(),
                           stores.recurrence->last_drained.value());
    if (!stores.refusal.empty()) out += fmt::format("  no bound: {}\n", stores.refusal);
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
    std::string out = "\nend to end, copies and kernel in sequence:";
    for (const auto& [direction, bytes] : report.setting->copies)
        out += fmt::format(" {} {} bytes", prediction::to_string(direction), bytes);
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

/// Parameters that the shown cases looked up, each once.
std::string looked_up(const PredictedPoint& point) {
    std::vector<models::ExplainedSymbol> all;
    for (const auto& model : point.models) {
        const std::size_t shown = model.shown();
        if (shown == model.variants.size()) continue;
        for (const auto& symbol : model.variants.at(shown).parameters)
            if (std::ranges::find(all, symbol) == all.end()) all.push_back(symbol);
    }
    return all.empty() ? std::string{} : "\nlooked-up parameters\n" + symbol_lines(all);
}

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

/// Table of instruction mix, accesses and dependence distances of the three paths.
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
} // namespace

std::string prediction_text(const PredictionReport& report) {
    const auto& setting = *report.setting;
    std::string out = fmt::format("{} on {}, {}, policy {}\n{}\n", report.kernel,
                                  models::label_of(setting.architecture), launch_text(setting),
                                  report.policy(), report.origin);
    if (report.asks_voudouris() && setting.voudouris)
        out += fmt::format("costs of V14: {}\n", setting.voudouris.value().name);
    if (!report.set.empty()) out += fmt::format("set: {}\n", fmt::join(report.set, ", "));
    if (const auto unread = report.unread(); !unread.empty())
        out += fmt::format("read by none of these models: {}\n", fmt::join(unread, ", "));
    if (report.swept.empty()) {
        const PredictedPoint& point = report.points.front();
        out += "\n" + table(point) + refusals(point);
        out += end_to_end_text(report, point);
        for (const auto& model : point.models)
            out += explanation(model);
        return out + stores_text(point) + looked_up(point) + profile_text(report.summaries);
    }
    std::string reported; // Reasons are not repeated at every point.
    for (const auto& point : report.points) {
        out += fmt::format("\n{} = {:.10g}\n{}{}", report.swept, point.value, table(point),
                           end_to_end_text(report, point));
        const std::string reasons = refusals(point);
        if (reasons != reported) out += reasons;
        reported = reasons;
    }
    return out;
}

} // namespace warpbound::cli
