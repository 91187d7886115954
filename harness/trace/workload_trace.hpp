#pragma once
/// \file
/// The operations of one run of a workload, as tracks of streams and engines or as lines.

#include "harness/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::trace {

/// Times of a run with the names of its operations and streams.
struct TracedWorkload {
    std::string_view name; ///< Of the workload.
    std::string_view machine;
    const std::vector<models::HostOperation>& operations;
    const std::vector<std::string>& streams;
    const std::vector<OperationTimes>& times; ///< By operation.
};

/// One line per operation: its name, kind and stream, and the cycles of `OperationTimes`.
std::string csv_of(const TracedWorkload& workload);

/// In the Trace Event Format: one track per stream with what each operation waited for and when it
/// ran, one with asynchronous slices for launches in the execution queue, one per direction of
/// copies. One core cycle is written as one microsecond.
std::string chrome_trace_of(const TracedWorkload& workload);

} // namespace warpbound::harness::trace
