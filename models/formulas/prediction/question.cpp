#include "models/formulas/prediction/question.hpp"

namespace warpbound::models::prediction {

Result<std::optional<Residency>> residency_of(const Question& question, Inputs& inputs) {
    if (question.setting.warps) return residency_of_warps(*question.setting.warps, inputs);
    return residency_of(question.setting.launch, question.profile, inputs);
}

const Question::Accesses& Question::accesses(Variant variant) const {
    auto& kept = accesses_.at(static_cast<std::size_t>(variant));
    if (kept) return *kept;
    Inputs inputs{setting.architecture, setting.stated, variant};
    kept.emplace();
    const auto residency = residency_of(*this, inputs);
    if (residency && residency.value())
        kept->estimates = estimate_accesses(profile.steps, *residency.value(), inputs);
    kept->used = inputs.used();
    kept->missing = inputs.missing();
    return *kept;
}

} // namespace warpbound::models::prediction
