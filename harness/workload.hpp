#pragma once
/// \file
/// A workload of loaded kernels, and the observation of one run.

#include "harness/device.hpp"
#include "models/launch/workload.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness {

/// Operations refer to kernels by index. A kernel may be launched many times.
struct Workload {
    std::vector<Kernel> kernels;
    std::vector<models::HostOperation> operations;
};

/// The times of an operation. `Unit:` core cycles from the start of the workload.
struct OperationTimes {
    std::int64_t issued = 0;
    std::int64_t queued = 0;  ///< Time of entry into the queue of its engine (C33).
    std::int64_t started = 0; ///< The first block may issue, or the copy begins.
    /// Launches: the last block was dispatched and the launch left the queue (C34).
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
