#pragma once
/// \file
/// S_WAITCNT and its relatives: how many memory operations of a wavefront may still be outstanding.

#include "assembly/amd/processor.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::assembly::amd {

/// The wavefront waits until each counter that is present is at most its value.
///
/// | counter | counts | order of return |
/// |---|---|---|
/// | `vector` (vmcnt) | vector memory loads; stores too before gfx10 | loads in order |
/// | `scalar_and_lds` (lgkmcnt) | LDS, GDS, scalar loads, messages | LDS in order, scalar loads out
/// of order: with one of them outstanding only 0 says anything |
/// | `export_` (expcnt) | exports | in order |
/// | `store` (vscnt) | vector memory stores from gfx10 on | in order |
///
/// FLAT accesses count in `vector` and in `scalar_and_lds`, and return out of order with both.
/// Source: LLVM, AMDGPUUsage, "Memory Model"; SIInsertWaitcnts (which counters are in order).
struct WaitCounts {
    std::optional<int> vector;
    std::optional<int> scalar_and_lds;
    std::optional<int> export_;
    std::optional<int> store;

    friend bool operator==(const WaitCounts&, const WaitCounts&) = default;
};

/// Of the 16 bits of S_WAITCNT. A counter at its largest value is absent: nothing waits for it.
WaitCounts decode_wait(WaitLayout layout, std::uint16_t bits);

/// "vmcnt(0) lgkmcnt(1)"; "none" where nothing is waited for.
std::string to_string(const WaitCounts& counts);

} // namespace warpbound::assembly::amd
