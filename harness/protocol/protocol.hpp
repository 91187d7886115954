#pragma once
/// \file
/// How a series is measured, and what came of it.

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
    std::optional<std::int64_t> warm_up = 10; ///< Runs not recorded; nothing: until settled.
    std::int64_t repetitions = 500;           ///< Recorded runs, at most.
    std::uint64_t seed = 1;                   ///< Run k uses a seed derived from it and k.
    Draw draw = Draw::Uniform;
    StopCriterion stop{};
    /// Time for the runs of a series in this process, after which no batch is begun.
    std::optional<std::chrono::duration<double>> time_cap{};
};
/// Canonical text, stored with each series. When it ends is not part of it: a series can grow, also
/// under another rule.
std::string to_string(const Protocol& protocol);

/// Seed of run k, the same on every platform.
std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run);

/// Why a series has no more runs.
enum class Ending {
    Enough,      ///< A rule that looks at the times is content.
    AllRuns,     ///< All repetitions were made.
    TimeCap,     ///< The time is up.
    Interrupted, ///< `progress` or `stop` stopped it.
};
/// "enough", "all-runs", "time-cap" or "interrupted".
std::string_view to_string(Ending ending);

/// Whether a stopping rule found that further runs would tell nothing new.
enum class Converged {
    NotTested, ///< The rule takes all runs that were asked for, whatever they say.
    No,
    Yes,
};
/// "-", "no" or "yes".
std::string_view to_string(Converged converged);

struct Measured {
    SeriesInfo series;           ///< `runs` is what is recorded now.
    std::vector<Sample> samples; ///< All samples of the series, in run order.
    Ending ending = Ending::Interrupted;
    Converged converged = Converged::NotTested;
    std::optional<WarmUp> warm_up; ///< Of this process; none when no run was to be made.

    [[nodiscard]] bool complete() const { return ending != Ending::Interrupted; }
};

/// Called after each batch with (runs done, runs wanted); returns false to stop early.
using Progress = std::function<bool(std::int64_t, std::int64_t)>;

} // namespace warpbound::harness
