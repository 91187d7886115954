/// \file
/// A pipeline report as XML; `schema/pipeline-report.xsd` describes it. Times are whole ns.
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_wording.hpp"
#include "certification/report/printable_xml.hpp"
#include "certification/report/wording.hpp"
#include "models/xml/xml_writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::certification {

namespace {

using models::XmlElement;

void set(XmlElement& element, std::string attribute, std::string value) {
    element.attributes.push_back({std::move(attribute), printable(value)});
}
std::string text(std::int64_t number) {
    return std::to_string(number);
}
std::string share_text(double share) {
    return fmt::format("{:.6f}", share);
}

XmlElement latency_element(const std::string& name, const analyzer::LatencyBounds& bounds) {
    XmlElement made = printable_element(name, {{"lower", text(bounds.lower)}});
    if (bounds.upper) set(made, "upper", text(*bounds.upper));
    return made;
}

XmlElement stage_element(const PipelineReport& report, std::size_t p, std::size_t i) {
    const auto& stages = report.system.pipelines[p].stages;
    const auto& stage = stages[i];
    const auto& bounds = report.together.pipelines[p];
    XmlElement made =
        printable_element("stage", {{"name", stage.name},
                                    {"stage", std::string{to_string(stage.kind)}},
                                    {"basis", std::string{to_string(stage.basis)}},
                                    {"own-lower", text(stage.time->lower().count())},
                                    {"own-upper", text(stage.time->upper().count())},
                                    {"arrives-from", text(bounds.stages[i].earliest)}});
    if (!stage.source.empty()) set(made, "source", stage.source);
    if (stage.server) {
        set(made, "server", server_name(report, stage));
        set(made, "stream", stage.stream);
    }
    if (bounds.upper) {
        const StageBudget budget = budget_of(report, p, i);
        set(made, "arrives-by", text(bounds.stages[i].latest));
        set(made, "response", text(bounds.stages[i].response));
        set(made, "queue", text(budget.queue));
        set(made, "memory", text(budget.memory));
        set(made, "ends-by", text(bounds.stages[i].end));
        set(made, "on-chain", budget.is_on_chain ? "true" : "false");
        if (budget.is_on_chain) set(made, "share", share_text(budget.share));
    }
    for (const std::size_t before : stage.after)
        made.children.push_back(printable_element("after", {{"stage", stages[before].name}}));
    return made;
}

XmlElement simulated_element(const PipelineReport& report, std::size_t p) {
    const auto& seen = report.observed[p];
    XmlElement made =
        printable_element("simulated", {{"kind", "observed"},
                                        {"count", text(seen.latency.count)},
                                        {"best", text(seen.latency.best)},
                                        {"worst", text(seen.latency.worst)},
                                        {"late", text(seen.late)},
                                        {"refuted", report.is_refuted(p) ? "true" : "false"}});
    for (std::size_t i = 0; i < seen.slowest.size(); ++i)
        made.children.push_back(
            printable_element("slowest", {{"stage", report.system.pipelines[p].stages[i].name},
                                          {"arrival", text(seen.slowest[i].arrival)},
                                          {"start", text(seen.slowest[i].start)},
                                          {"end", text(seen.slowest[i].end)}}));
    return made;
}

XmlElement misses_element(const models::Pipeline& pipeline,
                          const analyzer::MissProbability& misses) {
    XmlElement made =
        printable_element("misses", {{"kind", "estimate"},
                                     {"dependence", std::string{to_string(misses.dependence)}}});
    if (misses.refusal.empty()) {
        const auto number = [](double value) { return fmt::format("{:.9f}", value); };
        set(made, "value", number(misses.value.value()));
        set(made, "upper", number(misses.upper.value()));
        set(made, "confidence", fmt::format("{:.2f}", misses.confidence));
    } else {
        set(made, "refusal", misses.refusal);
    }
    if (const auto verdict = analyzer::verdict_on(pipeline, misses))
        set(made, "tolerance", std::string{to_string(*verdict)});
    for (const auto& stage : misses.stages)
        made.children.push_back(
            printable_element("samples", {{"stage", pipeline.stages[stage.stage].name},
                                          {"count", text(stage.count)},
                                          {"band", share_text(stage.band)}}));
    return made;
}

XmlElement pipeline_element(const PipelineReport& report, std::size_t p) {
    const auto& pipeline = report.system.pipelines[p];
    const auto& bounds = report.together.pipelines[p];
    XmlElement made = printable_element(
        "pipeline", {{"name", pipeline.name},
                     {"kind", report.kind(p)},
                     {"releases", pipeline.is_periodic ? "periodic" : "sporadic"},
                     {"distance", text(pipeline.distance.count())},
                     {"jitter", text(pipeline.jitter.count())},
                     {"jobs", pipeline.overlaps ? "overlap" : "one-after-another"}});
    made.children.push_back(latency_element("latency", bounds));
    made.children.push_back(latency_element("alone", report.alone_of(p)));
    if (const auto verdict = report.verdict(p)) {
        XmlElement deadline =
            printable_element("deadline", {{"limit", text(pipeline.deadline->count())},
                                           {"criticality", pipeline.is_soft ? "soft" : "hard"},
                                           {"verdict", std::string{to_string(*verdict)}}});
        if (bounds.upper) set(deadline, "margin", text(pipeline.deadline->count() - *bounds.upper));
        if (!pipeline.tolerated_miss_rate.empty())
            set(deadline, "tolerated-miss-rate", pipeline.tolerated_miss_rate);
        made.children.push_back(std::move(deadline));
    }
    if (report.misses[p]) made.children.push_back(misses_element(pipeline, *report.misses[p]));
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
        made.children.push_back(stage_element(report, p, i));
    for (const std::size_t stage : bounds.chain)
        made.children.push_back(
            printable_element("chain", {{"stage", pipeline.stages[stage].name}}));
    if (!report.observed.empty()) made.children.push_back(simulated_element(report, p));
    return made;
}

void add_clients(XmlElement& root, const PipelineReport& report) {
    for (const auto& client : report.system.clients) {
        XmlElement made = printable_element("client", {{"name", client.name}});
        for (const auto& operation : client.operations) {
            XmlElement one = printable_element(
                "operation", {{"server", report.system.servers[operation.server].name},
                              {"longest", text(operation.longest.count())}});
            if (operation.distance) set(one, "distance", text(operation.distance->count()));
            made.children.push_back(std::move(one));
        }
        for (std::size_t m = 0; m < models::shared_memories.size(); ++m)
            if (const auto& budget = client.traffic.at(m))
                made.children.push_back(printable_element(
                    "traffic", {{"level", std::string{models::shared_memories.at(m)}},
                                {"burst-bytes", text(budget->burst)},
                                {"rate-bytes-per-second", text(budget->rate)}}));
        root.children.push_back(std::move(made));
    }
}

void add_sensitivity(XmlElement& root, const PipelineReport& report) {
    if (!report.sensitivity) return;
    const auto& pipelines = report.system.pipelines;
    XmlElement made = printable_element("sensitivity", {});
    for (const auto& slack : report.sensitivity->stages)
        made.children.push_back(printable_element(
            "time", {{"pipeline", pipelines[slack.pipeline].name},
                     {"stage", pipelines[slack.pipeline].stages[slack.stage].name},
                     {"now", text(slack.now)},
                     {"most", text(slack.most)},
                     {"open", slack.is_open ? "true" : "false"}}));
    for (const auto& slack : report.sensitivity->rates)
        made.children.push_back(
            printable_element("distance", {{"pipeline", pipelines[slack.pipeline].name},
                                           {"now", text(slack.now)},
                                           {"least", text(slack.least)}}));
    if (report.sensitivity->lowest_clock)
        made.children.push_back(
            printable_element("clock", {{"now-hz", text(report.system.clock->lo)},
                                        {"least-hz", text(*report.sensitivity->lowest_clock)}}));
    root.children.push_back(std::move(made));
}

} // namespace

