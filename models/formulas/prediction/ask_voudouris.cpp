#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/voudouris_warps.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <cmath>

namespace warpbound::models::prediction {
namespace {

namespace v14 = voudouris;

/// Conflict degrees of the shared loads that conflict.
std::vector<std::int64_t> degrees_of(const NamedProfile& profile, Inputs& inputs) {
    std::vector<std::int64_t> degrees;
    for (std::size_t kind = 0; kind < profile.steps.kinds().size(); ++kind) {
        const ProfileStep& step = profile.steps.kinds()[kind];
        if (step.opcode_class != assembly::OpcodeClass::LoadShared || !step.passes) continue;
        const double degree =
            choose({.lo = step.passes->min, .typical = std::nullopt, .hi = step.passes->max},
                   inputs.variant());
        if (degree > 1)
            degrees.insert(degrees.end(),
                           static_cast<std::size_t>(profile.steps.executions()[kind]),
                           static_cast<std::int64_t>(std::ceil(degree)));
    }
    return degrees;
}

/// The write buffer and the scheduler's slots; both matter to several warps only.
v14::Core core_of(const Residency& residency, std::int64_t stores, Inputs& inputs) {
    if (residency.warps() == 1) return {.warps = 1, .schedulers = 1, .issue_slot = 1};
    v14::Core core{.warps = residency.warps()};
    const auto schedulers = inputs.described("schedulers/count");
    const auto slot = inputs.described("schedulers/issue-slot");
    if (schedulers) core.schedulers = static_cast<std::int64_t>(*schedulers);
    if (slot) core.issue_slot = static_cast<std::int64_t>(*slot);
    if (stores == 0) return core;
    const auto entries = inputs.described("write-buffer/entries");
    const auto drain = inputs.described("write-buffer/drain");
    if (entries && drain) core.buffer = {static_cast<std::int64_t>(*entries), *drain};
    return core;
}

/// The latency that loads hide: stated, of the steps, or of the profile. Only the typical variant
/// hides any.
Result<std::optional<Cycles>> hidden_latency(const Question& question, Inputs& inputs,
                                             const v14::Parameters& costs) {
    if (inputs.variant() != Variant::Typical) return std::optional{Cycles{}};
    if (const auto stated = inputs.stated_if_any("hidden-latency"))
        return std::optional{Cycles{static_cast<std::int64_t>(*stated)}};
    if (question.profile.hidden_latency)
        return std::optional{Cycles{*question.profile.hidden_latency}};
    if (question.profile.counts.global_loads == 0) return std::optional{Cycles{}};
    if (question.profile.steps.empty()) {
        (void)inputs.stated("hidden-latency");
        return std::optional<Cycles>{};
    }
    const auto warp = v14::profile_of(question.profile.steps, costs);
    if (!warp) return warp.as_failure();
    return std::optional{warp.value().hidden_latency};
}

} // namespace

Result<Prediction> ask_voudouris(const Question& question, Inputs& inputs) {
    const auto& costs = question.setting.voudouris;
    if (!costs) return costs.as_failure();
    if (const auto modelled = v14::profile_of(question.profile.steps, costs.value()); !modelled)
        return modelled.as_failure();
    const auto residency = residency_of(question, inputs);
    if (!residency) return residency.as_failure();
    const auto hidden = hidden_latency(question, inputs, costs.value());
    if (!hidden) return hidden.as_failure();
    v14::Variation variation{.degrees = degrees_of(question.profile, inputs)};
    if (inputs.variant() != Variant::Best)
        variation.load = inputs.stated_if_any("load-variation").value_or(1);
    if (!residency.value() || !hidden.value()) return Prediction{};
    const KernelProfile& counts = question.profile.counts;
    double total = 0;
    std::optional<v14::WarpsTime> first;
    v14::Core core;
    const auto add = [&](std::int64_t waves, std::int64_t blocks) -> Result<void> {
        if (waves == 0 || blocks == 0) return boost::outcome_v2::success();
        Residency wave = *residency.value();
        wave.slots = blocks;
        const v14::Core of_wave = core_of(wave, counts.global_stores, inputs);
        if (!inputs.missing().empty()) return boost::outcome_v2::success();
        const auto time =
            v14::time_of_warps(counts, *hidden.value(), costs.value(), of_wave, variation);
        if (!time) return time.as_failure();
        const auto& times = time.value().times;
        total += real(waves) * (inputs.variant() == Variant::Best      ? times.best.value()
                                : inputs.variant() == Variant::Typical ? times.average.value()
                                                                       : times.worst.value());
        if (!first) {
            first = time.value();
            core = of_wave;
        }
        return boost::outcome_v2::success();
    };
    const auto full = add(residency.value()->full_waves, residency.value()->slots);
    if (!full) return full.as_failure();
    const auto rest = add(1, residency.value()->rest);
    if (!rest) return rest.as_failure();
    if (!first) return Prediction{};
    Prediction found{.time = Estimate<Cycles>{total},
                     .symbols = v14::explain(counts, *hidden.value(), costs.value())};
    if (core.warps > 1 || variation.load != 1 || !variation.degrees.empty())
        for (auto& symbol : v14::explain(core, variation, *first))
            found.symbols.push_back(std::move(symbol));
    return found;
}

} // namespace warpbound::models::prediction
