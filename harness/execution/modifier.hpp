#pragma once
/// \file
/// Modifiers of instructions as a set, so that semantics ask for them without comparing text.

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

namespace warpbound::harness::execution {

/// Modifiers that the semantics of some instruction distinguish. Those that begin with a digit, and
/// NAN, have a name of their own.
enum class Modifier {
    // clang-format off
    X, EX, HI, WIDE, U32, S32, U64, S64, U8, S8, U16, S16, F16, F32, F64,
    Bits32, Bits64, Bits128, L, R, W, MOV, SHL, IADD, SX32, SH, CLEAR,
    AND, OR, XOR, PAND, LT, LE, GT, GE, EQ, NE, LTU, LEU, GTU, GEU, EQU, NEU, NUM, IsNan, T, F,
    FTZ, SAT, RN, RZ, RM, RP, TRUNC, FLOOR, CEIL,
    RCP, RSQ, SQRT, SIN, COS, EX2, LG2, TANH, RCP64H, RSQ64H,
    ADD, MIN, MAX, EXCH, CAS, CAST, INC, DEC, POPC, ANY, ALL,
    SUM, IDX, UP, DOWN, BFLY, SYNC, RED, ARV, BF16, BF16_V2, PACK_AB, F16x2, U, DIV, B1, B2, B3,
    RESULT, BF, COLLECTIVE, Bytes4A, TRAP, Bits16, MT88, RELU,
    // clang-format on
    Count
};
using Modifiers = std::bitset<static_cast<std::size_t>(Modifier::Count)>;

/// The modifier with this spelling; nothing: none of the above.
std::optional<Modifier> find_modifier(std::string_view text);
/// Cache policies, scopes, orders of memory and hints: they change no result.
bool changes_nothing(std::string_view modifier);

} // namespace warpbound::harness::execution
