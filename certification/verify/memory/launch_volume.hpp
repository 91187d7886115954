#pragma once
/// \file
/// What a launch asks of the memory system: how often each kind of S21 (a) is served, and how much
/// of it can be in flight at one time.

#include "certification/verify/memory/footprint.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// Of all warps, unless said otherwise. Side: upper.
struct LaunchVolume {
    std::int64_t warps = 1;
    std::int64_t multiprocessors = 1;
    std::int64_t loads_of_path = 0;   ///< Those that the critical path traverses.
    std::int64_t lines = 0;           ///< Line accesses of loads.
    std::int64_t transactions = 0;    ///< Of these, those that leave an L1.
    std::int64_t stored_lines = 0;    ///< Line accesses of stores: each is a transaction.
    std::int64_t fetches = 0;         ///< Transfers of DRAM for loads.
    std::int64_t fetched_sectors = 0; ///< In these transfers.
    std::int64_t writes = 0;          ///< Transfers of DRAM for stores.
    std::int64_t loads_in_flight = 0; ///< At one time.
    std::int64_t lines_in_flight = 0; ///< Of loads, at one time.
};

LaunchVolume launch_volume(const TimedCode& code, const Footprint& footprint);

/// A load of the code through the caches. Sides: upper, unless named `least`.
struct CodeLoad {
    std::int64_t lines = 1;              ///< Of an execution.
    std::int64_t least_lines_listed = 0; ///< Of an execution in the list of accesses; 0: none is.
    std::int64_t apart = 0;              ///< Cycles between the arrivals of successive lines.
    std::int64_t port = 0;               ///< For how long a line holds the port of the load (S22d).
    bool leaves_port_in_time = true;     ///< S22d: before it can be over.
    bool brings_last_line = false;       ///< S22, lemma 4: nothing else brings its last line.

    /// From the arrival of its first line to that of its last one.
    [[nodiscard]] std::int64_t arrival() const;
};

std::vector<CodeLoad> loads_of_code(const TimedCode& code, const MemoryLayout& layout,
                                    const Footprint& footprint);

} // namespace warpbound::certification::verify
