/// \file
/// Logic, shifts, permutations and selections.

#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>

namespace warpbound::harness::execution {

namespace {

/// The truth table `table` of three values, bit by bit: bit 4a + 2b + c of it.
std::uint32_t look_up_bits(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t out = 0;
    for (unsigned row = 0; row < 8; ++row)
        if (((table >> row) & 1U) != 0)
            out |= ((row & 4U) != 0 ? a : ~a) & ((row & 2U) != 0 ? b : ~b) &
                   ((row & 1U) != 0 ? c : ~c);
    return out;
}

void logic_of_words(Step& step) {
    const auto table = static_cast<std::uint32_t>(step.source(3).literal);
    const Words& a = step.word(0);
    const Words& b = step.word(1);
    const Words& c = step.word(2);
    Words out;
    if (table == 0xc0U) { // a & b
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = a[lane] & b[lane];
    } else {
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = look_up_bits(table, a[lane], b[lane], c[lane]);
    }
    const auto& leading = step.operation->leading;
    if (!leading.empty()) {
        Lanes holds = lanes_where([&](std::size_t lane) { return out[lane] != 0; });
        if (!step.operation->trailing.empty()) {
            const Lanes other = step.predicate(step.operation->trailing[0]);
            holds = step.has(Modifier::PAND) ? holds & other : holds | other;
        }
        step.set_predicate(leading[0], holds);
    }
    step.write(out);
}

/// Two predicates, each by a table of its own, from three.
void logic_of_predicates(Step& step) {
    const auto& operands = step.operation->leading;
    if (operands.size() != 5) return step.fail("expected two predicates written and three read");
    const Lanes a = step.predicate(operands[2]);
    const Lanes b = step.predicate(operands[3]);
    const Lanes c = step.predicate(operands[4]);
    for (std::size_t i = 0; i < 2 && i < step.source_count(); ++i)
        step.set_predicate(
            operands[i], look_up_bits(static_cast<std::uint32_t>(step.source(i).literal), a, b, c));
}

/// The word of {high:low} shifted that the modifiers name.
struct Shift {
    bool left = false;
    bool takes_high = false;
    bool is_signed = false;
    bool is_wide = false; ///< Shifts up to 63 bits; else up to 32.
    bool wraps = false;

    [[nodiscard]] std::uint32_t operator()(std::uint32_t low, std::uint32_t by,
                                           std::uint32_t high) const {
        const std::uint32_t most = is_wide ? 64 : 32;
        const std::uint32_t amount = wraps ? by % most : std::min(by, most);
        const std::uint64_t pair = (std::uint64_t{high} << 32U) | low;
        const std::uint64_t sign = is_signed && (high >> 31U) != 0 ? ~std::uint64_t{0} : 0;
        std::uint64_t shifted = pair;
        if (amount == 64)
            shifted = left ? 0 : sign;
        else if (left)
            shifted = pair << amount;
        else if (amount != 0)
            shifted = (pair >> amount) | (sign << (64U - amount));
        return static_cast<std::uint32_t>(takes_high ? shifted >> 32U : shifted);
    }
};

void funnel_shift(Step& step) {
    each_word<3>(step, Shift{.left = step.has(Modifier::L),
                             .takes_high = step.has(Modifier::HI),
                             .is_signed = step.has(Modifier::S32) || step.has(Modifier::S64),
                             .is_wide = step.has(Modifier::U64) || step.has(Modifier::S64),
                             .wraps = step.has(Modifier::W)});
}

/// Each nibble of the selector names a byte of {c:a}; its highest bit replicates the sign.
void permute_bytes(Step& step) {
    each_word<3>(step, [](std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
        const std::uint64_t pair = (std::uint64_t{c} << 32U) | a;
        std::uint32_t out = 0;
        for (unsigned byte = 0; byte < 4; ++byte) {
            const std::uint32_t nibble = (selector >> (4 * byte)) & 0xfU;
            auto value = static_cast<std::uint32_t>(pair >> (8 * (nibble & 7U))) & 0xffU;
            if ((nibble & 8U) != 0) value = (value & 0x80U) != 0 ? 0xffU : 0;
            out |= value << (8 * byte);
        }
        return out;
    });
}

/// `width` ones from bit `position` on.
void bit_mask(Step& step) {
    const bool wraps = step.has(Modifier::W);
    each_word<2>(step, [wraps](std::uint32_t position, std::uint32_t width) {
        if (wraps) {
            position &= 31U;
            width &= 31U;
        }
        const std::uint64_t ones = width >= 32 ? 0xffffffffU : (std::uint64_t{1} << width) - 1;
        return position >= 32 ? 0 : static_cast<std::uint32_t>(ones << position);
    });
}

/// The lowest bits, extended by their sign or by zeros.
void extend_sign(Step& step) {
    const bool is_unsigned = step.has(Modifier::U32);
    const bool wraps = step.has(Modifier::W);
    each_word<2>(step, [=](std::uint32_t value, std::uint32_t bits) {
        if (wraps) bits &= 31U;
        if (bits >= 32) return value;
        if (bits == 0) return std::uint32_t{0};
        const std::uint32_t kept = value & ((std::uint32_t{1} << bits) - 1);
        const bool is_negative = !is_unsigned && ((kept >> (bits - 1)) & 1U) != 0;
        return is_negative ? kept | (~std::uint32_t{0} << bits) : kept;
    });
}

void select_word(Step& step) {
    const Lanes first = step.predicate(step.operation->trailing.at(0));
    const Words& a = step.word(0);
    const Words& b = step.word(1);
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = has_lane(first, lane) ? a[lane] : b[lane];
    step.write(out);
}

} // namespace

std::span<const SemanticsRow> logic_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"LOP3 ULOP3", logic_of_words, "PAND"},
        {"PLOP3 UPLOP3", logic_of_predicates, "", NumberType::Integer, false},
        {"SHF USHF", funnel_shift, "L R W HI U32 S32 U64 S64"},
        {"PRMT UPRMT", permute_bytes, ""},
        {"BMSK UBMSK", bit_mask, "W"},
        {"SGXT USGXT", extend_sign, "U32 W"},
        {"SEL USEL", select_word, ""},
    });
    return rows;
}

} // namespace warpbound::harness::execution
