#pragma once
/// \file
/// Summary of the executed instructions of a warp: mix, dependence distances, memory accesses.

#include "models/kernel/kernel_profile.hpp"

#include <array>
#include <string>

namespace warpbound::models {

/// Executions of one class. `Unit:` instructions.
struct ClassCount {
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Nop;
    std::int64_t count = 0;
};

/// Accesses of one class that take the same passes at the same level.
struct AccessCount {
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Nop;
    std::optional<CountRange> passes; ///< None: not stated.
    MemoryLevel level = MemoryLevel::Any;
    std::int64_t bytes_per_lane = 0;
    std::int64_t count = 0;
};

/// Ranges of the distance to the nearest producer of an instruction, in steps.
inline constexpr std::array distance_ranges{"none", "1", "2", "3-4", "5-8", "9-16", "more"};

struct ProfileSummary {
    std::vector<ClassCount> mix; ///< Classes that occur, in the order of `OpcodeClass`.
    /// `Shape:` distances[range], instructions by `distance_ranges`.
    std::array<std::int64_t, distance_ranges.size()> distances{};
    std::vector<AccessCount> accesses; ///< In the order of the kinds of steps.
};

ProfileSummary summary_of(const Steps& steps);

/// "1", "1..4" or "not stated".
std::string to_string(const std::optional<CountRange>& passes);

} // namespace warpbound::models
