#include "models/formulas/bsp.hpp"
#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/whole_numbers.hpp"

namespace warpbound::models::prediction {
namespace {

/// Accesses and computation of one thread. An instruction that accesses no memory counts one cycle
/// of a core: the product R P of the formula is one operation a core and cycle.
bsp::Work work_of(const Question& question, std::span<const TimedStep> timed) {
    bsp::Work work;
    const Steps& steps = question.profile.steps;
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const ProfileStep& step = steps.kinds()[kind];
        const double times = real(steps.executions()[kind]);
        if (!is_memory_access(step.opcode_class)) {
            work.computation += times;
        } else if (is_global_load(step.opcode_class)) {
            work.global_loads += times;
            work.l1_hits += times * timed[kind].shares.l1;
            work.l2_hits += times * timed[kind].shares.l2;
        } else if (is_global_store(step.opcode_class)) {
            work.global_stores += times;
        } else if (step.opcode_class == assembly::OpcodeClass::AtomicGlobal) {
            work.global_loads += times;
        } else if (step.opcode_class == assembly::OpcodeClass::StoreShared) {
            work.shared_stores += times;
        } else {
            work.shared_loads += times;
        }
    }
    return work;
}

} // namespace

Result<Prediction> ask_bsp(const Question& question, Inputs& inputs) {
    const auto timed = timed_steps_of(question, inputs);
    const auto residency = residency_of(question, inputs);
    if (!residency) return residency.as_failure();
    const auto lanes = inputs.described("geometry/fp32-lanes");
    const auto warp_size = inputs.described("geometry/warp-size");
    const auto lambda = inputs.stated("bsp-lambda");
    if (timed.empty() || !residency.value() || !lanes || !warp_size || !lambda) return Prediction{};
    const bsp::Work work = work_of(question, timed);
    bsp::Machine machine{.clock = cancelling_clock(inputs),
                         .cores = static_cast<std::int64_t>(*lanes) *
                                  residency.value()->multiprocessors};
    const auto need = [&inputs](double accesses, std::string_view path, double& latency) {
        if (accesses == 0) return;
        if (const auto value = inputs.described(path)) latency = *value;
    };
    need(work.shared_loads + work.shared_stores, "classes/load-shared/latency",
         machine.latencies.shared);
    need(work.global_loads + work.global_stores - work.l1_hits - work.l2_hits,
         "memories/dram/latency", machine.latencies.global);
    need(work.l1_hits, "memories/l1/latency", machine.latencies.l1);
    need(work.l2_hits, "memories/l2/latency", machine.latencies.l2);
    if (!inputs.missing().empty()) return Prediction{};
    const Residency& where = *residency.value();
    const std::int64_t threads = where.blocks * where.multiprocessors * where.warps_per_block *
                                 static_cast<std::int64_t>(*warp_size);
    const auto time = bsp::kernel_time(threads, work, machine, *lambda);
    if (!time) return time.as_failure();
    return Prediction{
        .time = Estimate<Cycles>{time.value().time.value() * machine.clock},
        .symbols =
            in_cycles(bsp::explain(threads, work, machine, *lambda, time.value()), machine.clock)};
}

} // namespace warpbound::models::prediction
