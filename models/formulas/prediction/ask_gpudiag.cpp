#include "models/formulas/gpudiag.hpp"
#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::prediction {

/// The period of the mix is the whole warp, repeated once: P_1 is the time of one warp in
/// isolation, and t_u the cycles that it keeps a unit busy. The issue slots of the schedulers and
/// the drain of the write buffer are units too. A unit of each warp's own never delays another
/// warp.
Result<Prediction> ask_gpudiag(const Question& question, Inputs& inputs) {
    const auto timed = timed_steps_of(question, inputs);
    const auto residency = residency_of(question, inputs);
    if (!residency) return residency.as_failure();
    const auto schedulers = inputs.described("schedulers/count");
    const auto slot = inputs.described("schedulers/issue-slot");
    const auto warp_size = inputs.described("geometry/warp-size");
    if (timed.empty() || !residency.value() || !schedulers || !slot || !warp_size)
        return Prediction{};
    const auto warp = single_warp(question, timed, 1);
    if (!warp) return warp.as_failure();
    const auto alone = gpumech::performance_of(warp.value().intervals, 1);
    if (!alone) return alone.as_failure();

    gpudiag::Mix mix{.units = {}, .period = alone.value().cycles};
    const auto parts = static_cast<std::int64_t>(*schedulers);
    const std::int64_t issued = issued_instructions(question.profile.steps);
    mix.units.push_back({"issue", real(issued) * *slot, 1, parts});
    for (const auto& unit : unit_work(question.profile.steps, timed, inputs))
        mix.units.push_back(
            {unit.unit, unit.cycles, 1, unit.groups.value_or(residency.value()->warps())});
    for (const auto& server :
         memory_work(question.profile.steps, timed, residency.value()->multiprocessors, inputs))
        mix.units.push_back({server.unit, server.cycles, 1, 1});
    if (!inputs.missing().empty()) return Prediction{};
    const Residency& where = *residency.value();
    const auto threads = where.warps_per_block * static_cast<std::int64_t>(*warp_size);
    const gpudiag::Execution execution{
        .launch = {.blocks = where.blocks * where.multiprocessors, .threads = threads},
        .warp_size = static_cast<std::int64_t>(*warp_size),
        .multiprocessors = where.multiprocessors,
        .slots = where.slots,
        .periods = 1};
    const auto time = gpudiag::kernel_time(execution, mix);
    if (!time) return time.as_failure();
    return Prediction{.time = time.value().time,
                      .symbols = gpudiag::explain(execution, mix, time.value())};
}

} // namespace warpbound::models::prediction
