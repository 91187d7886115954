#include "harness/execution/modifier.hpp"

#include <algorithm>
#include <array>

namespace warpbound::harness::execution {

namespace {

/// In the order of the enumerators.
constexpr auto modifier_spellings = std::to_array<std::string_view>({
    // clang-format off
    "X", "EX", "HI", "WIDE", "U32", "S32", "U64", "S64", "U8", "S8", "U16", "S16", "F16", "F32",
    "F64", "32", "64", "128", "L", "R", "W", "MOV", "SHL", "IADD", "SX32", "SH", "CLEAR",
    "AND", "OR", "XOR", "PAND", "LT", "LE", "GT", "GE", "EQ", "NE", "LTU", "LEU", "GTU", "GEU",
    "EQU", "NEU", "NUM", "NAN", "T", "F", "FTZ", "SAT", "RN", "RZ", "RM", "RP", "TRUNC", "FLOOR",
    "CEIL", "RCP", "RSQ", "SQRT", "SIN", "COS", "EX2", "LG2", "TANH", "RCP64H", "RSQ64H",
    "ADD", "MIN", "MAX", "EXCH", "CAS", "CAST", "INC", "DEC", "POPC", "ANY", "ALL",
    "SUM", "IDX", "UP", "DOWN", "BFLY", "SYNC", "RED", "ARV", "BF16", "BF16_V2", "PACK_AB",
    "F16x2", "U", "DIV", "B1", "B2", "B3", "RESULT", "BF",
    "COLLECTIVE", "4A", "TRAP", "16", "MT88", "RELU",
    // clang-format on
});
static_assert(modifier_spellings.size() == static_cast<std::size_t>(Modifier::Count));

constexpr auto modifiers_without_effect = std::to_array<std::string_view>({
    // clang-format off
    "LUT", "E", "SYS", "GPU", "SM", "CTA", "STRONG", "WEAK", "CONSTANT", "EF", "EL", "LU", "EU", "NA",
    "DEFER_BLOCKING", "BYPASS", "ACCESS", "LTC64B", "LTC128B", "LTC256B", "REL", "ABS", "NOINC",
    "NODEC", "PRIVATE", "MMA", "SPIN", "NTZ", "SC", "VC", "IVALL", "ASYNC", "RECONVERGENT",
    // clang-format on
});

} // namespace

std::optional<Modifier> find_modifier(std::string_view text) {
    const auto* const found = std::find(modifier_spellings.begin(), modifier_spellings.end(), text);
    if (found == modifier_spellings.end()) return std::nullopt;
    return static_cast<Modifier>(found - modifier_spellings.begin());
}

bool changes_nothing(std::string_view modifier) {
    return std::find(modifiers_without_effect.begin(), modifiers_without_effect.end(), modifier) !=
           modifiers_without_effect.end();
}

} // namespace warpbound::harness::execution
