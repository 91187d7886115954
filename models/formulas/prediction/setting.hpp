#pragma once
/// \file
/// What predictions of all models have in common: the setting that is asked about, and the answer.

#include "models/estimate.hpp"
#include "models/formulas/gpumech.hpp"
#include "models/formulas/prediction/inputs.hpp"
#include "models/formulas/prediction/transfers.hpp"
#include "models/formulas/voudouris.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::models::prediction {

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

} // namespace warpbound::models::prediction