std::string render_xml(const PipelineReport& report) {
    XmlElement root = printable_element("pipeline-report", {{"tool-version", report.tool_version},
                                                            {"file", report.system.name},
                                                            {"digest", report.system.digest}});
    if (!report.system.machine.empty()) set(root, "machine", report.system.machine);
    if (report.system.clock)
        root.children.push_back(
            printable_element("clock", {{"lowest-hz", text(report.system.clock->lo)},
                                        {"highest-hz", text(report.system.clock->hi)}}));
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p)
        root.children.push_back(pipeline_element(report, p));
    for (std::size_t i = 0; i < report.system.servers.size(); ++i) {
        const auto& server = report.system.servers[i];
        XmlElement made = printable_element(
            "server", {{"name", server.name},
                       {"order", std::string{to_string(server.order)}},
                       {"utilisation", share_text(report.together.utilisation[i])}});
        if (server.multiprocessors > 0) set(made, "multiprocessors", text(server.multiprocessors));
        root.children.push_back(std::move(made));
    }
    add_clients(root, report);
    add_sensitivity(root, report);
    for (const auto& what : report.together.missing)
        root.children.push_back(printable_element("missing", {{"what", what}}));
    if (!report.together.refusal.empty())
        root.children.push_back(
            printable_element("no-upper-bound", {{"reason", report.together.refusal}}));
    for (const auto& assumption : report.assumptions) {
        XmlElement made =
            printable_element("assumption", {{"id", assumption.id},
                                             {"status", std::string{to_string(assumption.status)}},
                                             {"about", std::string{to_string(assumption.subject)}},
                                             {"text", assumption.text}});
        for (const auto& [pipeline, stage] : assumption.stages)
            made.children.push_back(
                printable_element("of", {{"pipeline", pipeline}, {"stage", stage}}));
        root.children.push_back(std::move(made));
    }
    return models::write_xml(root);
}

} // namespace warpbound::certification
