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
    Comparison,
    ExtendedComparison,
    PredicateLookup,
};
RangeOperation range_operation_of(const assembly::Instruction& instruction);

} // namespace warpbound::analyzer
