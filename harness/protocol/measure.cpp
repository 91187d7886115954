#include "harness/protocol/measure.hpp"

#include "assembly/support/stop_token.hpp"
#include "harness/protocol/series_run.hpp"

#include <algorithm>

namespace warpbound::harness {

namespace {

/// Runs between two commits. A commit costs a few disk flushes whatever its size, so a long series
/// uses larger batches; a killed process loses less than a sixteenth of the series, or 256 runs.
std::int64_t batch_runs(std::int64_t done) {
    return std::clamp<std::int64_t>(done / 16, 256, 8192);
}

/// Runs that succeeded before a failure or an exception are recorded like any other run.
Result<void> advance_and_record(SeriesRun& series, unsigned threads,
                                const std::function<bool()>& stop) {
    try {
        const auto advanced = series.advance(batch_runs(series.runs()), threads, stop);
        if (auto recorded = series.record(); !recorded) return recorded;
        return advanced;
    } catch (...) {
        // The exception is more informative than a failure to write the campaign.
        static_cast<void>(series.record());
        throw;
    }
}

} // namespace

Result<Measured> measure(const Device& device, const Kernel& kernel, const SeriesKey& key,
                         const Protocol& protocol, Quantity quantity, Campaign* campaign,
                         unsigned threads, const Progress& progress,
                         const std::function<bool()>& stop) {
    Kernel of_series = kernel;
    of_series.series = &key;
    const auto prepared = device.prepare(of_series);
    if (!prepared) return prepared.as_failure();
    auto begun =
        SeriesRun::begin(device, of_series, *prepared.value(), key, protocol, quantity, campaign);
    if (!begun) return begun.as_failure();
    SeriesRun& series = *begun.value();
    while (series.wants_more()) {
        const auto advanced = advance_and_record(series, threads, stop);
        if (!advanced) return advanced.as_failure();
        if ((progress && !progress(series.runs(), protocol.repetitions)) || (stop && stop()) ||
            stop_requested())
            break;
    }
    return series.take();
}

} // namespace warpbound::harness
