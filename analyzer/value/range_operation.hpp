#pragma once
/// \file
/// The operation of an instruction, decoded once for the executions on ranges.

#include "assembly/isa/program.hpp"

namespace warpbound::analyzer {

/// What an instruction computes, as far as ranges are followed through it.
enum class RangeOperation {
    None, ///< Nothing is known of its results.
    ActiveMask,
    Halves, ///< A constant that the half-precision unit moves.
    Special,
    Move,
    Sum,
    MultiplyAdd,
    ShiftAdd,
    ShiftLeft,
    ShiftRight,
    FunnelShift,
    Lookup,
    Select,
    MinMax,
    SumMinMax, ///< Of a sum and a number.
    Absolute,
    CountOnes,
    HighestOne,
    Permute,
    NarrowLoad, ///< Of one or two bytes.
    Comparison,
    ExtendedComparison,
    PredicateLookup,
    Or,        ///< Of AMD's code (S56), with the number of lowest bits of the first that are 0.
    Quotient,  ///< Of steps that stand for a division by a reciprocal (S71).
    Remainder, ///< Likewise.
    LowBits,   ///< Of AMD's code: a mask of lowest bits.
};
RangeOperation range_operation_of(const assembly::Instruction& instruction);

} // namespace warpbound::analyzer
