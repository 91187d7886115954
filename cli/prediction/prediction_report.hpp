#pragma once
/// \file
/// Predictions of several models in comparison, as text, JSON, CSV and plots.

#include "models/formulas/prediction/prediction.hpp"
#include "models/formulas/prediction/store_delays.hpp"
#include "models/kernel/profile_summary.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::cli {

inline constexpr std::array all_variants{models::prediction::Variant::Best,
                                         models::prediction::Variant::Typical,
                                         models::prediction::Variant::Worst};

/// The answers of one model: best, typical and worst case.
struct ModelAnswers {
    models::prediction::Model model = models::prediction::Model::Voudouris;
    std::array<models::prediction::Prediction, 3> variants; ///< As `all_variants`.

    /// The typical answer if there is one, else the worst, else the best; three when all refuse.
    [[nodiscard]] std::size_t shown() const;
};

/// Seconds by variant, as `all_variants`; none where an input is missing.
using SecondsOfVariants = std::array<std::optional<double>, 3>;

/// End-to-end time: the copies and the kernel.
struct EndToEnd {
    SecondsOfVariants copies{};
    std::map<std::string_view, SecondsOfVariants> models{}; ///< By name of the model.
    std::vector<std::string> missing{};
};

/// The answers at one point of a sweep, or the only ones.
struct PredictedPoint {
    double value = 0; ///< Of the swept parameter; without meaning when nothing is swept.
    std::vector<ModelAnswers> models;
    /// Of the typical case; none without stores.
    std::optional<models::prediction::StoreDelays> stores;
    std::optional<EndToEnd> end_to_end; ///< None without copies.
};

/// Of the variants' executed instructions; none without steps or path. As `all_variants`.
using Summaries = std::array<std::optional<models::ProfileSummary>, 3>;

struct PredictionReport {
    std::string kernel;
    std::string origin; ///< Of the profiles.
    Summaries summaries;
    const models::prediction::Setting* setting = nullptr;
    std::vector<std::string> set; ///< Parameters set by --set, as NAME=VALUE.
    std::string swept;            ///< Name of the swept parameter; empty without a sweep.
    std::vector<PredictedPoint> points;

    /// At least one model gave a time somewhere.
    [[nodiscard]] bool has_time() const;
    [[nodiscard]] bool asks_voudouris() const;
    [[nodiscard]] std::string_view policy() const; ///< "lrr" or "gto"
    /// Of `set`, what no asked model reads at any point.
    [[nodiscard]] std::vector<std::string> unread() const;
};

std::string prediction_text(const PredictionReport& report);
std::string prediction_json(const PredictionReport& report);
std::string prediction_csv(const PredictionReport& report);
#ifdef WARPBOUND_HAS_ANALYZER
/// Times over the swept parameter; without a sweep, the CPI stack. Refuses without a time to draw.
Result<std::string> prediction_plot(const PredictionReport& report);
#endif

} // namespace warpbound::cli
