#include "models/formulas/execution_graph.hpp"
#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/volkov.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::prediction {
namespace {

/// Order and dependences with the machine's distances and latencies. Blocks are replaced only when
/// there is more than one wave of them. `awaits_results`: the warp counts until its last result, as
/// of a store that a counter of AMD counts.
volkov::ExecutionGraph graph_of(const Steps& steps, std::span<const TimedStep> timed,
                                Cycles replacement, bool awaits_results) {
    const auto order = steps.order();
    volkov::ExecutionGraph graph{.nodes = order.size() + 1, .edges = {}};
    graph.edges.reserve(3 * order.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
        if (at > 0) graph.edges.push_back({at - 1, at, timed[order[at - 1]].gap});
        for (const std::int64_t distance : steps[at].distances) {
            const std::size_t producer = at - static_cast<std::size_t>(distance);
            graph.edges.push_back({producer, at, timed[order[producer]].latency});
        }
        if (awaits_results) graph.edges.push_back({at, order.size(), timed[order[at]].latency});
    }
    graph.edges.push_back({order.size() - 1, order.size(), replacement});
    return graph;
}

/// Special functions and double precision have units of their own. Of AMD only the vector unit
/// counts: scalar instructions, branches and waits take none of its lanes.
bool runs_on_cores(assembly::OpcodeClass opcode_class, const Architecture& architecture) {
    if (is_amd(architecture.target)) {
        const auto add = architecture.classes.find(assembly::OpcodeClass::FloatAdd);
        const auto found = architecture.classes.find(opcode_class);
        if (add == architecture.classes.end() || found == architecture.classes.end() ||
            found->second.unit != add->second.unit)
            return false;
    }
    return !is_memory_access(opcode_class) &&
           opcode_class != assembly::OpcodeClass::SpecialFunction &&
           opcode_class != assembly::OpcodeClass::Double;
}

/// Resource demand of one warp on the multiprocessor.
std::optional<volkov::Warp> warp_of(const Question& question, std::span<const TimedStep> timed,
                                    std::int64_t multiprocessors, Inputs& inputs) {
    const Steps& steps = question.profile.steps;
    volkov::Warp warp{.issued_instructions = real(issued_instructions(steps))};
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const ProfileStep& step = steps.kinds()[kind];
        const double times = real(steps.executions()[kind]);
        if (runs_on_cores(step.opcode_class, inputs.architecture()))
            warp.cuda_instructions += times;
        if (step.opcode_class != assembly::OpcodeClass::AtomicGlobal &&
            !is_global_load(step.opcode_class) && !is_global_store(step.opcode_class))
            continue;
        const auto bytes = dram_bytes_of(step, timed[kind], inputs);
        if (!bytes) return std::nullopt;
        warp.bytes += times * *bytes;
    }
    for (const auto& unit : unit_work(steps, timed, inputs))
        if (unit.groups) warp.units.push_back({unit.unit, unit.cycles / real(*unit.groups)});
    for (const auto& server : memory_work(steps, timed, multiprocessors, inputs))
        warp.units.push_back({server.unit, server.cycles});
    if (!inputs.missing().empty()) return std::nullopt;
    return warp;
}

} // namespace

Result<Prediction> ask_volkov(const Question& question, Inputs& inputs) {
    const auto timed = timed_steps_of(question, inputs);
    const auto residency = residency_of(question, inputs);
    if (!residency) return residency.as_failure();
    const auto cores = inputs.described("geometry/fp32-lanes");
    const auto schedulers = inputs.described("schedulers/count");
    const auto slot = inputs.described("schedulers/issue-slot");
    if (timed.empty() || !residency.value() || !cores || !schedulers || !slot) return Prediction{};
    const bool replaces = residency.value()->blocks > residency.value()->slots;
    const auto replacement = replaces ? inputs.described("blocks/replacement") : std::optional{0.0};
    auto warp = warp_of(question, timed, residency.value()->multiprocessors, inputs);
    if (!warp || !replacement) return Prediction{};
    const auto path =
        volkov::critical_path(graph_of(question.profile.steps, timed, round_up(*replacement),
                                       !replaces && is_amd(inputs.architecture().target)));
    if (!path) return path.as_failure();
    // The last step counts as well, up to its own end.
    warp->latency = std::max(1.0, path.value().length.value());

    volkov::Machine machine{.multiprocessors = residency.value()->multiprocessors,
                            .clock = cancelling_clock(inputs),
                            .cores = *cores,
                            .schedulers = *schedulers / *slot,
                            .dram_bytes = 1,
                            .knee = inputs.stated_if_any("volkov-knee").value_or(1),
                            .warp_size = lanes_of_warp(inputs)};
    if (warp->bytes > 0) {
        const auto clock = inputs.described("geometry/core-clock");
        const auto bandwidth = inputs.described_rate("memories/dram/bandwidth");
        const auto all = inputs.described("geometry/multiprocessors");
        if (!clock || !bandwidth || !all) return Prediction{};
        machine.clock = *clock * 1000;                                   // kHz
        machine.dram_bytes = *bandwidth * 1000 / (*all * machine.clock); // kB/s
    }
    const double lambda = inputs.stated_if_any("volkov-lambda").value_or(1);
    const Launch launch = question.setting.warps
                              ? Launch{.blocks = *question.setting.warps, .threads = 1}
                              : question.setting.launch;
    const auto time =
        volkov::kernel_time(launch, *warp, residency.value()->warps(), machine, lambda);
    if (!time) return time.as_failure();
    return Prediction{.time = Estimate<Cycles>{time.value().time.value() * machine.clock},
                      .symbols = volkov::explain(*warp, residency.value()->warps(), machine, lambda,
                                                 time.value())};
}

} // namespace warpbound::models::prediction
