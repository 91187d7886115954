/// \file
/// Integer arithmetic: IADD3, IMAD, LEA, minimum and maximum, bit counts.

#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>
#include <bit>

namespace warpbound::harness::execution {

namespace {

std::int32_t as_signed(std::uint32_t value) {
    return static_cast<std::int32_t>(value);
}

/// A summand of an addition with carry: `-x` is ~x + 1, whose carry counts for x = 0.
std::uint64_t summand(std::uint32_t value, const Source& form) {
    return form.negated    ? std::uint64_t{static_cast<std::uint32_t>(~value)} + 1
           : form.inverted ? std::uint64_t{static_cast<std::uint32_t>(~value)}
                           : value;
}

/// Literals have their sign in the value.
const Source& plain_form() {
    static const Source form;
    return form;
}

const Source& sign_of(const Source& source) {
    return source.kind == Source::Kind::Literal ? plain_form() : source;
}

/// The carries that .X adds.
std::array<Lanes, 2> carries_in(const Step& step) {
    std::array<Lanes, 2> in{};
    if (!step.has(Modifier::X)) return in;
    for (std::size_t i = 0; i < step.operation->trailing.size() && i < in.size(); ++i)
        in[i] = step.predicate(step.operation->trailing[i]);
    return in;
}

void write_carries(Step& step, const Wides& sums) {
    const auto& out = step.operation->carries;
    for (std::size_t i = 0; i < out.size(); ++i)
        step.set_predicate(out[i],
                           lanes_where([&](std::size_t lane) { return (sums[lane] >> 32U) > i; }));
}

void add_three(Step& step) {
    const auto in = carries_in(step);
    Wides sums{};
    for (std::size_t i = 0; i < step.source_count(); ++i) {
        const Words& values = step.plain(i);
        const Source& form = sign_of(step.source(i));
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            sums[lane] += summand(values[lane], form);
    }
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        sums[lane] += std::uint64_t{has_lane(in[0], lane)} + std::uint64_t{has_lane(in[1], lane)};
        out[lane] = static_cast<std::uint32_t>(sums[lane]);
    }
    write_carries(step, sums);
    step.write(out);
}

/// .WIDE and .HI add a pair to the product; .HI keeps the upper word.
void multiply_add_wide(Step& step, bool is_unsigned) {
    const Words& a = step.word(0);
    const Words& b = step.word(1);
    const Wides& c = step.wide(2);
    const auto in = carries_in(step)[0];
    Wides out;
    Lanes carry = 0;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const std::uint64_t product =
            is_unsigned
                ? std::uint64_t{a[lane]} * b[lane]
                : static_cast<std::uint64_t>(std::int64_t{as_signed(a[lane])} * as_signed(b[lane]));
        const std::uint64_t sum = product + c[lane];
        out[lane] = sum + std::uint64_t{has_lane(in, lane)};
        carry |= Lanes{sum < product || out[lane] < sum} << lane;
    }
    if (!step.operation->carries.empty()) step.set_predicate(step.operation->carries[0], carry);
    if (!step.has(Modifier::HI)) return step.write_wide(out);
    Words high;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        high[lane] = static_cast<std::uint32_t>(out[lane] >> 32U);
    step.write(high);
}

void multiply_add(Step& step) {
    if (step.has(Modifier::WIDE) || step.has(Modifier::HI))
        return multiply_add_wide(step, step.has(Modifier::U32));
    const Words& a = step.word(0);
    const Words& b = step.word(1);
    const Words& c = step.word(2);
    const auto in = carries_in(step)[0];
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = a[lane] * b[lane] + c[lane] + std::uint32_t{has_lane(in, lane)};
    step.write(out);
}

/// LEA: a shifted left, plus b. .HI takes the upper word of the shifted pair.
void shift_add(Step& step) {
    const bool high = step.has(Modifier::HI);
    const bool extends = step.has(Modifier::SX32);
    const std::size_t shift_at = high && !extends ? 3 : 2;
    const auto shift = static_cast<unsigned>(step.source(shift_at).literal & 31U);
    const Words& a = step.plain(0);
    const Words& b = step.plain(1);
    const Words upper = high && !extends ? step.plain(2) : Words{};
    const auto in = carries_in(step)[0];
    const bool negates = sign_of(step.source(0)).negated;
    const Source& form = sign_of(step.source(1));
    Wides sums;
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        std::uint64_t pair = extends ? static_cast<std::uint64_t>(std::int64_t{as_signed(a[lane])})
                                     : (std::uint64_t{upper[lane]} << 32U) | a[lane];
        if (negates) pair = 0 - pair;
        pair <<= shift;
        const auto part = static_cast<std::uint32_t>(high ? pair >> 32U : pair);
        sums[lane] = part + summand(b[lane], form) + std::uint64_t{has_lane(in, lane)};
        out[lane] = static_cast<std::uint32_t>(sums[lane]);
    }
    write_carries(step, sums);
    step.write(out);
}

