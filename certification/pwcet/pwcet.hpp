#pragma once
/// \file
/// Probabilistic execution-time estimates (pWCET) of recorded runs as values: an estimate under
/// statistical assumptions, never a bound.

#include "certification/pwcet/detectable_effect.hpp"
#include "harness/protocol/modes.hpp"
#include "harness/protocol/order_tests.hpp"
#include "models/launch/launch_identity.hpp"
#include "models/statistics/per_run.hpp"
#include "models/statistics/quantile_interval.hpp"
#include "models/statistics/residual_variation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification {

/// The times of one series in run order. A time is a whole number of ticks.
struct TimesInRunOrder {
    std::string name;
    std::string about; ///< Device, launch, protocol: part of the claim; may be empty.
    models::LaunchIdentity launched{}; ///< As far as it is recorded.
    std::string unit = "cycles";
    double tick = 1; ///< In `unit`: 1, or a power of ten for times with decimals.
    int decimals = 0;
    std::vector<std::int64_t> ticks;
    std::string digest; ///< Of the times in run order.
};

/// How the extremes are chosen.
enum class ExtremesBy { ResidualVariation, Threshold, BlockMaxima };
/// Whether the shape is 0, an upper model of every lighter tail, or fitted.
enum class TailShape { Zero, Fitted };
std::string_view to_string(ExtremesBy by); ///< "cv", "pot" or "block-maxima".

struct PwcetRequest {
    std::vector<double> probabilities{1e-3, 1e-6, 1e-9, 1e-12}; ///< Per run, in (0, 1).
    ExtremesBy method = ExtremesBy::ResidualVariation;
    TailShape shape = TailShape::Zero;
    std::optional<std::int64_t> block;       ///< Runs of a block; of block maxima only.
    std::optional<double> threshold;         ///< Of pot only, in the unit of the times.
    std::optional<std::int64_t> exceedances; ///< Of pot only.
    std::optional<std::uint64_t> seed;       ///< None: from the digest of the times.
};

/// Significance level of each family of tests, after Holm's correction.
inline constexpr double pwcet_level = 0.05;
inline constexpr std::size_t fewest_pwcet_runs = 100;
inline constexpr std::size_t fewest_distinct = 10; ///< Distinct times, and distinct extremes.
inline constexpr std::int64_t fewest_blocks = 30;
inline constexpr std::int64_t fewest_excesses = 51; ///< MBPTA-CV decides nothing up to 50.

/// What the times are, before any fit.
struct SampleFigures {
    std::int64_t runs = 0;
    std::int64_t distinct = 0;
    std::int64_t lattice = 0; ///< Step in ticks; 0 for a constant sample.
    double least = 0;
    double median = 0;
    double high_water_mark = 0; ///< Nothing without runs, as least and median.
    std::int64_t first_worst_run = 0;
    std::vector<harness::Mode> modes; ///< In ticks.
};

/// A fitted tail; estimates in the order of the requested probabilities.
struct FittedTail {
    std::string name; ///< "Gumbel, maximum likelihood"
    models::TailFit fit;
    std::vector<models::Estimate<models::RunTime>> times;
};

/// The extremes that the fits are made of.
struct Extremes {
    std::int64_t block = 0;     ///< 0: excesses over a threshold.
    double threshold = 0;       ///< Half a lattice step above a time that is none.
    std::vector<double> values; ///< Maxima, or excesses; increasing.
    double variation = 0;       ///< Residual CV of excesses.
};

struct PwcetRow {
    double probability = 0; ///< Per run.
    models::Estimate<models::RunTime> time{0};
    models::QuantileInterval interval;
};

enum class PwcetOutcome { Estimated, Constant, Refused };

/// One series: estimated, constant, or refused with each reason.
struct SeriesPwcet {
    TimesInRunOrder times;
    std::uint64_t seed = 0;
    SampleFigures figures;
    PwcetOutcome outcome = PwcetOutcome::Refused;
    std::vector<std::string> reasons;         ///< Why there is no pWCET.
    std::vector<std::string> warnings;        ///< Findings that do not refuse it.
    std::vector<harness::OrderTest> before;   ///< Tests of the runs, one family.
    std::vector<harness::OrderTest> after;    ///< Tests of the fit, another.
    std::vector<DetectableEffect> detectable; ///< By those tests of the runs that passed.
    std::vector<models::VariationPoint> variation;
    Extremes extremes;
    // Empty unless estimated.
    std::vector<FittedTail> fits; ///< The first one is that of `rows`.
    std::string interval_method;
    std::vector<PwcetRow> rows; ///< In the order of the requested probabilities.
};

} // namespace warpbound::certification
