#include "models/formulas/mwp_cwp.hpp"
#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::prediction {
namespace {

/// Bytes of the lines that an access through the caches touches; the model has no caches.
std::optional<double> line_bytes_of(const TimedStep& step, Inputs& inputs) {
    const auto line = inputs.described("memories/l1/line");
    return line ? std::optional{step.passes * *line} : std::nullopt;
}

/// Counts of a warp; a profile of counts lacks the coalescing of its accesses.
std::optional<mwp_cwp::Kernel> kernel_of(const Question& question, std::span<const TimedStep> timed,
                                         Inputs& inputs) {
    mwp_cwp::Kernel kernel{.instructions = instructions_of(question.profile)};
    double bytes = 0;
    double uncoalesced_passes = 0;
    const Steps& steps = question.profile.steps;
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const ProfileStep& step = steps.kinds()[kind];
        const double times = real(steps.executions()[kind]);
        if (step.opcode_class == assembly::OpcodeClass::Barrier) kernel.synchronisations += times;
        if (!is_global_load(step.opcode_class) && !is_global_store(step.opcode_class) &&
            step.opcode_class != assembly::OpcodeClass::AtomicGlobal)
            continue;
        TimedStep all = timed[kind];
        all.shares = {.dram = 1};
        all.through_caches = false;
        const auto moved = timed[kind].through_caches ? line_bytes_of(timed[kind], inputs)
                                                      : dram_bytes_of(step, all, inputs);
        if (!moved) return std::nullopt;
        bytes += times * *moved;
        if (timed[kind].passes > 1) {
            kernel.uncoalesced += times;
            uncoalesced_passes += times * timed[kind].passes;
        } else {
            kernel.coalesced += times;
        }
    }
    const double accesses = kernel.coalesced + kernel.uncoalesced;
    if (accesses > 0) kernel.bytes_per_load = bytes / accesses;
    if (kernel.uncoalesced > 0) kernel.transactions = uncoalesced_passes / kernel.uncoalesced;
    return kernel;
}

/// Between transactions of two warps, unless stated: what the port of loads leaves between two
/// accesses of the multiprocessor. Where each warp has a port of its own that is an issue slot.
std::optional<double> departure_of_warps(Inputs& inputs) {
    if (const auto stated = inputs.stated_if_any("departure-coalesced")) return stated;
    const Architecture& architecture = inputs.architecture();
    const auto loads = architecture.classes.find(assembly::OpcodeClass::LoadGlobal);
    const auto unit = loads == architecture.classes.end()
                          ? std::nullopt
                          : architecture.unit_index(loads->second.unit);
    const UnitScope scope = unit ? architecture.units[*unit].scope : UnitScope::Core;
    const auto port = scope == UnitScope::Warp ? inputs.described("schedulers/issue-slot")
                                               : inputs.described("classes/load-global/initiation");
    const auto ports =
        scope == UnitScope::Core ? std::optional{1.0} : inputs.described("schedulers/count");
    return port && ports ? std::optional{*port / *ports} : std::nullopt;
}

/// Between transactions of one warp what a further pass costs, unless it is stated. Issue cycles:
/// threads of a warp over the lanes, as the paper counts.
std::optional<mwp_cwp::Machine> machine_of(const mwp_cwp::Kernel& kernel, Inputs& inputs) {
    mwp_cwp::Machine machine;
    auto issue = inputs.stated_if_any("issue-cycles");
    if (!issue) {
        const auto lanes = inputs.described("geometry/fp32-lanes");
        const auto threads = inputs.described("geometry/warp-size");
        if (lanes && threads) issue = *threads / *lanes;
    }
    if (issue) machine.issue_cycles = *issue;
    if (kernel.coalesced + kernel.uncoalesced == 0) {
        // The memory does not matter, but the formula requires positive numbers.
        machine.memory_latency = machine.departure_coalesced = machine.departure_uncoalesced = 1;
        machine.clock = machine.bandwidth = 1;
        return issue ? std::optional{machine} : std::nullopt;
    }
    const auto latency = inputs.described("memories/dram/latency");
    const auto coalesced = departure_of_warps(inputs);
    const auto uncoalesced =
        kernel.uncoalesced == 0
            ? coalesced
            : inputs.stated_or_described("departure-uncoalesced", "classes/load-global/pass-cost");
    const auto clock = inputs.described("geometry/core-clock");
    const auto bandwidth = inputs.described_rate("memories/dram/bandwidth");
    if (!issue || !latency || !coalesced || !uncoalesced || !clock || !bandwidth)
        return std::nullopt;
    machine.memory_latency = *latency;
    machine.departure_coalesced = *coalesced;
    machine.departure_uncoalesced = *uncoalesced;
    machine.clock = *clock * 1000;         // kHz
    machine.bandwidth = *bandwidth * 1000; // kB/s
    return machine;
}

} // namespace

Result<Prediction> ask_mwp_cwp(const Question& question, Inputs& inputs) {
    const auto timed = timed_steps_of(question, inputs);
    const auto residency = residency_of(question, inputs);
    if (!residency) return residency.as_failure();
    if (timed.empty() || !residency.value()) return Prediction{};
    const auto kernel = kernel_of(question, timed, inputs);
    if (!kernel) return Prediction{};
    const auto machine = machine_of(*kernel, inputs);
    if (!machine) return Prediction{};
    const Residency& where = *residency.value();
    // Blocks of the most loaded multiprocessor, on each of those that are active.
    const mwp_cwp::Residency resident_warps{.blocks = where.blocks * where.multiprocessors,
                                            .blocks_per_sm = where.slots,
                                            .multiprocessors = where.multiprocessors,
                                            .warps = where.warps()};
    const auto time = mwp_cwp::kernel_time(*kernel, *machine, resident_warps);
    if (!time) return time.as_failure();
    return Prediction{.time = time.value().time,
                      .symbols = mwp_cwp::explain(*kernel, *machine, resident_warps, time.value())};
}

} // namespace warpbound::models::prediction
