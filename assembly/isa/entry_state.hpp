#pragma once
/// \file
/// What the hardware puts into registers of AMD before the first instruction of a kernel, and what
/// a launch puts behind the kernel's arguments.

#include "assembly/isa/operand.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::assembly {

enum class EntryValue {
    ArgumentPointer, ///< Low half of the address of the arguments; the next register has the other.
    GroupX,          ///< Index of the work-group in the grid.
    GroupY,
    GroupZ,
    ItemX, ///< Index of the work-item in its work-group.
    ItemY,
    ItemZ,
    PackedItemX,   ///< One register with the index in x.
    PackedItemXY,  ///< Bits 9:0 and 19:10.
    PackedItemXYZ, ///< And 29:20.
};

struct EntryRegister {
    Register reg;
    EntryValue value = EntryValue::ItemX;

    friend bool operator==(const EntryRegister&, const EntryRegister&) = default;
};

/// Extents that a launch puts behind the arguments (`hidden_block_count_x`, `hidden_group_size_x`).
struct HiddenArgument {
    std::int64_t offset = 0; ///< `Unit:` bytes from the arguments' address.
    int bytes = 4;
    bool of_grid = false; ///< Work-groups of the grid, else work-items of a work-group.
    int dimension = 0;    ///< 0: x.

    friend bool operator==(const HiddenArgument&, const HiddenArgument&) = default;
};

/// Empty where nobody says.
struct EntryState {
    std::vector<EntryRegister> registers;
    std::vector<HiddenArgument> hidden;
    int lanes = 64; ///< Of a wavefront.

    friend bool operator==(const EntryState&, const EntryState&) = default;
};

} // namespace warpbound::assembly
