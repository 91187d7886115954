#pragma once
/// \file
/// What models are asked about, with what they have in common.

#include "models/formulas/prediction/access_estimate.hpp"
#include "models/formulas/prediction/residency.hpp"
#include "models/formulas/prediction/setting.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::models::prediction {

/// A kernel on a machine. What is found out about its accesses is kept, so that several models
/// asked in one variant find it out once. Not for several threads at a time.
class Question {
public:
    /// Both outlive the question.
    Question(const NamedProfile& of_profile, const Setting& in_setting)
        : profile{of_profile}, setting{in_setting} {}

    /// Estimates with what they looked up and what they miss.
    struct Accesses {
        AccessEstimates estimates{}; ///< Empty when something is missing or nothing fits.
        std::vector<ExplainedSymbol> used{};
        std::vector<std::string> missing{};
    };
    [[nodiscard]] const Accesses& accesses(Variant variant) const;

    const NamedProfile& profile;
    const Setting& setting;

private:
    mutable std::array<std::optional<Accesses>, 3> accesses_; ///< By variant.
};

/// Where the question's launch, or its warps, run.
Result<std::optional<Residency>> residency_of(const Question& question, Inputs& inputs);

} // namespace warpbound::models::prediction
