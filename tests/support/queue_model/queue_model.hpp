#pragma once
/// \file
/// A device that obeys the rules of Amert et al. (RTSS 2017), or all but one: queues of streams,
/// execution and copy queues, SMs. Written from the rules, without the code that judges them.

#include "models/launch/workload.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::tests {

/// The rule that is broken.
enum class Fault {
    None,
    StreamTakesNewestFirst,       ///< G1
    ExecutionQueueTakesLast,      ///< G2
    KernelHoldsQueueUntilItsEnd,  ///< G3
    KernelLeavesStreamDispatched, ///< G4
    BlocksOfAllKernels,           ///< X1
    TooManyBlocks,                ///< R1
    TooManyThreads,               ///< R2
    TooMuchSharedMemory,          ///< R3
    CopyQueueTakesLast,           ///< C1
    TwoCopiesAtOnce,              ///< C2
    EngineIdles,                  ///< C3
    CopyLeavesStreamAtOnce,       ///< C4
    NullStreamDoesNotWait,        ///< N1
    NobodyWaitsForNullStream,     ///< N2
    OnePriority,                  ///< A1
    PriorityOnlyBetweenKernels,   ///< A2
    BlocksAreInterrupted,         ///< Q3
    CopiesWaitForKernels,         ///< Q5
    DeviceIdles,                  ///< Q7
};

struct ModelledOperation {
    models::HostOperationKind kind = models::HostOperationKind::Launch;
    std::optional<std::size_t> stream{}; ///< None: the NULL stream.
    int priority = 0;                    ///< Smaller is more urgent.
    std::int64_t call = 0;
    std::int64_t blocks = 1;
    std::int64_t threads = 32;
    std::int64_t shared_memory = 0;
    std::int64_t length = 1; ///< Of a block, or of the copy.

    [[nodiscard]] bool is_launch() const { return kind == models::HostOperationKind::Launch; }
};

struct ModelledDevice {
    std::int64_t multiprocessors = 2;
    std::int64_t threads = 1024; ///< Of an SM, like the next two.
    std::int64_t blocks = 16;
    std::int64_t shared_memory = 65536;
    int copy_engines = 2;
    std::int64_t idle = 0; ///< How long a faulty engine or device idles.
    Fault fault = Fault::None;
};

struct ModelledBlock {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t multiprocessor = 0;
};

struct ModelledTimes {
    std::int64_t head = 0; ///< Entered the queue of its engine.
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::vector<ModelledBlock> blocks;
};

/// Executes the operations, which stand in the order of their calls, to the end. Requires: every
/// block fits on an SM.
std::vector<ModelledTimes> play(const ModelledDevice& device,
                                const std::vector<ModelledOperation>& operations);

} // namespace warpbound::tests
