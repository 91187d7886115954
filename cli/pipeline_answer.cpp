#include "cli/pipeline_answer.hpp"

#include "cli/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::cli {

namespace {

using models::DeadlineVerdict;
using models::Nanoseconds;
using models::Pipeline;

std::string up(std::int64_t nanoseconds) {
    return models::to_string(models::rounded_up(Nanoseconds{nanoseconds}));
}
std::string down(std::int64_t nanoseconds) {
    return models::to_string(models::rounded_down(Nanoseconds{nanoseconds}));
}

const analyzer::LatencyBounds& alone_of(const PipelineAnswer& answer, std::size_t pipeline) {
    return answer.alone[pipeline].pipelines.front();
}
bool has_others(const PipelineAnswer& answer) {
    return answer.system.pipelines.size() > 1 || !answer.system.clients.empty();
}

std::string releases_text(const Pipeline& pipeline) {
    return fmt::format("{} {}, jitter {}{}", pipeline.is_periodic ? "every" : "at least every",
                       models::to_string(pipeline.distance), models::to_string(pipeline.jitter),
                       pipeline.overlaps ? ", jobs overlap" : "");
}

std::string verdict_rows(const Pipeline& pipeline, const analyzer::LatencyBounds& bounds) {
    const auto verdict = analyzer::verdict_on(pipeline, bounds);
    if (!verdict) return "verdict    none: no deadline is stated\n";
    std::string margin = "no margin is known";
    const std::int64_t deadline = pipeline.deadline->count();
    if (*verdict == DeadlineVerdict::Met)
        margin = "margin " + down(deadline - *bounds.upper);
    else if (*verdict == DeadlineVerdict::Violated)
        margin = "every job ends after it";
    else if (bounds.upper)
        margin = "the upper bound ends " + up(*bounds.upper - deadline) + " after it";
    std::string soft;
    if (pipeline.is_soft)
        soft = fmt::format("; soft, tolerated misses {}: not estimated",
                           pipeline.tolerated_miss_rate.empty() ? "not stated"
                                                                : pipeline.tolerated_miss_rate);
    return fmt::format("deadline   {:>12}   {}{}\nverdict    {}\n",
                       models::to_string(*pipeline.deadline), margin, soft,
                       models::to_string(*verdict));
}

std::string stage_rows(const PipelineAnswer& answer, std::size_t p) {
    const Pipeline& pipeline = answer.system.pipelines[p];
    const auto& bounds = answer.together.pipelines[p];
    std::string text = fmt::format("why        {:<14} {:<22} {:>11} {:>11} {:>11} {:>12}\n",
                                   "stage", "server", "own time", "queue", "memory", "ends by");
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        const auto& found = bounds.stages[i];
        const std::int64_t own = stage.time->upper().count();
        const bool on_chain =
            std::find(bounds.chain.begin(), bounds.chain.end(), i) != bounds.chain.end();
        const std::int64_t queue = std::max<std::int64_t>(0, found.response - own - found.memory);
        text += fmt::format(
            "         {} {:<14} {:<22} {:>11} {:>11} {:>11} {:>12}\n", on_chain ? '*' : ' ',
            stage.name, stage.server ? answer.system.servers[*stage.server].name : "host", up(own),
            bounds.upper ? up(queue) : "-", bounds.upper ? up(found.memory) : "-",
            bounds.upper ? up(found.end) : "-");
    }
    return text;
}

std::string pipeline_text(const PipelineAnswer& answer, std::size_t p) {
    const Pipeline& pipeline = answer.system.pipelines[p];
    const auto& bounds = answer.together.pipelines[p];
    std::string text = fmt::format("\npipeline   {}: {}\n", pipeline.name, releases_text(pipeline));
    const auto& alone = alone_of(answer, p);
    const std::string beside = !has_others(answer)
                                   ? ""
                                   : "   together with the others; alone " +
                                         (alone.upper ? up(*alone.upper) : std::string{"no bound"});
    text +=
        fmt::format("at most    {:>12}{}\n", bounds.upper ? up(*bounds.upper) : "no bound", beside);
    text += fmt::format("at least   {:>12}\n", down(bounds.lower));
    text += verdict_rows(pipeline, bounds);
    if (answer.kind(p) == "hybrid-estimate")
        text += fmt::format("kind       {}: a time of a stage was measured, not proved\n",
                            answer.kind(p));
    if (!answer.observed.empty()) {
        const auto& seen = answer.observed[p];
        text += fmt::format(
            "simulated  {} to {} in {} jobs, {} late; {}\n",
            models::to_string(Nanoseconds{seen.latency.best}),
            models::to_string(Nanoseconds{seen.latency.worst}), seen.latency.count, seen.late,
            !bounds.upper ? "compared with the lower bound only" : "none outside the bounds");
    }
    return text + stage_rows(answer, p);
}

