#pragma once
/// \file
/// Series of a user's kernel under one release pattern: times between events, times of the host,
/// the card's state and the outputs of every run.

#include "harness/campaign/campaign.hpp"
#include "harness/host_clock.hpp"
#include "harness/protocol/protocol.hpp"
#include "harness/protocol/release_pattern.hpp"
#include "harness/user_kernel.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

struct UserKernelProtocol {
    ReleasePattern release;
    std::int64_t warm_up = 10;            ///< Runs that are not recorded.
    std::int64_t repetitions = 500;       ///< Recorded runs.
    std::optional<std::int64_t> time_cap; ///< After it no run begins. `Unit:` ns.
    /// Buffers that every run must leave alike, as indices; the others may differ, as sums of
    /// floating-point atomics do.
    std::vector<std::size_t> checked;
};

/// What is measured, apart from how.
struct UserKernelIdentity {
    SeriesKey key;                    ///< Without protocol and quantity.
    std::string module_digest;        ///< Of the machine code.
    std::vector<std::string> buffers; ///< Names.
    std::string co_runner;            ///< Code, launch and inputs of it; empty: none.
    Conditions conditions;            ///< That hold for all runs.
};

struct UserKernelSeries {
    SeriesKey key; ///< With quantity `device_time`.
    std::vector<Sample> device;
    std::vector<Sample> host; ///< Empty where the pattern has no times of the host.
    std::vector<RecordedConditions> conditions; ///< Of each run whose state or outputs changed.
    Ending ending = Ending::Interrupted;

    /// Runs whose outputs differ from those of the first run.
    [[nodiscard]] std::int64_t wrong_outputs() const;
    /// Periods that passed without a run since the first run.
    [[nodiscard]] std::int64_t skipped() const;
};

/// Adds runs until there are `repetitions` of them. Those that the campaign already has are not
/// repeated; its first run is the one whose outputs count. `run` makes one; a failure of it is a
/// refusal. Null: without a campaign. A lost device is a failure, after what ran is recorded.
Result<UserKernelSeries>
measure_user_kernel(const std::function<Result<UserRun>(const ReleasePattern&)>& run,
                    const UserKernelIdentity& identity, const UserKernelProtocol& protocol,
                    const HostClock& clock, Campaign* campaign, const Progress& progress = {});

/// The value of a condition; null: there is none.
const std::string* find_condition(const Conditions& conditions, std::string_view name);

} // namespace warpbound::harness
