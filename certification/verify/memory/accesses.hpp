#pragma once
/// \file
/// All accesses of a launch through the caches, line by line, from the patterns of their addresses
/// (step S22 of docs/theory).

#include "certification/verify/interference/demand.hpp"
#include "certification/verify/memory/memory_layout.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// A line that one execution of a load or store by a warp accesses.
struct LineAccess {
    std::int64_t execution = 0; ///< Numbered over the launch.
    std::int64_t warp = 0;      ///< Of the launch.
    std::size_t instruction = 0;
    bool is_load = true;
    bool is_certain = false;   ///< Every run has this execution.
    bool is_last = false;      ///< Of its execution.
    std::uint64_t address = 0; ///< Of the line.
    std::uint64_t sectors = 0; ///< By bits; at least one.
};

/// As many executions as loop bounds allow, of every warp with all its lanes: warp by warp, and of
/// a warp instruction by instruction. Side: upper. Throws `Finding` where patterns do not give all
/// addresses: lanes may diverge, an access has no pattern, or there are over 2^16 executions.
std::vector<LineAccess> list_accesses(const TimedCode& code, const MemoryLayout& layout);

} // namespace warpbound::certification::verify
