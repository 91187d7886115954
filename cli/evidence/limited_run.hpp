#pragma once
/// \file
/// Work in a process of its own under limits of time and memory, so that no input can take more.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpbound::cli {

struct RunLimits {
    std::chrono::milliseconds time{0};
    std::uint64_t memory_bytes = 0;
};

/// How the work ended.
struct RunEnd {
    enum class Cause {
        Finished,
        TimeLimit,
        MemoryLimit,
        Interrupted, ///< By Ctrl-C.
        Stopped,     ///< By a signal or an exception.
    };
    Cause cause = Cause::Finished;
    std::string detail; ///< Of `Stopped`: by what.
};

/// Passes a message from the work to whoever waits for it.
using Send = std::function<void(std::string_view)>;

/// Runs `work` in a child process; `receive` gets its messages, in order, in this one. The child
/// and what it started are killed at the limit of time. At the limit of memory it ends itself,
/// whatever failed to get more: an allocation, a thread, a library that crashes, the stack.
/// The first Ctrl-C kills it, the second ends this process. Messages sent before that arrive.
/// Requires: no other threads.
RunEnd run_limited(const RunLimits& limits, const std::function<void(const Send&)>& work,
                   const std::function<void(std::string)>& receive);

} // namespace warpbound::cli
