#pragma once
/// \file
/// The store of measurements: every sample in run order, in one SQLite file that survives a killed
/// process.

#include "assembly/support/result.hpp"
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

/// What was run, so that the same command finds it again. Two series are the same when all fields
/// are equal.
struct SeriesKey {
    std::string name;          ///< Benchmark point or kernel.
    std::string device;        ///< "simulated:fermi-gtx470"
    std::string device_detail; ///< Architecture digest, policy, driver.
    std::string protocol;      ///< Canonical text of the protocol: warm-up, draw, first seed.
    std::string kernel_digest;
    std::string facts_digest;
    std::string launch;   ///< "1x32"
    std::string quantity; ///< As `to_string(Quantity)`.

    friend bool operator==(const SeriesKey&, const SeriesKey&) = default;
};

/// One run: the seed and the numbers that `times_of` takes for the quantity of the series. `Unit:`
/// `unit_of` the quantity.
struct Sample {
    std::int64_t run = 0; ///< Index within the series, from 0.
    std::uint64_t seed = 0;
    std::vector<std::int64_t> times; ///< Empty where the remark says that there are none.
    Remark remark{};

    friend bool operator==(const Sample&, const Sample&) = default;
};

/// What cannot be true of one run: times that its trouble excludes or lacks, a remark without
/// trouble. Empty: nothing.
std::string contradiction_in(const Sample& sample);

/// Which runs somebody takes, and how they are called where others are refused.
struct TakenRuns {
    bool (*takes)(RunAnomaly) = nullptr;
    std::string_view name;
};
/// Whose times are observations of their kernel.
inline constexpr TakenRuns counted_runs{counts, "runs that ended with times of this kernel"};
/// For those who take no doubtful run.
inline constexpr TakenRuns untroubled_runs{
    [](RunAnomaly anomaly) { return anomaly == RunAnomaly::None; }, "runs without trouble"};

/// Refuses a series with a run that is not taken, naming the first one.
Result<void> check_anomalies(const SeriesKey& key, const std::vector<Sample>& samples,
                             const TakenRuns& taken);

struct SeriesInfo {
    std::int64_t id = 0;
    SeriesKey key;
    std::int64_t runs = 0;
};

/// An open campaign. What `append` reported as recorded survives the end of the process at any
/// moment. Several processes may use one campaign at once: each call waits up to 30 s for the
/// others. A run of a series is recorded once, by the process that is first; the other is refused.
class Campaign {
public:
    /// Opens or makes the file, for writing. Refuses a name that is no file's, a file or folder
    /// that is write-protected, and a file that is no campaign, is damaged, or has another schema
    /// version.
    static Result<std::unique_ptr<Campaign>> open(const std::filesystem::path& file);
    /// As `open`, but refuses a file that does not exist and may be used for reading only. Undoes
    /// what a killed writer left unfinished; refuses the file where that is not possible.
    static Result<std::unique_ptr<Campaign>> open_existing(const std::filesystem::path& file);
    Campaign(const Campaign&) = delete;
    Campaign& operator=(const Campaign&) = delete;
    virtual ~Campaign() = default;

    /// Finds the series or makes it.
    virtual Result<SeriesInfo> series(const SeriesKey& key) = 0;
    /// Adds samples in one transaction; `samples[0].run` must be the number of runs recorded so
    /// far, or another process recorded the series meanwhile and the samples are refused, as are
    /// those with a `contradiction_in` them. On failure (full disk, for one) nothing of it is
    /// recorded and everything before it still is.
    /// The cost does not depend on how many runs there are.
    virtual Result<void> append(std::int64_t series, const std::vector<Sample>& samples) = 0;
    /// Calls `work`; what it records is recorded whole, when it succeeds, or not at all.
    virtual Result<void> together(const std::function<Result<void>()>& work) = 0;
    /// Keeps what is so while the runs from `first_run` on are recorded; takes the place of what
    /// was kept of the same run. Refused once that run is recorded: it was made under others.
    virtual Result<void> note_conditions(std::int64_t series, std::int64_t first_run,
                                         const Conditions& conditions) = 0;
    /// In order of the first runs.
    virtual Result<std::vector<RecordedConditions>> conditions(std::int64_t series) = 0;
    virtual Result<std::vector<SeriesInfo>> list() = 0;
    /// In run order.
    virtual Result<std::vector<Sample>> samples(std::int64_t series) = 0;

protected:
    Campaign() = default;
};

} // namespace warpbound::harness
