#pragma once
/// \file
/// The store of measurements: every sample in run order, in one SQLite file that survives a killed
/// process.

#include "assembly/support/result.hpp"
#include "harness/campaign/series.hpp"
#include "harness/device.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// Why a sample is inconsistent: times that its anomaly excludes, missing times, or a remark
/// without an anomaly. Empty: consistent.
std::string contradiction_in(const Sample& sample);

/// The runs that a consumer accepts, and their name in refusals of others.
struct AcceptedRuns {
    bool (*accepts)(RunAnomaly) = nullptr;
    std::string_view name;
};
/// Runs whose times are observations of the intended kernel.
inline constexpr AcceptedRuns counted_runs{counts, "runs that ended with times of this kernel"};
/// For consumers that accept no doubtful run.
inline constexpr AcceptedRuns runs_without_anomaly{
    [](RunAnomaly anomaly) { return anomaly == RunAnomaly::None; }, "runs without an anomaly"};

/// Refuses a series with a run that is not accepted, naming the first one.
Result<void> check_anomalies(const SeriesKey& key, const std::vector<Sample>& samples,
                             const AcceptedRuns& accepted);

struct SeriesInfo {
    std::int64_t id = 0;
    SeriesKey key;
    std::int64_t runs = 0;
};

/// An open campaign. What `append` reported as recorded survives a kill of the process at any
/// moment. Several processes may use one campaign concurrently: each call waits up to 30 s for the
/// others. A run of a series is recorded once, by the first process; later attempts are refused.
class Campaign {
public:
    /// Opens or creates the file for writing. Refuses a name that is not a file name, a
    /// write-protected file or folder, and a file that is not a campaign, is damaged, or has
    /// another schema version.
    static Result<std::unique_ptr<Campaign>> open(const std::filesystem::path& file);
    /// As `open`, but for reading only; refuses a file that does not exist. Rolls back the
    /// unfinished transaction of a killed writer; refuses the file if that is not possible.
    static Result<std::unique_ptr<Campaign>> open_existing(const std::filesystem::path& file);
    Campaign(const Campaign&) = delete;
    Campaign& operator=(const Campaign&) = delete;
    virtual ~Campaign() = default;

    /// Finds the series or creates it.
    virtual Result<SeriesInfo> series(const SeriesKey& key) = 0;
    /// Adds samples in one transaction; `samples[0].run` must be the number of runs recorded so
    /// far; else another process has recorded the series meanwhile and the samples are refused.
    /// Samples with a `contradiction_in` them are refused too. On failure (for example a full disk)
    /// none of the samples is recorded, and earlier records stay. The cost does not depend on the
    /// number of runs.
    virtual Result<void> append(std::int64_t series, const std::vector<Sample>& samples) = 0;
    /// Calls `work` in one transaction: its records are committed if it succeeds, else none of
    /// them.
    virtual Result<void> in_one_transaction(const std::function<Result<void>()>& work) = 0;
    /// Stores the conditions under which the runs from `first_run` on are made; replaces conditions
    /// stored for the same run. Refused once that run is recorded.
    virtual Result<void> note_conditions(std::int64_t series, std::int64_t first_run,
                                         const Conditions& conditions) = 0;
    /// Sorted by first run.
    /// Refused if they or the key do not agree with their digest.
    virtual Result<std::vector<RecordedConditions>> conditions(std::int64_t series) = 0;
    /// Refused if a key or conditions do not agree with their digest.
    virtual Result<std::vector<SeriesInfo>> list() = 0;
    /// In run order. Refused if they or the key do not agree with their digest.
    virtual Result<std::vector<Sample>> samples(std::int64_t series) = 0;

protected:
    Campaign() = default;
};

} // namespace warpbound::harness
