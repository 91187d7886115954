#pragma once
/// \file
/// Runs the program on hostile input under limits of time and memory, without a shell.

#include "tests/support/temporary_folder.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::tests {

/// What no input may make the program exceed.
struct Limits {
    /// Of the processor, for each of two threads; six times as long by the clock.
    std::chrono::duration<double> time{10};
    std::int64_t bytes = std::int64_t{1} << 30U; ///< Of resident memory.
    /// When SIGINT is sent, as by Ctrl-C, to a program that handles it by then; none: never.
    std::optional<std::chrono::duration<double>> interrupt_after{};
};

/// How a run ended. The program is killed at a limit of time, and cannot map more than four times
/// the limit of memory (threads and libraries map more than they use).
struct Outcome {
    int exit_code = -1; ///< -1 when a signal ended it.
    int signal = 0;     ///< 0 when it exited.
    bool timed_out = false;
    bool over_memory = false;
    std::string out;
    std::string err;
    double seconds = 0;
    double processor_seconds = 0;    ///< Of all its threads.
    std::int64_t resident_bytes = 0; ///< At most at any time.
};

/// Variables of the environment that a run sees instead of those of the test program.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs `warpbound` with these arguments in the current folder, and waits until it has ended.
/// Processes that it started are killed with it. Throws `std::runtime_error` when it cannot be
/// started.
Outcome run_warpbound(const std::vector<std::string>& arguments,
                      const Environment& environment = {}, std::string_view input = {},
                      const Limits& limits = {});

/// Why an outcome is none that a hostile input may have: a signal, a limit, or no message. Empty:
/// nothing of the kind.
std::string misbehaviour_of(const Outcome& outcome);

/// A folder of files for one test; removed at its end.
class Folder {
public:
    /// Writes a file, with the folders that its name needs, and returns its path.
    std::string write(const std::string& name, std::string_view text) const;
    [[nodiscard]] std::string path(const std::string& name = {}) const;

private:
    TemporaryFolder folder_;
};

} // namespace warpbound::tests
