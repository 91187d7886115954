#include "models/formulas/alu_fetch.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::alu_fetch {
namespace {

std::optional<Failure> objection(const Kernel& kernel, const Setting& setting) {
    InputCheck check{"alu-fetch"};
    check.not_negative("bundles", kernel.bundles)
        .not_negative("fetches", kernel.fetches)
        .not_negative("outputs", kernel.outputs)
        .require(kernel.bundles + kernel.fetches + kernel.outputs > 0, "a kernel without work")
        .count("registers", kernel.registers, 1, registers)
        .count("threads", setting.threads, 1)
        .count("SIMD engines", setting.simd_engines, 1)
        .positive("transactions per fetch", setting.transactions_per_fetch)
        .require(kernel.outputs == 0 || setting.output_cost.has_value(),
                 "the cost of an output is missing");
    if (setting.output_cost) check.positive("cost of an output", *setting.output_cost);
    return check.failure();
}

} // namespace

Result<double> ratio(const Kernel& kernel) {
    if (const auto wrong = InputCheck{"alu-fetch"}
                               .not_negative("bundles", kernel.bundles)
                               .positive("fetches", kernel.fetches)
                               .failure())
        return *wrong;
    return kernel.bundles * real(fetch_units) / (real(thread_processors) * kernel.fetches);
}

Result<double> bundles_for(double inputs, double ratio) {
    if (const auto wrong =
            InputCheck{"alu-fetch"}.positive("inputs", inputs).positive("ratio", ratio).failure())
        return *wrong;
    return inputs * ratio * real(thread_processors) / real(fetch_units);
}

Result<std::int64_t> wavefronts(std::int64_t registers_per_thread) {
    if (const auto wrong = InputCheck{"alu-fetch"}
                               .count("registers", registers_per_thread, 1, registers)
                               .failure())
        return *wrong;
    return registers / registers_per_thread;
}

std::string_view to_string(Bound bound) {
    switch (bound) {
    case Bound::Alu:
        return "ALU";
    case Bound::Fetch:
        return "fetch";
    case Bound::Write:
        break;
    }
    return "write";
}

Result<KernelTime> kernel_time(const Kernel& kernel, const Setting& setting) {
    if (const auto wrong = objection(kernel, setting)) return *wrong;
    const std::int64_t whole = divide_up(setting.threads, wavefront_size);
    const double per_engine = real(whole) / real(setting.simd_engines);
    const std::int64_t resident =
        std::min(registers / kernel.registers, divide_up(whole, setting.simd_engines));
    const double slots_used = resident > 1 ? 1 : 0.5;
    KernelTime found{.time = Estimate<Cycles>{0}};
    found.alu =
        per_engine * kernel.bundles * real(wavefront_size) / (real(thread_processors) * slots_used);
    found.fetch = per_engine * kernel.fetches * real(wavefront_size) / real(fetch_units) *
                  setting.transactions_per_fetch;
    found.write = per_engine * kernel.outputs * setting.output_cost.value_or(0);
    found.crossover = setting.transactions_per_fetch * slots_used;
    found.wavefronts = resident;
    const double longest = std::max({found.alu, found.fetch, found.write});
    found.time = Estimate<Cycles>{longest};
    found.bound = found.alu == longest     ? Bound::Alu
                  : found.fetch == longest ? Bound::Fetch
                                           : Bound::Write;
    return found;
}

std::vector<ExplainedSymbol> explain(const Kernel& kernel, const Setting& setting,
                                     const KernelTime& result) {
    return {
        {"N_alu", kernel.bundles, "bundles/thread", "kernel"},
        {"N_fetch", kernel.fetches, "fetches/thread", "kernel"},
        {"N_out", kernel.outputs, "outputs/thread", "kernel"},
        {"D", real(setting.threads), "threads", "launch"},
        {"SIMD engines", real(setting.simd_engines), "1", "machine"},
        {"q", setting.transactions_per_fetch, "transactions/fetch", "setting"},
        {"c_out", setting.output_cost.value_or(0), "cycles/output", "measured"},
        {"wavefronts", real(result.wavefronts), "wavefronts", "T10 II.B"},
        {"r*", result.crossover, "1", "T10, inferred"},
        {"T_alu", result.alu, "cycles", "T10, inferred"},
        {"T_fetch", result.fetch, "cycles", "T10, inferred"},
        {"T_write", result.write, "cycles", "T10, inferred"},
        {"time", result.time.value(), "cycles", "T10, inferred"},
    };
}

} // namespace warpbound::models::alu_fetch
