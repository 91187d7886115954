#pragma once
/// \file
/// Runs of a user's kernel held against the bounds of its launch.

#include "harness/campaign/campaign.hpp"
#include "models/bounds.hpp"
#include "models/launch/launch_identity.hpp"
#include "models/time/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// The bound of the launch, as `bound` gives it.
struct KernelBound {
    models::Bounds<models::Cycles> cycles;
    std::string machine;
    std::size_t assumptions = 0; ///< Their number: `bound` lists them.
    models::LaunchIdentity launched;
};

/// A clock range with what it rests on.
struct ClockOfRuns {
    models::ClockRange range;
    std::string source;
};
/// The stated range; else the lowest to the highest clock that was read beside the runs, those of
/// the clock register widened by a hundredth, which is their error. None: no clock was read.
std::optional<ClockOfRuns> clock_of_runs(const std::string& stated,
                                         const std::vector<harness::RecordedConditions>& recorded);

/// What a time between events contains beside the kernel. `Unit:` ns.
struct EventError {
    std::int64_t launch = 0;     ///< The longest launch of a kernel that does nothing.
    std::int64_t resolution = 0; ///< Of both events together.
};
/// `Source:` CUDA Driver API, cuEventElapsedTime: a resolution of about half a microsecond.
inline constexpr std::int64_t event_resolution = 1'000;

/// How runs stand to the bounds. A time between events is that of the kernel and at most `error`
/// more: one above the upper bound by less decides nothing.
struct BoundCheck {
    std::string unit; ///< "ns" or "cycles", of all numbers here.
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    EventError error;
    std::string clock; ///< Empty: times are in cycles.
    std::int64_t inside = 0;
    std::int64_t below = 0;
    std::int64_t above = 0;
    std::int64_t undecided = 0;
    /// The first run that is below or above.
    std::optional<harness::Sample> outside;
    std::vector<std::string> not_compared; ///< What the series or the bound does not say.

    [[nodiscard]] bool is_violated() const { return below + above > 0; }
};

/// Runs without the times of this kernel are left out.
void hold_against(BoundCheck& check, const std::vector<harness::Sample>& samples);

/// Of times in ns. Refuses runs of another launch than that of the bound.
Result<BoundCheck> check_of(const KernelBound& bound, const harness::SeriesKey& key,
                            const ClockOfRuns& clock, const EventError& error,
                            const std::vector<harness::Sample>& samples);
/// Of times in cycles.
Result<BoundCheck> check_of(const KernelBound& bound, const harness::SeriesKey& key,
                            const std::vector<harness::Sample>& samples);

} // namespace warpbound::cli
