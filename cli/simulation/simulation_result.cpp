#include "cli/simulation/simulation_result.hpp"

#include "cli/output/summary_text.hpp"
#include "models/architecture/costless_groups.hpp"
#include "models/architecture/shipped.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace warpbound::cli::simulation {

namespace {

/// Observed times in seconds: the best one at the highest clock, the worst one at the lowest.
models::Bounds<models::Nanoseconds> time_of(const harness::Summary& summary,
                                            const models::Clock& clock) {
    return models::time_of({models::Cycles{summary.best}, models::Cycles{summary.worst}},
                           clock.range);
}

std::string time_text(const harness::Summary& summary, const Machine& machine) {
    if (!machine.clock) return {};
    const auto times = time_of(summary, *machine.clock);
    return fmt::format("  best {}, worst {} at {}\n",
                       models::to_string(models::rounded_down(times.lower())),
                       models::to_string(models::rounded_up(times.upper())),
                       models::to_string(machine.clock->range));
}

/// With that on the clock.
std::vector<std::string> assumptions_of(const Subject& subject, const Machine& machine) {
    std::vector<std::string> all = subject.assumptions;
    for (auto& statement : models::statements_on_costless_groups(machine.architecture))
        all.push_back(std::move(statement));
    if (machine.clock) all.push_back(machine.clock->assumption);
    return all;
}

nlohmann::ordered_json summary_json_of(const harness::Summary& summary, const Machine& machine) {
    auto json = summary_json(summary);
    if (!machine.clock) return json;
    const auto times = time_of(summary, *machine.clock);
    json["time"] = {{"best_ns", times.lower().count()},
                    {"worst_ns", times.upper().count()},
                    {"clock_hz", {machine.clock->range.lo, machine.clock->range.hi}}};
    return json;
}

} // namespace

nlohmann::ordered_json json_of(const Options& options, const Machine& machine,
                               const Subject& subject, const Simulated& simulated) {
    nlohmann::ordered_json quantities = nlohmann::ordered_json::object();
    for (const auto& [quantity, measured, summary] : simulated.series)
        quantities[quantity_name(quantity)] = summary_json_of(summary, machine);
    if (simulated.end_to_end)
        quantities["end-to-end"] = summary_json_of(*simulated.end_to_end, machine);
    nlohmann::ordered_json result{{"kernel",
                                   {{"name", subject.kernel->function->name},
                                    {"digest", subject.kernel->program.digest},
                                    {"isa", to_string(subject.kernel->function->target)}}},
                                  {"architecture",
                                   {{"name", models::label_of(machine.architecture)},
                                    {"digest", machine.architecture.digest}}},
                                  {"launch", models::to_string(subject.launched.launch)},
                                  {"multiprocessors", machine.multiprocessors},
                                  {"assumptions", assumptions_of(subject, machine)},
                                  {"policy", options.policy},
                                  {"seed", options.seed},
                                  {"draw", options.draw},
                                  {"runs", simulated.series.front().measured.samples.size()},
                                  {"observations", quantities}};
    if (simulated.end_to_end) result["launch-cost"] = options.launch_cost;
    if (subject.recorded != nullptr)
        result["trace"] = {{"file", subject.trace},
                           {"digest", subject.recorded->trace->facts().digest},
                           {"warp-instructions", subject.recorded->trace->instructions()}};
    if (subject.executed != nullptr) result["execution"] = execution_json(*subject.executed);
    if (options.trace.stack && simulated.traced)
        result["traced-run"] = account_json(options.trace, *simulated.traced, *subject.kernel);
    return result;
}

std::string text_of(const Options& options, const Machine& machine, const Subject& subject,
                    const Simulated& simulated) {
    std::string out = fmt::format(
        "{} on simulated:{}, launch {} on {} multiprocessor{}, policy {}, {} runs from seed {} "
        "({})\n",
        subject.kernel->function->name, models::label_of(machine.architecture),
        models::to_string(subject.launched.launch), machine.multiprocessors,
        machine.multiprocessors == 1 ? "" : "s", options.policy,
        simulated.series.front().measured.samples.size(), options.seed, options.draw);
    if (subject.recorded != nullptr)
        out += fmt::format("recorded: {} warp instructions in {}\n",
                           subject.recorded->trace->instructions(), subject.trace);
    if (subject.executed != nullptr) out += execution_text(*subject.executed);
    for (const std::string& assumption : assumptions_of(subject, machine))
        out += fmt::format("assumed: {}\n", assumption);
    if (!machine.clock)
        out += "clock unknown: times are core cycles only; state --clock LO..HI for seconds\n";
    if (simulated.end_to_end && options.launch_cost != "described")
        out += fmt::format("assumed: a launch costs {} cycles before its first blocks\n",
                           options.launch_cost);
    out += "\n";
    out += summary_heading("observed, core cycles");
    for (const auto& [quantity, measured, summary] : simulated.series) {
        out += summary_row(quantity_name(quantity), summary);
        out += time_text(summary, machine) + summary_details(summary);
    }
    if (simulated.end_to_end) {
        out += summary_row("end-to-end, launch cost included", *simulated.end_to_end);
        out += time_text(*simulated.end_to_end, machine) + summary_details(*simulated.end_to_end);
    }
    if (options.trace.stack && simulated.traced)
        out += account_text(options.trace, *simulated.traced, *subject.kernel);
    return out;
}

} // namespace warpbound::cli::simulation
