#include "models/formulas/voudouris_warps.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <numeric>

namespace warpbound::models::voudouris {
namespace {

std::optional<Failure> objection(const KernelProfile& profile, const Core& core,
                                 const Variation& variation) {
    InputCheck check{"voudouris"};
    check.count("warps", core.warps, 1, 1 << 20)
        .count("schedulers", core.schedulers, 1, 1 << 10)
        .count("issue slot", core.issue_slot, 1, 1 << 20)
        .positive("load variation", variation.load)
        .require(real(profile.shared_loads) >= static_cast<double>(variation.degrees.size()),
                 "more conflicting shared loads than shared loads")
        .require(core.warps == 1 || profile.global_stores == 0 || core.buffer.has_value(),
                 "several warps store, and the write buffer is missing");
    for (const std::int64_t degree : variation.degrees)
        check.count("conflict degree", degree, 2, most_passes_of_step);
    if (core.buffer)
        check.count("write buffer entries", core.buffer->entries, 1)
            .positive("drain of an entry", core.buffer->drain);
    return check.failure();
}

/// Eq. 13.
double store_cost(std::int64_t stores, double alone, const Core& core) {
    if (!core.buffer || stores == 0) return alone;
    const double waiting = real(core.warps) * real(stores) - real(core.buffer->entries);
    return std::max(alone, core.buffer->drain * waiting / real(stores));
}

} // namespace

Result<WarpsTime> time_of_warps(const KernelProfile& profile, Cycles hidden_latency,
                                const Parameters& parameters, const Core& core,
                                const Variation& variation) {
    if (const auto wrong = objection(profile, core, variation)) return *wrong;
    WarpsTime found{.times = {Estimate<Cycles>{0}, Estimate<Cycles>{0}, Estimate<Cycles>{0}},
                    .of_scheduler = divide_up(core.warps, core.schedulers),
                    .slots = {}};
    found.slots = Cycles{core.issue_slot} * found.of_scheduler;
    const double slots = real(found.slots.count());
    const auto part = [slots](std::int64_t count, double cost) {
        return count == 0 ? 0.0 : real(count) * std::max(cost, slots);
    };
    found.store_cost =
        store_cost(profile.global_stores, std::max(real(parameters.global_store), slots), core);
    double rest = part(profile.arithmetic_independent, real(parameters.independent)) +
                  part(profile.arithmetic_dependent, real(parameters.dependent)) +
                  part(profile.shared_stores, real(parameters.shared_store)) +
                  part(profile.global_stores, found.store_cost) +
                  real(core.issue_slot * (found.of_scheduler - 1));
    const auto conflicting = static_cast<std::int64_t>(variation.degrees.size());
    rest += part(profile.shared_loads - conflicting, real(parameters.shared_load));
    for (const std::int64_t degree : variation.degrees)
        rest += part(1, real(degree * parameters.shared_load));
    const double full = part(profile.global_loads, variation.load * real(parameters.global_load));
    found.times = {
        .best =
            Estimate<Cycles>{rest + part(profile.global_loads, real(parameters.global_load_best))},
        .average = Estimate<Cycles>{rest + std::max(full - real(hidden_latency.count()), 0.0)},
        .worst = Estimate<Cycles>{rest + full}};
    return found;
}

std::vector<ExplainedSymbol> explain(const Core& core, const Variation& variation,
                                     const WarpsTime& result) {
    std::vector<ExplainedSymbol> symbols{
        {"#warps", real(core.warps), "warps", "launch"},
        {"warps of a scheduler", real(result.of_scheduler), "warps", "V14 6.1"},
        {"slots of a round", real(result.slots.count()), "cycles", "V14 6.3, our extension"},
    };
    if (core.buffer) {
        symbols.push_back(
            {"f(#warps)", result.store_cost, "cycles/instruction", "V14 eq. 13, form inferred"});
        symbols.push_back({"K", real(core.buffer->entries), "1", "description"});
        symbols.push_back({"d", core.buffer->drain, "cycles", "description"});
    }
    if (variation.load != 1)
        symbols.push_back({"f(variation)", variation.load, "1", "V14 eq. 14a, stated"});
    if (!variation.degrees.empty())
        symbols.push_back({"sum of n_i",
                           real(std::accumulate(variation.degrees.begin(), variation.degrees.end(),
                                                std::int64_t{0})),
                           "1", "V14 eq. 14b, flow facts"});
    return symbols;
}

} // namespace warpbound::models::voudouris
