#pragma once
/// \file
/// Which operands an instruction writes, and how many registers an operand has.

#include <bit>
#include <bitset>

namespace warpbound::assembly {

/// One bit per operand position.
using OperandSet = std::bitset<32>;

/// `known` is false when the form of the instruction has no entry here; `written` is then a guess.
struct Destinations {
    OperandSet written;
    bool known = true;
};

/// Number of 32-bit registers; `known` is false when the form has no entry in the width table.
struct Width {
    int registers = 1;
    bool known = true;

    /// Groups begin at a multiple of the power of two that holds them.
    [[nodiscard]] int alignment() const {
        return static_cast<int>(std::bit_ceil(static_cast<unsigned>(registers)));
    }
};

} // namespace warpbound::assembly
