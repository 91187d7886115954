#pragma once
/// \file
/// The protocol by which a series is measured, and the measured series.

#include "harness/campaign/campaign.hpp"
#include "harness/device.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/protocol/statistics.hpp"
#include "harness/protocol/stopping.hpp"
#include "harness/protocol/warm_up.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

struct Protocol {
    std::optional<std::int64_t> warm_up =
        10;                         ///< Runs that are not recorded; empty: until the times settle.
    std::int64_t repetitions = 500; ///< Recorded runs, at most.
    std::uint64_t seed = 1;         ///< Run k uses a seed derived from it and k.
    Draw draw = Draw::Uniform;
    StopCriterion stop{};
    /// Time limit for the runs of a series in this process; after it no batch is started.
    std::optional<std::chrono::duration<double>> time_cap{};
};
/// Canonical text, stored with each series. The stopping rule is not part of it: a series can be
/// extended, also under another rule.
std::string to_string(const Protocol& protocol);

/// Seed of run k, the same on every platform.
std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run);

/// Why a series ended.
enum class Ending {
    Enough,      ///< A stopping rule based on the times is satisfied.
    AllRuns,     ///< All repetitions were made.
    TimeCap,     ///< The time limit is reached.
    Interrupted, ///< `progress` or `stop` ended it.
};
/// "enough", "all-runs", "time-cap" or "interrupted".
std::string_view to_string(Ending ending);

/// Whether a stopping rule found that the series has converged.
enum class Converged {
    NotTested, ///< The rule makes all requested runs, whatever their times.
    No,
    Yes,
};
/// "-", "no" or "yes".
std::string_view to_string(Converged converged);

struct Measured {
    SeriesInfo series;           ///< `runs` is the number of runs recorded now.
    std::vector<Sample> samples; ///< All samples of the series, in run order.
    Ending ending = Ending::Interrupted;
    Converged converged = Converged::NotTested;
    std::optional<WarmUp> warm_up; ///< The warm-up of this process; none if no run had to be made.

    [[nodiscard]] bool complete() const { return ending != Ending::Interrupted; }
};

/// Called after each batch with (runs done, runs wanted); returns false to stop the measurement.
using Progress = std::function<bool(std::int64_t, std::int64_t)>;

} // namespace warpbound::harness
