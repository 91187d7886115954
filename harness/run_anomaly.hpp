#pragma once
/// \file
/// Anomalies of a run: why its times are doubtful or missing.

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

/// An event that makes the times of a run doubtful, or prevented the run from giving times.
enum class RunAnomaly {
    None,
    Throttled, ///< The device lowered its clock: the cycles are those of the kernel.
    Sequence, ///< The executed code is not the intended one: the times are those of another kernel.
    Clock,    ///< The clock register gave values that are impossible: no times.
    TimeOut,  ///< The run did not end within the time-out: no times.
    LaunchFailure, ///< The run was not started, or ended with an error: no times.
    DeviceLost,    ///< No further run is possible: no times.
    Output,        ///< What it computed differs from what an equal run computed.
    CoRunner,      ///< The co-runner did not run all the while: the times are those beside less.
};
/// "none", "throttled", "sequence", "clock", "time-out", "launch-failure", "device-lost",
/// "output", "co-runner".
std::string_view to_string(RunAnomaly anomaly);
/// Empty for an unknown word.
std::optional<RunAnomaly> parse_anomaly(std::string_view word);

/// Whether a run with this anomaly has times.
bool gives_times(RunAnomaly anomaly);
/// Whether the times of such a run are an observation of the intended kernel.
bool counts(RunAnomaly anomaly);

/// A device's remark on a run. `text`: the cause, for the reader of a report.
struct Remark {
    RunAnomaly anomaly = RunAnomaly::None;
    std::string text;

    friend bool operator==(const Remark&, const Remark&) = default;
};

} // namespace warpbound::harness
