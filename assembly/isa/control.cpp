#include "assembly/isa/control.hpp"

namespace warpbound::assembly {

namespace {

/// The 21 bits that Maxwell to Blackwell share: stall, yield, write and read barrier, wait mask,
/// reuse.
Control decode_fields(std::uint64_t bits) {
    Control control;
    control.stall = static_cast<int>(bits & 15U);
    control.yield = ((bits >> 4U) & 1U) == 0;
    const auto barrier = [](std::uint64_t field) -> std::optional<int> {
        if (field >= static_cast<std::uint64_t>(scoreboard_count)) return std::nullopt;
        return static_cast<int>(field);
    };
    control.write_barrier = barrier((bits >> 5U) & 7U);
    control.read_barrier = barrier((bits >> 8U) & 7U);
    control.wait_mask = static_cast<std::uint8_t>((bits >> 11U) & 63U);
    control.reuse = static_cast<std::uint8_t>((bits >> 17U) & 15U);
    return control;
}

/// Lowest bit of slot 0 of a Kepler control word; 0 when the word is none.
unsigned kepler_shift(std::uint64_t word) {
    if ((word >> 58U) == 2U) return 2;                       // GK110: top byte 0x08
    if ((word & 15U) == 7U && (word >> 60U) == 2U) return 4; // GK104
    return 0;
}

} // namespace

Control decode_control_volta(std::uint64_t high_word) {
    return decode_fields(high_word >> 41U);
}

Control decode_control_maxwell(std::uint64_t control_word, int slot) {
    Control control = decode_fields(control_word >> static_cast<unsigned>(21 * slot));
    // Stall 0 with the yield bit set issues together with the next instruction; stall 0 without it
    // is padding.
    control.dual_issue = control.stall == 0 && !control.yield;
    return control;
}

bool is_control_word_kepler(std::uint64_t word) {
    return kepler_shift(word) != 0;
}

std::optional<Control> decode_control_kepler(std::uint64_t control_word, int slot) {
    const unsigned shift = kepler_shift(control_word);
    if (shift == 0) return std::nullopt;
    const auto byte =
        static_cast<unsigned>((control_word >> (shift + 8U * static_cast<unsigned>(slot))) & 0xffU);
    Control control;
    if (byte == 0x04U) {
        control.dual_issue = true;
        return control;
    }
    if ((byte & 0xe0U) == 0x20U) {
        control.stall = static_cast<int>(byte & 0x1fU) + 1;
        return control;
    }
    // Sources disagree on 0x00 (16 or 32 cycles); the meaning of 0x40 and 0x80 is not known.
    return std::nullopt;
}

} // namespace warpbound::assembly
