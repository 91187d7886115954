#pragma once
/// \file
/// The question to the models, with intermediate results that they share.

#include "models/formulas/prediction/access_estimate.hpp"
#include "models/formulas/prediction/residency.hpp"
#include "models/formulas/prediction/setting.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::models::prediction {

/// A kernel on a machine. Caches the access estimates of each variant for all models. Not
/// thread-safe.
class Question {
public:
    /// Requires: both arguments outlive the question.
    Question(const NamedProfile& of_profile, const Setting& in_setting)
        : profile{of_profile}, setting{in_setting} {}

    /// Estimates with the values used and the values missing.
    struct Accesses {
        AccessEstimates estimates{}; ///< Empty when a value is missing or no block fits.
        std::vector<ExplainedSymbol> used{};
        std::vector<std::string> missing{};
    };
    [[nodiscard]] const Accesses& accesses(Variant variant) const;

    const NamedProfile& profile;
    const Setting& setting;

private:
    mutable std::array<std::optional<Accesses>, 3> accesses_; ///< By variant.
};

/// Residency of the question's launch or warps.
Result<std::optional<Residency>> residency_of(const Question& question, Inputs& inputs);

} // namespace warpbound::models::prediction
