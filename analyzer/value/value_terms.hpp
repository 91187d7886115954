#pragma once
/// \file
/// What registers hold as terms over registers and words that the code does not change: value
/// numbering, as far as divisions by a reciprocal need it (S71).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Number of a term.
using TermId = std::size_t;

struct Term {
    enum class Kind {
        Unknown,       ///< What an instruction or a block's entry gives; `number` tells them apart.
        Number,        ///< `number`
        Word,          ///< Of constant bank `second` at offset `number`.
        Negative,      ///< Of `first`, modulo 2^32.
        Absolute,      ///< Of `first`.
        Float,         ///< `first` as a float, rounded up.
        Reciprocal,    ///< Of that float.
        Scaled,        ///< That times 2^32, less two units of the last place.
        Approximation, ///< That as a whole number: nearly 2^32 / `first`.
        Excess,        ///< 2^32 less that times `first`.
        Inverse,       ///< 2^32 / `first`, less than two too small.
        FirstQuotient, ///< `first` / `second`, at most two too small.
        FirstRest,     ///< `first` less that times `second`, computed at instruction `number`.
        FirstReaches,  ///< Predicate: that is at least `second`.
        NextQuotient,  ///< One more where it is.
        NextRest,      ///< `second` less where it is.
        NextReaches,   ///< Predicate: that is at least `second`.
        Quotient,      ///< `first` / `second`, rounded down, where `second` is not zero.
        Rest           ///< The remainder.
    };
    Kind kind = Kind::Unknown;
    TermId first = 0;
    TermId second = 0;
    std::int64_t number = 0;
    friend auto operator<=>(const Term&, const Term&) = default;
};

/// A term that is a quotient or a remainder, where an instruction has computed it.
struct DividedAt {
    std::size_t instruction = 0; ///< After it, its destination holds the term.
    assembly::Register into;
    bool is_rest = false;
    std::size_t rest_at = 0;      ///< The instruction that computes FirstRest: reads both numbers.
    bool negated_divisor = false; ///< It reads the divisor's negative.
    std::size_t divisor_operand = 0; ///< Position in its operands.
    friend bool operator==(const DividedAt&, const DividedAt&) = default;
};

/// The quotients and remainders of a function, in every node of the graph alike.
std::vector<DividedAt> divisions_of(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph);

} // namespace warpbound::analyzer
