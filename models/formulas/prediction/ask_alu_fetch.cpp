#include "assembly/amd/processor.hpp"
#include "models/formulas/alu_fetch.hpp"
#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

namespace warpbound::models::prediction {

/// The model is of AMD's VLIW machines. Their descriptions give the SIMD engines; of other machines
/// they must be stated, as the costs of fetches and outputs always. A kernel of scalar instructions
/// fills one lane of a bundle with each.
Result<Prediction> ask_alu_fetch(const Question& question, Inputs& inputs) {
    const assembly::Target target = question.setting.architecture.target;
    if (is_amd(target) && !assembly::amd::is_vliw_chip(target))
        return Failure{fmt::format("the model counts bundles, clauses and fetches of AMD's VLIW "
                                   "machines; {} issues single instructions and waits for "
                                   "counters; expected a TeraScale machine",
                                   to_string(target))};
    const KernelProfile& counts = question.profile.counts;
    alu_fetch::Kernel kernel{.bundles = instructions_of(question.profile) -
                                        real(counts.global_loads + counts.global_stores),
                             .fetches = real(counts.global_loads),
                             .outputs = real(counts.global_stores)};
    const auto registers = registers_of(question.setting.launch, question.profile, inputs);
    if (!registers) return registers.as_failure();
    kernel.registers = registers.value().value_or(0);
    const bool is_vliw = assembly::amd::is_vliw_chip(question.setting.architecture.target);
    const auto engines =
        is_vliw ? inputs.stated_or_described("simd-engines", "geometry/multiprocessors")
                : inputs.stated("simd-engines");
    const auto transactions = inputs.stated("transactions-per-fetch");
    const auto cost =
        counts.global_stores > 0 ? inputs.stated("output-cost") : std::optional<double>{};
    if (!inputs.missing().empty()) return Prediction{};
    const Launch& launch = question.setting.launch;
    const std::int64_t lanes = is_vliw ? alu_fetch::wavefront_size : 32;
    const std::int64_t threads =
        question.setting.warps ? *question.setting.warps * lanes : launch.blocks * launch.threads;
    const alu_fetch::Setting setting{.threads = threads,
                                     .simd_engines = static_cast<std::int64_t>(*engines),
                                     .transactions_per_fetch = *transactions,
                                     .output_cost = cost};
    const auto time = alu_fetch::kernel_time(kernel, setting);
    if (!time) return time.as_failure();
    return Prediction{.time = time.value().time,
                      .symbols = alu_fetch::explain(kernel, setting, time.value())};
}

} // namespace warpbound::models::prediction
