#pragma once
/// \file
/// Setting and result of a prediction, common to all models.

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

/// Machine, launch and parameters, the same for all models and variants.
struct Setting {
    Architecture architecture;
    Launch launch{};
    Stated stated{};
    /// If stated, replaces the launch: warps resident on one multiprocessor.
    std::optional<std::int64_t> warps{};
    /// Copies before or after the kernel; no model's time contains them.
    std::vector<Copy> copies{};
    gpumech::Policy policy = gpumech::Policy::RoundRobin;
    /// Whether GPUMech counts the units that warps share, which the published model leaves out.
    bool counts_units = true;
    /// Costs of V14, or the reason why there are none.
    Result<voudouris::Parameters> voudouris = voudouris::table_7;
};

struct Prediction {
    /// Absent when refused.
    std::optional<Estimate<Cycles>> time{};
    std::vector<std::string> missing{};        ///< Names of the values that the model lacks.
    std::string refusal{};                     ///< Another reason, one line.
    std::vector<ExplainedSymbol> symbols{};    ///< Of the formula.
    std::vector<ExplainedSymbol> parameters{}; ///< Values that were looked up, with sources.
    /// GPUMech's categories; sums to `cpi`. `Unit:` core cycles per warp instruction of the SM.
    std::vector<std::pair<std::string, double>> stack{};
    std::optional<Estimate<CyclesPerInstruction>> cpi{}; ///< With the stack.

    [[nodiscard]] bool refused() const { return !time; }
    /// "needs a, b" or the other reason; empty when not refused.
    [[nodiscard]] std::string why() const;
};

} // namespace warpbound::models::prediction
