#pragma once
/// \file
/// Common interface of the published models: estimates the time of a kernel on a machine.
///
/// Each model uses values of the profile, the description and the stated parameters, and names the
/// missing ones when it refuses. All models give the time of the most loaded multiprocessor, from
/// its first block on, so that their answers are comparable.

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

/// Estimate, not a bound, in every variant. The prediction of a model for one warp's profile.
/// Unit: core cycles. Source: that of the model; the inputs of its symbols are documented where
/// they are computed.
Prediction predict(Model model, const Question& question, Variant variant);
/// The same, for a question that is asked once.
Prediction predict(Model model, const NamedProfile& profile, const Setting& setting,
                   Variant variant);

} // namespace warpbound::models::prediction
