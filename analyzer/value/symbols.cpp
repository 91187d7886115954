#include "analyzer/value/symbols.hpp"

#include <algorithm>
#include <array>

namespace warpbound::analyzer {

namespace {

using assembly::Register;
using assembly::RegisterFile;

constexpr Symbol constant_mark = Symbol{1} << 63U;
constexpr Symbol geometry_mark = Symbol{1} << 62U;
constexpr Symbol definition_mark = Symbol{1} << 61U;
constexpr Symbol kind_marks = constant_mark | geometry_mark | definition_mark;

/// In the order of `Geometry`.
constexpr std::array<std::string_view, 13> special_registers{
    "SR_TID.X",    "SR_TID.Y",    "SR_TID.Z",  "SR_CTAID.X", "SR_CTAID.Y",
    "SR_CTAID.Z",  "SR_NTID.X",   "SR_NTID.Y", "SR_NTID.Z",  "SR_NCTAID.X",
    "SR_NCTAID.Y", "SR_NCTAID.Z", "SR_LANEID"};

} // namespace

std::optional<Symbol> definition_symbol(const std::optional<ProgramPoint>& point, Register reg) {
    constexpr std::size_t blocks = std::size_t{1} << 24U;
    constexpr std::size_t offsets = std::size_t{1} << 20U;
    constexpr int registers = 1 << 12;
    if (!point || point->block >= blocks || point->offset >= offsets || reg.index < 0 ||
        reg.index >= registers)
        return std::nullopt;
    return definition_mark | (static_cast<Symbol>(point->block) << 36U) |
           (static_cast<Symbol>(point->offset) << 16U) | (static_cast<Symbol>(reg.file) << 12U) |
           static_cast<Symbol>(reg.index);
}

Symbol symbol_of(Register reg) {
    return (static_cast<Symbol>(reg.file) << 32U) | static_cast<std::uint32_t>(reg.index);
}

Symbol symbol_of_constant(std::int64_t bank, std::int64_t offset) {
    return constant_mark | (static_cast<Symbol>(static_cast<std::uint32_t>(bank)) << 32U) |
           static_cast<std::uint32_t>(offset);
}

std::optional<Register> register_of(Symbol symbol) {
    if ((symbol & kind_marks) != 0) return std::nullopt;
    return Register{static_cast<RegisterFile>(symbol >> 32U),
                    static_cast<int>(symbol & 0xffffffffU)};
}

std::string_view special_register_of(Geometry number) {
    return special_registers[static_cast<std::size_t>(number)];
}

std::optional<Geometry> geometry_in(std::string_view special_register) {
    const auto* const found =
        std::find(special_registers.begin(), special_registers.end(), special_register);
    if (found == special_registers.end()) return std::nullopt;
    return static_cast<Geometry>(found - special_registers.begin());
}

Symbol symbol_of(Geometry number) {
    return geometry_mark | static_cast<Symbol>(number);
}

std::optional<Geometry> geometry_of(Symbol symbol) {
    if ((symbol & kind_marks) != geometry_mark) return std::nullopt;
    return static_cast<Geometry>(symbol & ~geometry_mark);
}

std::optional<std::pair<std::int64_t, std::int64_t>> constant_of(Symbol symbol) {
    if ((symbol & constant_mark) == 0) return std::nullopt;
    return std::pair{static_cast<std::int64_t>((symbol & ~constant_mark) >> 32U),
                     static_cast<std::int64_t>(symbol & 0xffffffffU)};
}

std::optional<Definition> definition_of(Symbol symbol) {
    if ((symbol & kind_marks) != definition_mark) return std::nullopt;
    const auto bits = [&](unsigned from, unsigned count) {
        return (symbol >> from) & ((Symbol{1} << count) - 1);
    };
    return Definition{{bits(36, 24), bits(16, 20)},
                      {static_cast<RegisterFile>(bits(12, 4)), static_cast<int>(bits(0, 12))}};
}

} // namespace warpbound::analyzer
