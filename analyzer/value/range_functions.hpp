#pragma once
/// \file
/// Functions of one or two ranges beside sums and products: absolute values, counts and positions
/// of bits, bytes, extremes, quotients, and what a load of less than a word may give (S70, S71).

#include "analyzer/value/value_range.hpp"
#include "assembly/isa/program.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// IABS, as an unsigned number: of -2^31 it is 2^31.
ValueRange absolute(const ValueRange& number);
/// POPC.
ValueRange count_of_ones(const ValueRange& number);
/// FLO.U32: the position of the highest bit that is 1, -1 for zero. `from_above`: FLO.U32.SH, the
/// number of zeros before it.
ValueRange highest_one(const ValueRange& number, bool from_above);
/// PRMT: the byte that each digit of `selector` chooses of `a` (0 to 3) and `b` (4 to 7), from 8 on
/// its sign.
ValueRange permuted_bytes(const ValueRange& a, std::uint32_t selector, const ValueRange& b);
/// The smaller or the larger number; nothing known of `smaller`: either.
ValueRange extreme(const ValueRange& a, const ValueRange& b, bool is_signed,
                   std::optional<bool> smaller);
/// The quotient of unsigned numbers, rounded down; any number where the divisor may be zero.
ValueRange quotient(const ValueRange& number, const ValueRange& divisor);
/// The remainder, likewise.
ValueRange remainder(const ValueRange& number, const ValueRange& divisor);
/// What a load of one or two bytes gives; nothing for other instructions.
std::optional<ValueRange> loaded_range(const assembly::Instruction& instruction);

} // namespace warpbound::analyzer
