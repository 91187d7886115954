#pragma once
/// \file
/// Control fields: the scheduling information that the compiler encodes for each instruction.

#include <cstdint>
#include <optional>

namespace warpbound::assembly {

/// Number of scoreboards (dependence counters) of a warp.
inline constexpr int scoreboard_count = 6;

/// Control field of one instruction. Layout per generation: `reference isa 3.1 .. 3.3`, decoded in
/// `control.cpp`.
struct Control {
    int stall = 0;      ///< Cycles until the next instruction of the same warp may issue.
    bool yield = false; ///< Hint to prefer another warp (bit value 0 from sm_50 on).
    std::optional<int> write_barrier; ///< Scoreboard released when the result is written.
    std::optional<int> read_barrier;  ///< Scoreboard released when the sources have been read.
    std::uint8_t wait_mask = 0;       ///< Bit i: wait until scoreboard i is clear.
    std::uint8_t reuse = 0;           ///< Bit i: keep source operand i in the reuse cache.
    bool dual_issue =
        false; ///< Issues together with the next instruction (Kepler, Maxwell, Pascal).

    friend bool operator==(const Control&, const Control&) = default;
};

/// Decodes bits 41..61 of the high word of a 128-bit instruction (sm_70 and later).
Control decode_control_volta(std::uint64_t high_word);
/// Decodes slot 0, 1 or 2 of a Maxwell/Pascal control word. Requires: 0 <= slot < 3.
Control decode_control_maxwell(std::uint64_t control_word, int slot);
/// Whether the fixed bits of a word are those of a Kepler control word.
bool is_control_word_kepler(std::uint64_t word);
/// Decodes slot 0..6 of a Kepler control word; nothing when the word is none or the byte has no
/// known meaning.
std::optional<Control> decode_control_kepler(std::uint64_t control_word, int slot);

} // namespace warpbound::assembly