std::string sensitivity_text(const PipelineAnswer& answer) {
    if (!answer.wants_sensitivity) return {};
    if (!answer.sensitivity)
        return "\nsensitivity  none: not every pipeline with a deadline meets it, or none has "
               "one\n";
    std::string text = "\nsensitivity: each change alone leaves all deadlines met\n";
    const auto& system = answer.system;
    for (const auto& slack : answer.sensitivity->stages) {
        const auto& pipeline = system.pipelines[slack.pipeline];
        text += fmt::format("  {:<30} from {:>12} to {:>12}{}\n",
                            pipeline.name + "/" + pipeline.stages[slack.stage].name,
                            models::to_string(Nanoseconds{slack.now}), down(slack.most),
                            slack.is_open ? " and more" : "");
    }
    for (const auto& slack : answer.sensitivity->rates)
        text += fmt::format("  {:<30} from {:>12} to {:>12}\n",
                            system.pipelines[slack.pipeline].name + ", distance",
                            models::to_string(Nanoseconds{slack.now}), up(slack.least));
    if (answer.sensitivity->lowest_clock)
        text += fmt::format("  {:<30} from {:>12} to {:>12}\n", "lowest clock",
                            fmt::format("{} kHz", system.clock->lo / 1000),
                            fmt::format("{} kHz", *answer.sensitivity->lowest_clock / 1000 + 1));
    return text;
}

std::string servers_text(const PipelineAnswer& answer) {
    std::string text = "\nserver                 order     in use (operations and others' memory "
                       "traffic)\n";
    for (std::size_t i = 0; i < answer.system.servers.size(); ++i)
        text += fmt::format("{:<22} {:<9} {:.1f} %\n", answer.system.servers[i].name,
                            to_string(answer.system.servers[i].order),
                            100 * answer.together.utilisation[i]);
    return text;
}

Json bounds_json(const analyzer::LatencyBounds& bounds) {
    Json json{{"lower", bounds.lower}};
    if (bounds.upper) json["upper"] = *bounds.upper;
    return json;
}

Json pipeline_json(const PipelineAnswer& answer, std::size_t p) {
    const Pipeline& pipeline = answer.system.pipelines[p];
    const auto& bounds = answer.together.pipelines[p];
    Json json{{"name", pipeline.name},
              {"kind", answer.kind(p)},
              {"unit", "ns"},
              {"latency", bounds_json(bounds)},
              {"alone", bounds_json(alone_of(answer, p))},
              {"distance", pipeline.distance.count()},
              {"jitter", pipeline.jitter.count()}};
    if (const auto verdict = analyzer::verdict_on(pipeline, bounds)) {
        json["deadline"] = pipeline.deadline->count();
        json["criticality"] = pipeline.is_soft ? "soft" : "hard";
        if (!pipeline.tolerated_miss_rate.empty())
            json["tolerated-miss-rate"] = pipeline.tolerated_miss_rate;
        json["verdict"] = to_string(*verdict);
        if (bounds.upper) json["margin"] = pipeline.deadline->count() - *bounds.upper;
    }
    Json stages = Json::array();
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        Json one{
            {"name", stage.name},
            {"stage", to_string(stage.kind)},
            {"basis", to_string(stage.basis)},
            {"own",
             {{"lower", stage.time->lower().count()}, {"upper", stage.time->upper().count()}}}};
        if (stage.server) one["server"] = answer.system.servers[*stage.server].name;
        if (bounds.upper) {
            one["response"] = bounds.stages[i].response;
            one["memory"] = bounds.stages[i].memory;
            one["ends-by"] = bounds.stages[i].end;
        }
        stages.push_back(std::move(one));
    }
    json["stages"] = std::move(stages);
    Json chain = Json::array();
    for (const std::size_t stage : bounds.chain)
        chain.push_back(pipeline.stages[stage].name);
    if (!chain.empty()) json["chain"] = std::move(chain);
    if (!answer.observed.empty())
        json["simulated"] = {{"count", answer.observed[p].latency.count},
                             {"best", answer.observed[p].latency.best},
                             {"worst", answer.observed[p].latency.worst},
                             {"late", answer.observed[p].late}};
    return json;
}

Json sensitivity_json(const PipelineAnswer& answer) {
    Json changes = Json::array();
    const auto& system = answer.system;
    for (const auto& slack : answer.sensitivity->stages)
        changes.push_back({{"pipeline", system.pipelines[slack.pipeline].name},
                           {"stage", system.pipelines[slack.pipeline].stages[slack.stage].name},
                           {"now", slack.now},
                           {"most", slack.most},
                           {"open", slack.is_open}});
    for (const auto& slack : answer.sensitivity->rates)
        changes.push_back({{"pipeline", system.pipelines[slack.pipeline].name},
                           {"distance", slack.now},
                           {"least", slack.least}});
    if (answer.sensitivity->lowest_clock)
        changes.push_back(
            {{"clock", system.clock->lo}, {"least", *answer.sensitivity->lowest_clock}});
    return changes;
}

} // namespace

