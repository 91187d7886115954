#include "cli/inspection/thread_trace.hpp"

#include "assembly/isa/kernel_names.hpp"
#include "cli/output/json.hpp"
#include "harness/trace/thread_trace.hpp"
#include "harness/trace/thread_trace_match.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpbound::cli {

namespace {

using harness::trace::CountSummary;
using harness::trace::FactCheck;
using harness::trace::InstructionTimes;
using harness::trace::ThreadTrace;

/// What the wavefronts of a trace did in one kernel.
struct KernelWaves {
    CountSummary cycles;       ///< From begin to end.
    CountSummary instructions; ///< Of this kernel.
    std::int64_t unplaced = 0; ///< Instructions of these wavefronts without a known address.
};

KernelWaves waves_of(const ThreadTrace& trace, std::size_t kernel) {
    KernelWaves waves;
    for (const auto& wave : trace.waves) {
        std::int64_t executed = 0;
        std::int64_t unplaced = 0;
        for (const auto& step : wave.steps) {
            if (!step.instruction)
                ++unplaced;
            else if (trace.code.instructions[*step.instruction].kernel == kernel)
                ++executed;
        }
        if (executed == 0) continue;
        waves.cycles.add(wave.end - wave.begin);
        waves.instructions.add(executed);
        waves.unplaced += unplaced;
    }
    return waves;
}

std::string text_of(const ThreadTrace& trace, std::size_t kernel) {
    const auto& name = trace.code.kernels[kernel].name;
    const KernelWaves waves = waves_of(trace, kernel);
    std::string out = fmt::format("kernel {}\n", name);
    if (const std::string readable = assembly::demangled(name); readable != name)
        out += fmt::format("  {}\n", readable);
    out += fmt::format("  {} wavefronts recorded, {} instructions, {}..{} in a wavefront\n",
                       waves.cycles.count, waves.instructions.sum, waves.instructions.least,
                       waves.instructions.most);
    if (waves.cycles.count == 0) return out;
    out += fmt::format("  cycles of a wavefront: {}..{}, mean {:.1f}\n", waves.cycles.least,
                       waves.cycles.most, waves.cycles.mean());
    if (waves.unplaced > 0)
        out += fmt::format("  {} instructions without a known address\n", waves.unplaced);
    out += fmt::format("\n{:<10}{:>10}{:>9}{:>11}{:>9}{:>12}  {}\n", "address", "executed", "least",
                       "mean", "most", "stall, mean", "instruction");
    for (const InstructionTimes& one : harness::trace::instruction_times(trace, kernel))
        out += fmt::format("{:<10}{:>10}{:>9}{:>11.1f}{:>9}{:>12.1f}  {}{}\n",
                           hexadecimal(one.address), one.duration.count, one.duration.least,
                           one.duration.mean(), one.duration.most, one.stall.mean(), one.text,
                           one.source.empty() ? "" : "  " + one.source);
    return out;
}

Json json_of(const ThreadTrace& trace, std::size_t kernel) {
    const KernelWaves waves = waves_of(trace, kernel);
    Json instructions = Json::array();
    for (const InstructionTimes& one : harness::trace::instruction_times(trace, kernel)) {
        Json entry{{"address", hexadecimal(one.address)},
                   {"instruction", one.text},
                   {"executed", one.duration.count},
                   {"cycles", summary_json(one.duration)},
                   {"stall", summary_json(one.stall)}};
        if (!one.source.empty()) entry["source"] = one.source;
        instructions.push_back(std::move(entry));
    }
    Json out{{"name", trace.code.kernels[kernel].name},
             {"wavefronts", waves.cycles.count},
             {"executed", waves.instructions.sum},
             {"unplaced", waves.unplaced},
             {"instructions", instructions}};
    if (waves.cycles.count > 0) out["cycles-of-a-wavefront"] = summary_json(waves.cycles);
    return out;
}

std::string text_of(const std::vector<FactCheck>& checks) {
    std::string out = "\nflow facts\n";
    for (const FactCheck& check : checks) {
        out += fmt::format("  {:<30} ", check.fact);
        if (check.refuted_by)
            out += "refuted: " + *check.refuted_by;
        else
            out += fmt::format("not refuted in {} cases", check.cases - check.open);
        if (check.open > 0) out += fmt::format(", {} left open", check.open);
        out += '\n';
    }
    return out;
}

Json json_of(const std::vector<FactCheck>& checks) {
    Json out = Json::array();
    for (const FactCheck& check : checks)
        out.push_back({{"fact", check.fact},
                       {"line", check.line},
                       {"cases", check.cases},
                       {"open", check.open},
                       {"refuted-by", check.refuted_by ? Json(*check.refuted_by) : Json()}});
    return out;
}

Failure no_graph(const std::string& folder) {
    return {"a thread trace has no control-flow graph; expected --format text or json", folder};
}

} // namespace

Json summary_json(const CountSummary& counts) {
    return {{"least", counts.least}, {"mean", counts.mean()}, {"most", counts.most}};
}

Result<MatchedTrace> matched_trace(const std::string& folder, const LoadedKernel& kernel) {
    auto read = harness::trace::read_thread_trace(folder);
    if (!read) return read.as_failure();
    const auto traced = harness::trace::find_traced_kernel(read.value(), kernel.function->name);
    if (!traced) return traced.as_failure();
    const auto matched =
        harness::trace::match_thread_trace(read.value(), traced.value(), *kernel.function);
    if (!matched) return matched.as_failure();
    return MatchedTrace{std::move(read).value(), traced.value()};
}

bool CheckedThreadTrace::is_refuted() const {
    return std::any_of(facts.begin(), facts.end(),
                       [](const FactCheck& check) { return check.refuted_by.has_value(); });
}

Result<std::string> inspect_thread_trace(const std::string& folder, const std::string& format) {
    if (format == "dot") return no_graph(folder);
    const auto trace = harness::trace::read_thread_trace(folder);
    if (!trace) return trace.as_failure();
    std::string out;
    Json kernels = Json::array();
    for (std::size_t kernel = 0; kernel < trace.value().code.kernels.size(); ++kernel) {
        if (format == "json")
            kernels.push_back(json_of(trace.value(), kernel));
        else
            out += (kernel == 0 ? "" : "\n") + text_of(trace.value(), kernel);
    }
    if (format != "json") return out;
    return json_text("thread-trace", {{"kernels", kernels}});
}

Result<CheckedThreadTrace> check_thread_trace(const std::string& folder, const LoadedKernel& kernel,
                                              const std::string& format) {
    if (format == "dot") return no_graph(folder);
    const auto matched = matched_trace(folder, kernel);
    if (!matched) return matched.as_failure();
    const auto& [trace, traced] = matched.value();
    CheckedThreadTrace checked;
    checked.facts = harness::trace::check_facts(
        trace, traced, {kernel.function, &kernel.graph, &kernel.facts, {}});
    if (format == "json") {
        checked.text =
            json_text("thread-trace", {{"kernels", Json::array({json_of(trace, traced)})},
                                       {"flow-facts", json_of(checked.facts)}});
        return checked;
    }
    checked.text = text_of(trace, traced);
    if (!checked.facts.empty()) checked.text += text_of(checked.facts);
    return checked;
}

} // namespace warpbound::cli
