#pragma once
/// \file
/// `measure --module`: a user's kernel on its data, by release patterns.

#include "cli/kernel_measurement/measured_bounds.hpp"
#include "cli/kernel_measurement/measured_kernel_options.hpp"
#include "cli/program/command.hpp"
#include "harness/protocol/protocol.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// Options of `measure` that the suites have too.
struct KernelMeasurement {
    std::string device;
    std::string policy;
    std::string campaign;
    std::string report; ///< Page on the campaign; empty: none.
    std::string format;
    harness::Protocol protocol;
    std::vector<std::string> of_simulated; ///< Options given that only a simulated device has.
    std::string plan_point{}; ///< Condition `plan_point_condition` of the runs; empty: no plan.
};
inline constexpr const char* plan_point_condition = "plan-point";

/// Times of one quantity, and those of one release pattern.
struct MeasuredTimes {
    std::string quantity;
    std::vector<harness::Sample> samples;
};
struct MeasuredRelease {
    std::string release;
    harness::SeriesKey key; ///< Of the first of the times.
    std::vector<MeasuredTimes> times;
    std::vector<harness::RecordedConditions> conditions;
    std::int64_t skipped = 0;
    bool is_complete = true;
    std::optional<BoundCheck> check;
    std::string not_checked;  ///< Why no bound was compared although one was wanted.
    std::string reproduction; ///< The command that measures this again.

    [[nodiscard]] std::int64_t wrong_outputs() const;
};

/// What ran beside the measured kernel.
struct MeasuredCoRunner {
    std::string file;
    std::string kernel;
    std::string launch;
    std::string module_digest;
    std::string inputs_digest;
    std::int64_t time_alone = 0; ///< Of a launch with nothing beside it. `Unit:` ns.
};
inline constexpr const char* beside_co_runner =
    "a co-runner ran beside it, and the bounds are those of the kernel alone";

struct MeasuredKernel {
    std::string file;
    std::string kernel;
    std::string launch;
    harness::DeviceIdentity device;
    std::string module_digest;
    std::string kernel_digest; ///< Of the listing; empty: no disassembler read the code.
    std::string inputs_digest;
    std::optional<KernelBound> bound;
    std::optional<MeasuredCoRunner> co_runner;
    std::vector<MeasuredRelease> releases;
};

std::string text_of(const MeasuredKernel& measured);
/// `warpbound-measured-kernel/1`: docs/reference/json.md.
std::string json_of(const MeasuredKernel& measured);
/// A row per run.
std::string csv_of(const MeasuredKernel& measured);

/// Wrong outputs and times outside the bounds: violated. Not all runs made, or none decided:
/// undecided.
Exit exit_of(const MeasuredKernel& measured);

/// The page on the campaign of the measurement, with the runs beside their bounds.
/// Requires: a program with the analyzer, and that both files are stated.
Exit write_kernel_page(const MeasuredKernel& measured, const KernelMeasurement& measurement);

/// Measures and records; prints nothing. Refuses options that the device does not have.
Result<MeasuredKernel> measured_kernel(const MeasuredKernelOptions& options,
                                       const KernelMeasurement& measurement);

Exit measure_kernel(const MeasuredKernelOptions& options, const KernelMeasurement& measurement);

} // namespace warpbound::cli
