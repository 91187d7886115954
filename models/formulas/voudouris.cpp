#include "models/formulas/voudouris.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::models::voudouris {
namespace {

Cycles cost(std::int64_t instructions, std::int64_t cycles) {
    return Cycles{cycles} * instructions;
}

Estimate<Cycles> estimate(Cycles time) {
    return Estimate<Cycles>{static_cast<double>(time.count())};
}

/// Everything but global loads. Eq. 1-7, 9.
Cycles time_without_loads(const KernelProfile& profile, const Parameters& parameters) {
    return cost(profile.arithmetic_independent, parameters.independent) +
           cost(profile.arithmetic_dependent, parameters.dependent) +
           cost(profile.shared_loads, parameters.shared_load) +
           cost(profile.shared_stores, parameters.shared_store) +
           cost(profile.global_stores, parameters.global_store);
}

} // namespace

const Parameters table_7{.name = "V14 Table 7"};
const Parameters reconstruction_a{.name = "V14 Table 7, reconstruction A", .global_store = 58};

Times time_of(const KernelProfile& profile, Cycles hidden_latency, const Parameters& parameters) {
    const Cycles rest = time_without_loads(profile, parameters);
    const Cycles full = cost(profile.global_loads, parameters.global_load);
    return {.best = estimate(rest + cost(profile.global_loads, parameters.global_load_best)),
            .average = estimate(rest + std::max(full - hidden_latency, Cycles{})),
            .worst = estimate(rest + full)};
}

std::vector<ExplainedSymbol> explain(const KernelProfile& profile, Cycles hidden_latency,
                                     const Parameters& parameters) {
    const auto count = [](std::string symbol, std::int64_t value) {
        return ExplainedSymbol{.symbol = std::move(symbol),
                               .value = static_cast<double>(value),
                               .unit = "instructions",
                               .source = "kernel profile"};
    };
    const auto cpi = [](std::string symbol, std::int64_t value, std::string source) {
        return ExplainedSymbol{.symbol = std::move(symbol),
                               .value = static_cast<double>(value),
                               .unit = "cycles/instruction",
                               .source = std::move(source)};
    };
    const Times times = time_of(profile, hidden_latency, parameters);
    const auto time = [](std::string symbol, Estimate<Cycles> value, std::string source) {
        return ExplainedSymbol{.symbol = std::move(symbol),
                               .value = value.value(),
                               .unit = "cycles",
                               .source = std::move(source)};
    };
    return {
        count("N_ind", profile.arithmetic_independent),
        cpi("CPI_ind", parameters.independent, parameters.name),
        count("N_dep", profile.arithmetic_dependent),
        cpi("CPI_dep", parameters.dependent, parameters.name),
        count("N_shmem_ld", profile.shared_loads),
        cpi("CPI_shmem_ld", parameters.shared_load, parameters.name),
        count("N_shmem_st", profile.shared_stores),
        cpi("CPI_shmem_st", parameters.shared_store, parameters.name),
        count("N_glomem_st", profile.global_stores),
        cpi("CPI_glomem_st", parameters.global_store, parameters.name),
        count("N_glomem_ld", profile.global_loads),
        cpi("CPI_glomem_ld best", parameters.global_load_best, "V14 7.1"),
        cpi("CPI_glomem_ld", parameters.global_load, "V14 Table 10, inferred"),
        {"L_memhide", static_cast<double>(hidden_latency.count()), "cycles", "V14 eq. 8"},
        time("CC best", times.best, "V14 eq. 1, 7.1"),
        time("CC average", times.average, "V14 eq. 1, 11"),
        time("CC worst", times.worst, "V14 eq. 1, 7.1"),
    };
}

Estimate<Cycles> varied_load_time(std::int64_t loads, double variation, Cycles hidden_latency,
                                  const Parameters& parameters) {
    const double full =
        variation * static_cast<double>(parameters.global_load) * static_cast<double>(loads);
    return Estimate<Cycles>{std::max(full - static_cast<double>(hidden_latency.count()), 0.0)};
}

Estimate<Cycles> shared_load_time(std::int64_t conflict_free,
                                  const std::vector<std::int64_t>& degrees,
                                  const Parameters& parameters) {
    Cycles time = cost(conflict_free, parameters.shared_load);
    for (const std::int64_t degree : degrees)
        time += cost(degree, parameters.shared_load);
    return estimate(time);
}

} // namespace warpbound::models::voudouris