bool PipelineAnswer::is_refuted() const {
    for (std::size_t p = 0; p < observed.size(); ++p) {
        const auto& seen = observed[p].latency;
        const auto& bounds = together.pipelines[p];
        if (seen.count > 0 &&
            (seen.best < bounds.lower || (bounds.upper && seen.worst > *bounds.upper)))
            return true;
    }
    return false;
}

std::string PipelineAnswer::kind(std::size_t pipeline) const {
    if (!together.pipelines[pipeline].upper) return "no-upper-bound";
    for (const Pipeline& each : system.pipelines) // Others delay it by their times.
        for (const auto& stage : each.stages)
            if (stage.basis == models::TimeBasis::Measured) return "hybrid-estimate";
    return "bound-under-assumptions";
}

Exit exit_of(const PipelineAnswer& answer) {
    if (answer.is_refuted()) return Exit::Violated;
    Exit exit = answer.together.missing.empty() ? Exit::Holds : Exit::Refused;
    for (std::size_t p = 0; p < answer.system.pipelines.size(); ++p) {
        const auto verdict =
            analyzer::verdict_on(answer.system.pipelines[p], answer.together.pipelines[p]);
        if (verdict == DeadlineVerdict::Violated) return Exit::Violated;
        if (exit == Exit::Holds &&
            (verdict == DeadlineVerdict::Undecided || !answer.together.pipelines[p].upper))
            exit = Exit::Undecided;
    }
    return exit;
}

std::string text_of(const PipelineAnswer& answer, bool quiet) {
    const auto& system = answer.system;
    std::string text =
        fmt::format("system     {}: {} pipeline{}, {} best-effort client{}\n", system.name,
                    system.pipelines.size(), system.pipelines.size() == 1 ? "" : "s",
                    system.clients.size(), system.clients.size() == 1 ? "" : "s");
    if (!system.machine.empty()) text += fmt::format("machine    {}\n", system.machine);
    if (system.clock) text += fmt::format("clock      {}\n", to_string(*system.clock));
    if (answer.is_refuted()) text += "\nREFUTED: a simulated latency lies outside its bounds\n";
    for (std::size_t p = 0; p < system.pipelines.size(); ++p)
        text += pipeline_text(answer, p);
    if (!answer.together.refusal.empty())
        text += fmt::format("\nno upper bound: {}\n", answer.together.refusal);
    if (!answer.together.missing.empty()) {
        text += "\nno upper bound together with the others; stated must be\n";
        for (std::size_t i = 0; i < answer.together.missing.size(); ++i)
            text += fmt::format("{:>3}  {}\n", i + 1, answer.together.missing[i]);
    }
    text += sensitivity_text(answer);
    if (quiet) return text;
    text += servers_text(answer);
    text +=
        fmt::format("\nassumptions ({}, all unchecked unless marked)\n", answer.assumptions.size());
    for (const auto& assumption : answer.assumptions)
        text += fmt::format("  {:<4} {}{}\n", assumption.id, assumption.text,
                            assumption.status == analyzer::AssumptionStatus::Unchecked
                                ? ""
                                : fmt::format(" ({})", to_string(assumption.status)));
    return text;
}

std::string json_of(const PipelineAnswer& answer) {
    Json pipelines = Json::array();
    for (std::size_t p = 0; p < answer.system.pipelines.size(); ++p)
        pipelines.push_back(pipeline_json(answer, p));
    Json assumptions = Json::array();
    for (const auto& assumption : answer.assumptions)
        assumptions.push_back({{"id", assumption.id},
                               {"text", assumption.text},
                               {"status", to_string(assumption.status)},
                               {"about", to_string(assumption.subject)}});
    Json json{{"system", {{"file", answer.system.name}, {"digest", answer.system.digest}}},
              {"pipelines", std::move(pipelines)},
              {"assumptions", std::move(assumptions)}};
    if (!answer.together.missing.empty()) json["missing"] = answer.together.missing;
    if (!answer.together.refusal.empty()) json["no-upper-bound"] = answer.together.refusal;
    if (answer.sensitivity) json["sensitivity"] = sensitivity_json(answer);
    if (answer.runs > 0) {
        json["simulated-runs"] = answer.runs;
        json["refuted"] = answer.is_refuted();
    }
    return json_text("pipeline", json);
}

} // namespace warpbound::cli
