#pragma once
/// \file
/// Recorded traces as launches that can be run.

#include "cli/program/command.hpp"
#include "harness/trace/recorded_trace.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace warpbound::cli {

/// The kernels of a trace file or list, in the order in which they were launched.
struct TraceList {
    std::vector<std::filesystem::path> traces;
    std::int64_t copies = 0; ///< To the device.
    std::uint64_t bytes = 0; ///< Of all of them.
};
/// Refuses what the reader of lists refuses, and compressed traces.
Result<TraceList> list_traces(const std::string& file);

/// A trace and the listing that it follows.
struct RecordedRun {
    std::unique_ptr<LoadedKernel> kernel;
    std::unique_ptr<harness::trace::RecordedTrace> trace;

    /// Points into this.
    [[nodiscard]] harness::Kernel launched() const {
        return {kernel->function, &kernel->graph, &trace->facts(), trace->launch(), trace.get()};
    }
};
/// Refuses what the readers refuse, a kernel that the listing does not have, one of another
/// generation than the machine's, and an empty `listing`.
Result<RecordedRun> load_recorded_run(const std::filesystem::path& trace,
                                      const std::string& listing,
                                      const models::Architecture& architecture);

/// Assumptions about the memory accesses of a recorded launch: where the description lacks values
/// that they need, and of queueing delay that a bound may not contain.
std::vector<std::string> assumptions_of(const assembly::Function& function,
                                        const harness::RecordedLaunch& launch,
                                        const models::Architecture& architecture);

} // namespace warpbound::cli
