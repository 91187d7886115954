#include "harness/run_anomaly.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::harness {

namespace {

constexpr auto anomaly_words = std::to_array<std::pair<RunAnomaly, std::string_view>>({
    {RunAnomaly::None, "none"},
    {RunAnomaly::Throttled, "throttled"},
    {RunAnomaly::Sequence, "sequence"},
    {RunAnomaly::Clock, "clock"},
    {RunAnomaly::TimeOut, "time-out"},
    {RunAnomaly::LaunchFailure, "launch-failure"},
    {RunAnomaly::DeviceLost, "device-lost"},
    {RunAnomaly::Output, "output"},
    {RunAnomaly::CoRunner, "co-runner"},
});

} // namespace

std::string_view to_string(RunAnomaly anomaly) {
    return anomaly_words[static_cast<std::size_t>(anomaly)].second;
}

std::optional<RunAnomaly> parse_anomaly(std::string_view word) {
    const auto* const found = std::find_if(anomaly_words.begin(), anomaly_words.end(),
                                           [&](const auto& known) { return known.second == word; });
    if (found == anomaly_words.end()) return std::nullopt;
    return found->first;
}

bool gives_times(RunAnomaly anomaly) {
    return anomaly == RunAnomaly::None || anomaly == RunAnomaly::Throttled ||
           anomaly == RunAnomaly::Sequence || anomaly == RunAnomaly::Output ||
           anomaly == RunAnomaly::CoRunner;
}

bool counts(RunAnomaly anomaly) {
    return anomaly == RunAnomaly::None || anomaly == RunAnomaly::Throttled;
}

} // namespace warpbound::harness