/// The minimum where the predicate holds, else the maximum. VIADDMNMX first adds two numbers,
/// VIMNMX3 takes three; with RELU a result below zero becomes zero (CUDA Math API, DPX functions).
void minimum_maximum(Step& step) {
    for (const Source& written : step.operation->carries)
        if (written.index != true_predicate) return step.fail("expected no predicate written");
    const bool is_unsigned = step.has(Modifier::U32);
    const Lanes least = step.predicate(step.operation->trailing.at(0));
    const auto extreme = [&](const Words& a, const Words& b) {
        Words out;
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            const bool below =
                is_unsigned ? a[lane] < b[lane] : as_signed(a[lane]) < as_signed(b[lane]);
            out[lane] = below == has_lane(least, lane) ? a[lane] : b[lane];
        }
        return out;
    };
    Words out = step.word(0);
    const Words& second = step.word(1);
    if (step.operation->instruction->mnemonic == "VIADDMNMX")
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] += second[lane];
    else
        out = extreme(out, second);
    if (step.source_count() == 3) out = extreme(out, step.word(2));
    if (step.has(Modifier::RELU))
        for (std::uint32_t& word : out)
            if (as_signed(word) < 0) word = 0;
    step.write(out);
}

void absolute(Step& step) {
    each_word<1>(step, [](std::uint32_t a) { return as_signed(a) < 0 ? 0 - a : a; });
}

void add_wide(Step& step) {
    const Wides& a = step.wide(0);
    const Wides& b = step.wide(1);
    Wides out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = a[lane] + b[lane];
    if (step.source_count() > 2) {
        const Wides& c = step.wide(2);
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] += c[lane];
    }
    step.write_wide(out);
}

void add_three_or_wide(Step& step) {
    step.has(Modifier::Bits64) ? add_wide(step) : add_three(step);
}

void count_bits(Step& step) {
    each_word<1>(step,
                 [](std::uint32_t a) { return static_cast<std::uint32_t>(std::popcount(a)); });
}

/// The position of the highest bit that differs from the sign; all ones where there is none.
void find_leading(Step& step) {
    const bool is_unsigned = step.has(Modifier::U32);
    const bool is_shift = step.has(Modifier::SH);
    each_word<1>(step, [=](std::uint32_t a) {
        if (!is_unsigned && as_signed(a) < 0) a = ~a;
        if (a == 0) return ~std::uint32_t{0};
        const auto leading = static_cast<std::uint32_t>(std::countl_zero(a));
        return is_shift ? leading : 31U - leading;
    });
}

void reverse_bits(Step& step) {
    each_word<1>(step, [](std::uint32_t a) {
        std::uint32_t out = 0;
        for (unsigned bit = 0; bit < 32; ++bit)
            out |= ((a >> bit) & 1U) << (31U - bit);
        return out;
    });
}

/// Byte `at` of a word, as a number with or without sign.
std::int32_t byte_of(std::uint32_t word, unsigned at, bool is_signed) {
    const std::uint32_t byte = word >> 8U * at & 0xffU;
    return is_signed ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
}

/// IDP.4A: the products of four bytes each, and a word. The types stand in the order of the
/// factors.
void multiply_bytes(Step& step) {
    const auto& modifiers = step.operation->instruction->modifiers;
    if (!step.has(Modifier::Bytes4A) || modifiers.size() != 3)
        return step.fail("expected .4A and the types of both factors");
    const bool has_sign_a = modifiers[1] == "S8";
    const bool has_sign_b = modifiers[2] == "S8";
    each_word<3>(step, [=](std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
        for (unsigned at = 0; at < 4; ++at)
            sum +=
                static_cast<std::uint32_t>(byte_of(a, at, has_sign_a) * byte_of(b, at, has_sign_b));
        return sum;
    });
}

} // namespace

std::span<const SemanticsRow> integer_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"IADD3 UIADD3", add_three_or_wide, "X 64"},
        {"IADD UIADD VIADD UVIADD", add_three_or_wide, "X 64"},
        {"IMAD UIMAD", multiply_add, "MOV U32 SHL IADD X WIDE HI"},
        {"LEA ULEA", shift_add, "HI X SX32"},
        {"IMNMX UIMNMX", minimum_maximum, "U32 S32"},
        {"VIMNMX UVIMNMX VIMNMX3 VIADDMNMX", minimum_maximum, "U32 S32 RELU"},
        {"IABS UIABS", absolute, ""},
        {"POPC UPOPC", count_bits, ""},
        {"FLO UFLO", find_leading, "U32 SH"},
        {"IDP", multiply_bytes, "4A S8 U8"},
        {"BREV UBREV", reverse_bits, ""},
    });
    return rows;
}

} // namespace warpbound::harness::execution
