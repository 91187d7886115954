#pragma once
/// \file
/// Operands that an instruction writes, and the number of registers of each operand.

#include "assembly/isa/operand_width.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/isa/target.hpp"

#include <cstddef>

namespace warpbound::assembly {

/// Operands that are written, without source predicates and store data.
Destinations destinations_of(const Instruction& instruction);

/// Width of the number register at `position`. `ordinal` is its position when destination
/// predicates are not counted.
Width width_of(const Instruction& instruction, std::size_t position, std::size_t ordinal,
               Target target);

/// Bytes that a memory instruction moves per lane.
int bytes_per_lane(const Instruction& instruction);

bool is_predicate(const Operand& operand);
/// A general or a uniform register.
bool is_number_register(const Operand& operand);

/// Whether it is a block barrier at which all threads wait: no BAR.ARV, and no thread count beside
/// its number. The predicate that BAR.RED combines does not count.
bool waits_for_whole_block(const Instruction& instruction);

} // namespace warpbound::assembly
