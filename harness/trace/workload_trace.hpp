#pragma once
/// \file
/// The operations of one run of a workload, as a Chrome trace with tracks of streams and engines,
/// or as CSV.

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

/// One line per operation: its name, operation type and stream, and the cycles of `OperationTimes`.
std::string csv_of(const TracedWorkload& workload);

/// In the Trace Event Format: one track per stream with the waiting and running times of each
/// operation, one track with asynchronous slices for launches in the execution queue, and one track
/// per copy direction. One core cycle is written as one microsecond.
std::string chrome_trace_of(const TracedWorkload& workload);

} // namespace warpbound::harness::trace
