#pragma once
/// \file
/// Symbols of the value analysis: initial registers, constant-bank words, launch geometry, and
/// values identified by the program point that defines them.

#include "analyzer/value/affine_expression.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace warpbound::analyzer {

/// Symbols of a register's initial value (at the function's entry, or at the start of a loop
/// iteration) and of a word of a constant bank.
Symbol symbol_of(assembly::Register reg);
Symbol symbol_of_constant(std::int64_t bank, std::int64_t offset);
/// The register whose initial value the symbol is; nothing for the other kinds of symbols, whose
/// values are the same during the whole run.
std::optional<assembly::Register> register_of(Symbol symbol);

/// Thread and block indices and extents, and the lane index: constant during a thread's run.
enum class Geometry {
    ThreadX,
    ThreadY,
    ThreadZ,
    BlockX,
    BlockY,
    BlockZ,
    ThreadsX,
    ThreadsY,
    ThreadsZ,
    BlocksX,
    BlocksY,
    BlocksZ,
    Lane
};
/// The special register that holds it, as in the listing: "SR_TID.X".
std::string_view special_register_of(Geometry number);
/// Nothing for other special registers.
std::optional<Geometry> geometry_in(std::string_view special_register);
Symbol symbol_of(Geometry number);
std::optional<Geometry> geometry_of(Symbol symbol);

/// A program point that a run reaches at most once, so that a value defined there has one symbol.
/// `block`: in no loop. `offset`: 1 for the first instruction of the block, and so on; 0 for the
/// join of the block's in-edges.
struct ProgramPoint {
    std::size_t block = 0;
    std::size_t offset = 0;
};

/// The symbol of the value that a program point defines in a register; nothing without a point, or
/// where the numbers do not fit into a symbol.
std::optional<Symbol> definition_symbol(const std::optional<ProgramPoint>& point,
                                        assembly::Register reg);

/// What a symbol denotes; nothing when it is of another kind.
std::optional<std::pair<std::int64_t, std::int64_t>> constant_of(Symbol symbol); ///< Bank, offset.
struct Definition {
    ProgramPoint point;
    assembly::Register reg;
};
std::optional<Definition> definition_of(Symbol symbol);

} // namespace warpbound::analyzer
