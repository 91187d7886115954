#pragma once
/// \file
/// What can happen to a run beside taking its time.

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

/// What makes the times of a run doubtful, or kept it from giving any.
enum class RunAnomaly {
    None,
    Throttled,     ///< The device lowered its clock: the cycles are those of the kernel.
    Sequence,      ///< Another code ran than was meant: the times are those of another kernel.
    Clock,         ///< The clock register gave values that no run can have: no times.
    TimeOut,       ///< It did not end in time: no times.
    LaunchFailure, ///< It was not started, or ended with an error: no times.
    DeviceLost,    ///< No further run is possible: no times.
};
/// "none", "throttled", "sequence", "clock", "time-out", "launch-failure", "device-lost".
std::string_view to_string(RunAnomaly anomaly);
/// Nothing for another word.
std::optional<RunAnomaly> parse_anomaly(std::string_view word);

/// Whether a run with it has times.
bool gives_times(RunAnomaly anomaly);
/// Whether its times are an observation of the kernel that was meant.
bool counts(RunAnomaly anomaly);

/// What a device says beside the times of a run. `text`: the cause, for people.
struct Remark {
    RunAnomaly anomaly = RunAnomaly::None;
    std::string text;

    friend bool operator==(const Remark&, const Remark&) = default;
};

} // namespace warpbound::harness
