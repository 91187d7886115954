#pragma once
/// \file
/// The paths of one iteration of an innermost loop, with what registers hold at its end as linear
/// forms of what they hold at its begin (S72).

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// Number of a symbol: a register at the begin of the iteration, half of a form, or what an
/// instruction computes that is not followed.
using IterationSymbol = std::size_t;

/// A sum of multiples of symbols and a constant, modulo 2^32. Factors and constant are the least in
/// size, as signed numbers of 32 bits: `+`, `*` and `plus` keep them so.
struct LinearForm {
    std::map<IterationSymbol, std::int64_t> terms; ///< No factor is 0.
    std::int64_t constant = 0;
    friend auto operator<=>(const LinearForm&, const LinearForm&) = default;
};
LinearForm operator+(LinearForm a, const LinearForm& b);
LinearForm operator*(LinearForm a, std::int64_t factor);
LinearForm plus(LinearForm form, std::int64_t constant);
LinearForm form_of(IterationSymbol symbol);

/// A comparison that a path decides: left >= right, or left == right.
struct DecidedComparison {
    bool is_equality = false;
    bool is_signed = true;
    LinearForm left;
    LinearForm right;
    friend auto operator<=>(const DecidedComparison&, const DecidedComparison&) = default;
};

/// From the loop's header to its back edge.
struct IterationPath {
    std::map<assembly::Register, LinearForm> after; ///< Registers that the path writes.
    std::map<DecidedComparison, bool> decided;
};

struct IterationPaths {
    std::vector<IterationPath> paths;
    std::map<assembly::Register, IterationSymbol> registers; ///< At the begin.
    /// Half of a form, rounded down; `from_zero`: only where the form is not negative.
    struct Half {
        LinearForm of;
        bool from_zero = false;
        friend auto operator<=>(const Half&, const Half&) = default;
    };
    std::map<IterationSymbol, Half> halves;
    /// A form with its lowest bit that is 1 set to 0.
    std::map<IterationSymbol, LinearForm> cleared;
};

/// Nothing for loops with inner loops and those of too many paths. Sound for registers of lanes,
/// and for those of the warp that are not in `shared`.
std::optional<IterationPaths> iteration_paths(const assembly::Function& function,
                                              const assembly::ControlFlowGraph& graph,
                                              std::size_t loop,
                                              const std::set<assembly::Register>& shared);

} // namespace warpbound::analyzer
