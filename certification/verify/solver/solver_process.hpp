#pragma once
/// \file
/// A solver run as a process of its own, without a shell, under limits.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// What a solver may use. The process is killed at the first two limits; at the third it gets no
/// more memory.
struct SolverLimits {
    std::chrono::milliseconds time{60'000};
    std::size_t output_bytes = std::size_t{1} << 20U;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
};

/// What the program writes to its standard output when `input` is its standard input; none when it
/// cannot be started, exceeds a limit, is ended by a signal or exits with another code than 0.
std::optional<std::string> output_of(const std::string& program,
                                     const std::vector<std::string>& arguments,
                                     const std::string& input, const SolverLimits& limits);

} // namespace warpbound::certification::verify
