#pragma once
/// \file
/// Symbols of the value analysis: initial registers, constant-bank words, launch geometry, and
/// values that are named after the place where they are computed.

#include "analyzer/value/affine_expression.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace warpbound::analyzer {

/// The value that a register has where the values begin (the entry of the function, the start of a
/// turn of a loop), and that of a word of a constant bank, as symbols.
Symbol symbol_of(assembly::Register reg);
Symbol symbol_of_constant(std::int64_t bank, std::int64_t offset);
/// The register of a symbol; nothing for one that is the same for the whole run.
std::optional<assembly::Register> register_of(Symbol symbol);

/// Numbers that the launch gives a lane and that stay the same for its whole run.
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
/// The special register that holds it, as the code names it: "SR_TID.X".
std::string_view special_register_of(Geometry number);
/// Nothing for a register that holds something else.
std::optional<Geometry> geometry_in(std::string_view special_register);
Symbol symbol_of(Geometry number);
std::optional<Geometry> geometry_of(Symbol symbol);

/// A place that a run passes at most once, which gives names to what is computed there. `block` in
/// no loop; `offset`: of the instruction in the block, 0 for what the ways into the block join.
struct Place {
    std::size_t block = 0;
    std::size_t offset = 0;
};

/// A name for the value that a register gets at a place; nothing where the numbers are too large.
std::optional<Symbol> name_of(const std::optional<Place>& place, assembly::Register reg);

/// What a symbol was made of; nothing when it is another kind of symbol.
std::optional<std::pair<std::int64_t, std::int64_t>> constant_of(Symbol symbol); ///< Bank, offset.
struct NamedRegister {
    Place place;
    assembly::Register reg;
};
std::optional<NamedRegister> named_of(Symbol symbol);

} // namespace warpbound::analyzer
