/// \file
/// A prediction as JSON.
#include "cli/output/json.hpp"
#include "cli/prediction/prediction_report.hpp"
#include "models/architecture/shipped.hpp"

#include <nlohmann/json.hpp>

namespace warpbound::cli {

namespace {

namespace prediction = models::prediction;

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

/// Adds the answers of the models at a point to the arrays of estimates and of refusals.
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
                                   {"assumption", "every warp follows the typical path, the "
                                                  "multiprocessors get equally many blocks, and "
                                                  "the description's intervals hold"},
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
    for (const auto& [direction, bytes] : report.setting->copies)
        copies.push_back({{"way", prediction::to_string(direction)}, {"bytes", bytes}});
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

} // namespace

std::string prediction_json(const PredictionReport& report) {
    const auto& setting = *report.setting;
    Json out{{"kernel", report.kernel},
             {"architecture",
              {{"name", models::label_of(setting.architecture)},
               {"digest", setting.architecture.digest}}},
             {"launch", models::to_string(setting.launch)},
             {"policy", report.policy()},
             {"profile", report.origin},
             {"set", report.set},
             {"profiles", profiles_json(report.summaries)}};
    if (const auto unread = report.unread(); !unread.empty()) out["unread"] = unread;
    if (setting.warps) out["warps"] = *setting.warps;
    if (report.asks_voudouris() && setting.voudouris) out["costs"] = setting.voudouris.value().name;
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
    return json_text("prediction", out);
}

} // namespace warpbound::cli
