#pragma once
/// \file
/// Registers that an instruction reads and writes, with register groups expanded, and the memory
/// that it accesses.

#include "assembly/isa/opcode.hpp"
#include "assembly/isa/operand.hpp"
#include "assembly/isa/target.hpp"

#include <optional>
#include <vector>

namespace warpbound::assembly {

/// Memory access of an instruction.
struct MemoryEffect {
    StateSpace space = StateSpace::None;
    bool load = false;
    bool store = false;
    int bytes_per_lane = 4;
};

/// Effects of an instruction that executes. Constant registers (RZ, PT, URZ, UPT) never appear.
struct Effects {
    std::vector<Register> reads;  ///< Sorted, unique. The guard's predicate is included.
    std::vector<Register> writes; ///< Sorted, unique.
    std::optional<MemoryEffect> memory;
    bool reads_clock = false; ///< S2R or CS2R of SR_CLOCKLO, SR_CLOCK, ...
    bool exact = true; ///< False when a width is not known: `reads` and `writes` are then all
                       ///< registers that the operands name.
    bool writes_known = true; ///< Nothing outside `writes` is written. Holds where `exact` does.
};

} // namespace warpbound::assembly
