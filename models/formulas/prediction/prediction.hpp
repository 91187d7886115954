#pragma once
/// \file
/// One question to every published model: how long does this kernel take on this machine?
///
/// Each model takes what it needs from the profile, the description and what is stated, and refuses
/// by name what it lacks. All of them count the time of the most loaded multiprocessor, from its
/// first block on, so that their answers can stand side by side.

#include "models/formulas/prediction/setting.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace warpbound::models::prediction {

enum class Model { Voudouris, Volkov, MwpCwp, GpuMech, GpuDiag, Bsp, AluFetch };
inline constexpr std::array all_models{Model::Voudouris, Model::Volkov,  Model::MwpCwp,
                                       Model::GpuMech,   Model::GpuDiag, Model::Bsp,
                                       Model::AluFetch};
/// "mwp-cwp".
std::string_view to_string(Model model);
std::optional<Model> parse_model(std::string_view name);
/// The publication: "Huang et al. 2014".
std::string_view publication_of(Model model);

class Question; // models/formulas/prediction/question.hpp

/// Estimate, not a bound, in every variant. What a model says of one warp's profile.
/// Unit: core cycles. Source: that of the model; what each takes for its symbols is described where
/// it is computed.
Prediction predict(Model model, const Question& question, Variant variant);
/// The same, of a question that is asked once.
Prediction predict(Model model, const NamedProfile& profile, const Setting& setting,
                   Variant variant);

} // namespace warpbound::models::prediction
