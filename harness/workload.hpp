#pragma once
/// \file
/// A workload of kernels that are loaded, and what a run of it shows.

#include "harness/device.hpp"
#include "models/launch/workload.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness {

/// Operations name kernels by their place. A kernel may be launched many times.
struct Workload {
    std::vector<Kernel> kernels;
    std::vector<models::HostOperation> operations;
};

/// What an operation went through. `Unit:` core cycles from the start of the workload.
struct OperationTimes {
    std::int64_t issued = 0;
    std::int64_t queued = 0;  ///< Entered the queue of its engine (C33).
    std::int64_t started = 0; ///< Its first block may issue, or the copy begins.
    /// Of a launch: its last block was handed out; it left the queue (C34).
    std::int64_t dispatched = 0;
    std::int64_t ended = 0; ///< Completion (C2), or the end of the copy.

    friend bool operator==(const OperationTimes&, const OperationTimes&) = default;
};

/// One run of a workload.
struct WorkloadObservation {
    std::uint64_t seed = 0;
    std::int64_t makespan = 0;              ///< End of the last operation.
    std::vector<OperationTimes> operations; ///< In the order of the workload.

    friend bool operator==(const WorkloadObservation&, const WorkloadObservation&) = default;
};

} // namespace warpbound::harness
