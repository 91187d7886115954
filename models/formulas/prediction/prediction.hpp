#pragma once
/// \file
/// One question to every published model: how long does this kernel take on this machine?
///
/// Each model takes what it needs from the profile, the description and what is stated, and refuses
/// by name what it lacks. All of them count the time of the most loaded multiprocessor, from its
/// first block on, so that their answers can stand side by side.

#include "models/estimate.hpp"
#include "models/formulas/gpumech.hpp"
#include "models/formulas/prediction/inputs.hpp"
#include "models/formulas/prediction/transfers.hpp"
#include "models/formulas/voudouris.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Everything that is the same for all models and variants.
struct Setting {
    Architecture architecture;
    Launch launch{};
    Stated stated{};
    /// Instead of the launch: this many warps resident on one multiprocessor.
    std::optional<std::int64_t> warps{};
    /// Before or after the kernel; no model's time contains them.
    std::vector<Copy> copies{};
    gpumech::Policy policy = gpumech::Policy::RoundRobin;
    /// Whether GPUMech counts the units that warps share, which the published model leaves out.
    bool counts_units = true;
    /// Costs of V14; none: why not.
    Result<voudouris::Parameters> voudouris = voudouris::table_7;
};

class Question; // models/formulas/prediction/question.hpp

struct Prediction {
    /// Absent when refused.
    std::optional<Estimate<Cycles>> time{};
    std::vector<std::string> missing{};        ///< Names of what the model lacks.
    std::string refusal{};                     ///< Another reason, one line.
    std::vector<ExplainedSymbol> symbols{};    ///< Of the formula.
    std::vector<ExplainedSymbol> parameters{}; ///< What was looked up, with its source.
    /// GPUMech's categories; sums to `cpi`. `Unit:` core cycles per warp instruction of the SM.
    std::vector<std::pair<std::string, double>> stack{};
    std::optional<Estimate<CyclesPerInstruction>> cpi{}; ///< With the stack.

    [[nodiscard]] bool refused() const { return !time; }
    /// "needs a, b" or the other reason; empty when not refused.
    [[nodiscard]] std::string why() const;
};

/// Estimate, not a bound, in every variant. What a model says of one warp's profile.
/// Unit: core cycles. Source: that of the model; what each takes for its symbols is described where
/// it is computed.
Prediction predict(Model model, const Question& question, Variant variant);
/// The same, of a question that is asked once.
Prediction predict(Model model, const NamedProfile& profile, const Setting& setting,
                   Variant variant);

} // namespace warpbound::models::prediction
