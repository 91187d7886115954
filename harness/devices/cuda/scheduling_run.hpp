#pragma once
/// \file
/// One run of an experiment on a card: its streams, events and buffers, and the calls in time.

#include "harness/devices/cuda/built_code.hpp"
#include "harness/devices/cuda/session.hpp"
#include "harness/hypotheses/observed_workload.hpp"

#include <chrono>
#include <vector>

namespace warpbound::harness::cuda {

/// What a block of `passing_time` stores.
struct BlockRecord {
    std::uint64_t begin = 0; ///< %globaltimer, like the next three. `Unit:` ns.
    std::uint64_t end = 0;
    std::uint64_t longest_gap = 0; ///< Between two reads.
    std::uint64_t least_gap = 0;   ///< Between two reads that differ.
    std::uint64_t multiprocessor = 0;
};

inline constexpr const char* passing_time_entry = "passing_time";
/// PTX of a kernel `passing_time(records, length)`: the first thread of a block reads the
/// nanosecond timer until `length` ns have passed, and stores a `BlockRecord`; the others wait.
Result<std::string> passing_time_ptx(assembly::Target target);

/// An operation as the card executes it.
struct CardOperation {
    models::HostOperationKind kind = models::HostOperationKind::Launch;
    std::string name{};
    std::optional<std::size_t> stream{};
    std::optional<int> priority{};   ///< None: that of a stream without one.
    std::chrono::nanoseconds call{}; ///< From the first one on.
    LaunchGeometry geometry{};       ///< Of a launch.
    std::uint64_t length = 0;        ///< Of its blocks. `Unit:` ns.
    std::int64_t bytes = 0;          ///< Of a copy.
    hypotheses::TimeRange duration{0,
                                   0}; ///< Of the copy, in isolation: surely between. `Unit:` ns.
};

/// Calls the operations in their order and observes them. Times are ns of the card's timer, from
/// the run's first instant on. Refuses with the driver's error.
Result<hypotheses::ObservedWorkload> run_operations(const std::shared_ptr<Session>& session,
                                                    const BuiltCode& passing_time,
                                                    const std::vector<CardOperation>& operations);

} // namespace warpbound::harness::cuda
