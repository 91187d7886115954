#pragma once
/// \file
/// Predictions of several models side by side, as text, JSON, CSV and plots.

#include "models/formulas/prediction/prediction.hpp"
#include "models/profile_summary.hpp"

#include <array>
#include <string>
#include <vector>

namespace warpbound::cli {

inline constexpr std::array all_variants{models::prediction::Variant::Best,
                                         models::prediction::Variant::Typical,
                                         models::prediction::Variant::Worst};

/// What one model says, best, typical and worst.
struct ModelAnswers {
    models::prediction::Model model = models::prediction::Model::Voudouris;
    std::array<models::prediction::Prediction, 3> variants; ///< As `all_variants`.
};

/// The answers at one point of a sweep, or the only ones.
struct PredictedPoint {
    double value = 0; ///< Of the swept parameter; without meaning when nothing is swept.
    std::vector<ModelAnswers> models;
};

struct PredictionReport {
    std::string kernel;
    std::string origin; ///< Of the profiles.
    /// Of the variants' executed instructions; none without steps or path. As `all_variants`.
    std::array<std::optional<models::ProfileSummary>, 3> summaries;
    const models::prediction::Setting* setting = nullptr;
    std::vector<std::string> set; ///< What was stated, as NAME=VALUE.
    std::string swept;            ///< Name of the swept parameter; empty without a sweep.
    std::vector<PredictedPoint> points;

    /// At least one model gave a time somewhere.
    [[nodiscard]] bool has_time() const;
};

std::string prediction_text(const PredictionReport& report);
std::string prediction_json(const PredictionReport& report);
std::string prediction_csv(const PredictionReport& report);
#ifdef WARPBOUND_HAS_ANALYZER
/// Times over the swept parameter; without a sweep, the CPI stack. Refuses when there is nothing to
/// draw.
Result<std::string> prediction_plot(const PredictionReport& report);
#endif

} // namespace warpbound::cli
