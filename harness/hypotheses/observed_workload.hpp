#pragma once
/// \file
/// What one run of a workload showed of its scheduling: calls of the host, begin and end of copies
/// and blocks, and the SMs on which blocks ran.

#include "models/launch/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::hypotheses {

enum class TimeUnit { Cycles, Nanoseconds };
/// "cycles" or "ns".
std::string_view to_string(TimeUnit unit);

/// An instant that lies between two observed ones, both included.
struct TimeRange {
    std::int64_t earliest = 0;
    std::int64_t latest = 0;

    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// From its assignment to an SM (or its first instruction, where that is observed) to its end.
struct ObservedBlock {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t multiprocessor = 0;
    /// The longest time between two steps of the block; none: not recorded.
    std::optional<std::int64_t> longest_gap{};

    friend bool operator==(const ObservedBlock&, const ObservedBlock&) = default;
};

/// A launch or a copy.
struct ObservedOperation {
    models::HostOperationKind kind = models::HostOperationKind::Launch;
    std::string name{};
    std::optional<std::size_t> stream{}; ///< None: the NULL stream.
    int priority = 0;                    ///< Of the stream; smaller is more urgent, as in CUDA.
    std::string partition{};             ///< Empty: the whole device.
    TimeRange issued{};                  ///< The call of the host.
    TimeRange begin{};                   ///< Of the first block, or of the copy.
    TimeRange end{};                     ///< Of the last block, or of the copy.
    std::vector<ObservedBlock> blocks{}; ///< Of a launch, by number; not empty.
    std::int64_t dispatched = 0;         ///< Of a launch: when its last block began.
    std::int64_t threads = 0;            ///< Of a block.
    std::optional<std::int64_t> shared_memory{}; ///< Of a block. `Unit:` bytes. None: unknown.
    std::optional<std::int64_t> registers{};     ///< Of a thread. None: unknown.

    [[nodiscard]] bool is_launch() const { return kind == models::HostOperationKind::Launch; }
    friend bool operator==(const ObservedOperation&, const ObservedOperation&) = default;
};

/// Resources of an SM; none: unknown.
struct MultiprocessorLimits {
    std::optional<std::int64_t> multiprocessors{};
    std::optional<std::int64_t> threads{};
    std::optional<std::int64_t> blocks{};
    std::optional<std::int64_t> registers{};
    std::optional<std::int64_t> shared_memory{};  ///< `Unit:` bytes.
    std::optional<std::int64_t> device_threads{}; ///< Threads of all SMs together.

    friend bool operator==(const MultiprocessorLimits&, const MultiprocessorLimits&) = default;
};

/// One run. All times count from one instant, in one unit.
struct ObservedWorkload {
    std::string experiment{};
    TimeUnit unit = TimeUnit::Cycles;
    /// Two times that differ by no more than this are not ordered.
    std::int64_t resolution = 0;
    /// How long an operation that may begin may take to begin, when nothing else delays it.
    std::int64_t latency = 0;
    /// A block that makes no step for longer than this was interrupted; none: not known.
    std::optional<std::int64_t> interruption{};
    MultiprocessorLimits limits{};
    std::optional<int> copy_engines{}; ///< 1: both directions share one. None: unknown.
    /// The host made each call after the one before had returned, in the order of the operations.
    bool calls_in_order = false;
    std::vector<ObservedOperation> operations{}; ///< By the begin of their calls.

    friend bool operator==(const ObservedWorkload&, const ObservedWorkload&) = default;
};

/// Orders operations by their calls, where these are not in order, and sets `begin`, `dispatched`
/// and `end` of launches from their blocks. Refuses a launch without blocks, a block, range or call
/// that ends before it begins, and negative demands.
Result<void> complete(ObservedWorkload& workload);

} // namespace warpbound::harness::hypotheses
