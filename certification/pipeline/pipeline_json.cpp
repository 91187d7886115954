/// \file
/// A pipeline report as JSON (docs/reference/json.md).
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_wording.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace warpbound::certification {

namespace {

using OrderedJson = nlohmann::ordered_json;
using models::Pipeline;

/// Of an estimate: nine digits behind the point.
double nine_digits(double value) {
    constexpr double scale = 1e9;
    return std::round(value * scale) / scale;
}

OrderedJson bounds_json(const analyzer::LatencyBounds& bounds) {
    OrderedJson json{{"lower", bounds.lower}};
    if (bounds.upper) json["upper"] = *bounds.upper;
    return json;
}

OrderedJson misses_json(const Pipeline& pipeline, const analyzer::MissProbability& misses) {
    OrderedJson json{{"kind", "estimate"}, {"dependence", to_string(misses.dependence)}};
    if (misses.refusal.empty()) {
        json["value"] = nine_digits(misses.value.value());
        json["upper"] = nine_digits(misses.upper.value());
        json["confidence"] = misses.confidence;
        json["band"] = "Dvoretzky-Kiefer-Wolfowitz-Massart, joint over the stages";
    } else {
        json["refusal"] = misses.refusal;
    }
    if (const auto verdict = analyzer::verdict_on(pipeline, misses))
        json["tolerance"] = to_string(*verdict);
    OrderedJson stages = OrderedJson::array();
    for (const auto& stage : misses.stages)
        stages.push_back({{"stage", pipeline.stages[stage.stage].name},
                          {"samples", stage.count},
                          {"band", nine_digits(stage.band)}});
    json["stages"] = std::move(stages);
    return json;
}

OrderedJson stage_json(const PipelineReport& report, std::size_t p, std::size_t i) {
    const auto& stage = report.system.pipelines[p].stages[i];
    const auto& bounds = report.together.pipelines[p];
    OrderedJson json{
        {"name", stage.name},
        {"stage", to_string(stage.kind)},
        {"basis", to_string(stage.basis)},
        {"own", {{"lower", stage.time->lower().count()}, {"upper", stage.time->upper().count()}}}};
    if (!stage.source.empty()) json["source"] = stage.source;
    OrderedJson after = OrderedJson::array();
    for (const std::size_t before : stage.after)
        after.push_back(report.system.pipelines[p].stages[before].name);
    if (!after.empty()) json["after"] = std::move(after);
    if (stage.server) {
        json["server"] = server_name(report, stage);
        json["stream"] = stage.stream;
    }
    json["arrives-from"] = bounds.stages[i].earliest;
    if (!bounds.upper) return json;
    const StageBudget budget = budget_of(report, p, i);
    json["arrives-by"] = bounds.stages[i].latest;
    json["response"] = bounds.stages[i].response;
    json["queue"] = budget.queue;
    json["memory"] = budget.memory;
    json["ends-by"] = bounds.stages[i].end;
    if (budget.is_on_chain) json["share"] = budget.share;
    return json;
}

OrderedJson slowest_json(const PipelineReport& report, std::size_t p) {
    OrderedJson json = OrderedJson::array();
    const auto& stages = report.system.pipelines[p].stages;
    for (std::size_t i = 0; i < report.observed[p].slowest.size(); ++i) {
        const auto& seen = report.observed[p].slowest[i];
        json.push_back({{"name", stages[i].name},
                        {"arrival", seen.arrival},
                        {"start", seen.start},
                        {"end", seen.end}});
    }
    return json;
}

OrderedJson pipeline_json(const PipelineReport& report, std::size_t p) {
    const Pipeline& pipeline = report.system.pipelines[p];
    const auto& bounds = report.together.pipelines[p];
    OrderedJson json{{"name", pipeline.name},
                     {"kind", report.kind(p)},
                     {"unit", "ns"},
                     {"latency", bounds_json(bounds)},
                     {"alone", bounds_json(report.alone_of(p))},
                     {"distance", pipeline.distance.count()},
                     {"releases", pipeline.is_periodic ? "periodic" : "sporadic"},
                     {"jobs", pipeline.overlaps ? "overlap" : "one-after-another"},
                     {"jitter", pipeline.jitter.count()}};
    if (const auto verdict = report.verdict(p)) {
        json["deadline"] = pipeline.deadline->count();
        json["criticality"] = pipeline.is_soft ? "soft" : "hard";
        if (!pipeline.tolerated_miss_rate.empty())
            json["tolerated-miss-rate"] = pipeline.tolerated_miss_rate;
        json["verdict"] = to_string(*verdict);
        if (bounds.upper) json["margin"] = pipeline.deadline->count() - *bounds.upper;
    }
    if (report.misses[p]) json["misses"] = misses_json(pipeline, *report.misses[p]);
    OrderedJson stages = OrderedJson::array();
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
        stages.push_back(stage_json(report, p, i));
    json["stages"] = std::move(stages);
    OrderedJson chain = OrderedJson::array();
    for (const std::size_t stage : bounds.chain)
        chain.push_back(pipeline.stages[stage].name);
    if (!chain.empty()) json["chain"] = std::move(chain);
    if (!report.observed.empty())
        json["simulated"] = {{"count", report.observed[p].latency.count},
                             {"best", report.observed[p].latency.best},
                             {"worst", report.observed[p].latency.worst},
                             {"late", report.observed[p].late},
                             {"slowest", slowest_json(report, p)}};
    return json;
}

OrderedJson servers_json(const PipelineReport& report) {
    OrderedJson servers = OrderedJson::array();
    for (std::size_t i = 0; i < report.system.servers.size(); ++i) {
        const auto& server = report.system.servers[i];
        OrderedJson one{{"name", server.name},
                        {"order", to_string(server.order)},
                        {"utilisation", report.together.utilisation[i]}};
        if (server.multiprocessors > 0) one["multiprocessors"] = server.multiprocessors;
        servers.push_back(std::move(one));
    }
    return servers;
}

OrderedJson clients_json(const PipelineReport& report) {
    OrderedJson clients = OrderedJson::array();
    for (const auto& client : report.system.clients) {
        OrderedJson operations = OrderedJson::array();
        for (const auto& operation : client.operations) {
            OrderedJson one{{"server", report.system.servers[operation.server].name},
                            {"longest", operation.longest.count()}};
            if (operation.distance) one["distance"] = operation.distance->count();
            operations.push_back(std::move(one));
        }
        OrderedJson traffic = OrderedJson::object();
        for (std::size_t m = 0; m < models::shared_memories.size(); ++m)
            if (const auto& budget = client.traffic.at(m))
                traffic[std::string{models::shared_memories.at(m)}] = {{"burst", budget->burst},
                                                                       {"rate", budget->rate}};
        clients.push_back({{"name", client.name},
                           {"operations", std::move(operations)},
                           {"traffic", std::move(traffic)}});
    }
    return clients;
}

OrderedJson sensitivity_json(const PipelineReport& report) {
    OrderedJson changes = OrderedJson::array();
    const auto& system = report.system;
    for (const auto& slack : report.sensitivity->stages)
        changes.push_back({{"pipeline", system.pipelines[slack.pipeline].name},
                           {"stage", system.pipelines[slack.pipeline].stages[slack.stage].name},
                           {"now", slack.now},
                           {"most", slack.most},
                           {"open", slack.is_open}});
    for (const auto& slack : report.sensitivity->rates)
        changes.push_back({{"pipeline", system.pipelines[slack.pipeline].name},
                           {"distance", slack.now},
                           {"least", slack.least}});
    if (report.sensitivity->lowest_clock)
        changes.push_back(
            {{"clock", system.clock->lo}, {"least", *report.sensitivity->lowest_clock}});
    return changes;
}

} // namespace

std::string render_json(const PipelineReport& report) {
    OrderedJson pipelines = OrderedJson::array();
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p)
        pipelines.push_back(pipeline_json(report, p));
    OrderedJson assumptions = OrderedJson::array();
    for (const auto& assumption : report.assumptions) {
        assumptions.push_back({{"id", assumption.id},
                               {"text", assumption.text},
                               {"status", to_string(assumption.status)},
                               {"about", to_string(assumption.subject)}});
        for (const auto& [pipeline, stage] : assumption.stages)
            assumptions.back()["stages"].push_back({{"pipeline", pipeline}, {"stage", stage}});
    }
    OrderedJson json{{"schema", "warpbound-pipeline/1"},
                     {"system", {{"file", report.system.name}, {"digest", report.system.digest}}}};
    if (!report.system.machine.empty()) json["system"]["machine"] = report.system.machine;
    if (report.system.clock)
        json["system"]["clock"] = {{"lowest", report.system.clock->lo},
                                   {"highest", report.system.clock->hi},
                                   {"unit", "Hz"}};
    json["pipelines"] = std::move(pipelines);
    json["servers"] = servers_json(report);
    json["clients"] = clients_json(report);
    json["assumptions"] = std::move(assumptions);
    if (!report.together.missing.empty()) json["missing"] = report.together.missing;
    if (!report.together.refusal.empty()) json["no-upper-bound"] = report.together.refusal;
    if (report.sensitivity) json["sensitivity"] = sensitivity_json(report);
    if (report.runs > 0) {
        json["simulated-runs"] = report.runs;
        json["refuted"] = report.is_refuted();
    }
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

} // namespace warpbound::certification
