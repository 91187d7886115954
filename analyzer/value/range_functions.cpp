#include "analyzer/value/range_functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace warpbound::analyzer {

namespace {

constexpr std::uint64_t bits_of_word = 32;

/// The bits that are 1 in all numbers of a range, and those that are 1 in some.
struct KnownBits {
    std::uint32_t always = 0;
    std::uint32_t ever = 0;
};

KnownBits known_bits(const ValueRange& number) {
    const std::uint32_t common = number.common_bits();
    return {number.least() & common, number.least() | ~common};
}

/// The byte at `position`, or its sign in all bits.
std::uint32_t byte_of(std::uint32_t word, unsigned position, bool sign) {
    const std::uint32_t byte = word >> (8 * position) & 0xffU;
    if (!sign) return byte;
    return (byte & 0x80U) != 0 ? 0xffU : 0U;
}

/// Of a number that is not zero.
std::uint64_t position_of(std::int64_t number) {
    return bits_of_word - 1 -
           static_cast<std::uint64_t>(std::countl_zero(static_cast<std::uint32_t>(number)));
}

} // namespace

ValueRange absolute(const ValueRange& number) {
    const ValueRange::Ends ends = number.ends(true);
    if (ends.lo >= 0) return number;
    if (ends.hi <= 0) return number.negated();
    return ValueRange::between(0, static_cast<std::uint64_t>(std::max(-ends.lo, ends.hi)));
}

ValueRange count_of_ones(const ValueRange& number) {
    const KnownBits bits = known_bits(number);
    return ValueRange::between(static_cast<std::uint64_t>(std::popcount(bits.always)),
                               static_cast<std::uint64_t>(std::popcount(bits.ever)));
}

ValueRange highest_one(const ValueRange& number, bool from_above) {
    const ValueRange::Ends ends = number.ends(false);
    const ValueRange none{~std::uint32_t{0}};
    if (ends.hi == 0) return none;
    const ValueRange position =
        ValueRange::between(position_of(std::max<std::int64_t>(ends.lo, 1)), position_of(ends.hi));
    const ValueRange found =
        from_above ? position.negated() + ValueRange{static_cast<std::uint32_t>(bits_of_word - 1)}
                   : position;
    return ends.lo > 0 ? found : found.join(none);
}

ValueRange permuted_bytes(const ValueRange& a, std::uint32_t selector, const ValueRange& b) {
    const std::array<KnownBits, 2> sources{known_bits(a), known_bits(b)};
    KnownBits result;
    for (unsigned place = 0; place < 4; ++place) {
        const unsigned digit = selector >> (4 * place) & 0xfU;
        const KnownBits& source = sources[digit >> 2U & 1U];
        const bool sign = (digit & 8U) != 0;
        result.always |= byte_of(source.always, digit & 3U, sign) << (8 * place);
        result.ever |= byte_of(source.ever, digit & 3U, sign) << (8 * place);
    }
    const auto last = a.unsigned_last();
    // The lower half, zeros above it: the numbers that fit stay as they are.
    constexpr std::uint32_t lower_half = 0xffff;
    if ((selector & 0xffU) == 0x10U && (result.ever & ~lower_half) == 0 && last &&
        *last <= lower_half)
        return a;
    return ValueRange::between(result.always, result.ever)
        .with_low_bits(static_cast<unsigned>(std::countr_zero(result.always ^ result.ever)));
}

ValueRange extreme(const ValueRange& a, const ValueRange& b, bool is_signed,
                   std::optional<bool> smaller) {
    if (!smaller) return a.join(b);
    const ValueRange::Ends one = a.ends(is_signed);
    const ValueRange::Ends other = b.ends(is_signed);
    // One of the two where they do not overlap.
    if (one.hi <= other.lo) return *smaller ? a : b;
    if (other.hi <= one.lo) return *smaller ? b : a;
    const std::int64_t lo = *smaller ? std::min(one.lo, other.lo) : std::max(one.lo, other.lo);
    const std::int64_t hi = *smaller ? std::min(one.hi, other.hi) : std::max(one.hi, other.hi);
    return (ValueRange{static_cast<std::uint32_t>(lo)} +
            ValueRange::between(0, static_cast<std::uint64_t>(hi - lo)));
}

ValueRange quotient(const ValueRange& number, const ValueRange& divisor) {
    const ValueRange::Ends n = number.ends(false);
    const ValueRange::Ends d = divisor.ends(false);
    if (d.lo == 0) return {};
    return ValueRange::between(static_cast<std::uint64_t>(n.lo / d.hi),
                               static_cast<std::uint64_t>(n.hi / d.lo));
}

ValueRange remainder(const ValueRange& number, const ValueRange& divisor) {
    const ValueRange::Ends n = number.ends(false);
    const ValueRange::Ends d = divisor.ends(false);
    if (d.lo == 0) return {};
    if (n.hi < d.lo) return number;
    if (d.lo == d.hi && n.lo / d.lo == n.hi / d.lo)
        return ValueRange::between(static_cast<std::uint64_t>(n.lo % d.lo),
                                   static_cast<std::uint64_t>(n.hi % d.lo));
    return ValueRange::between(0, static_cast<std::uint64_t>(std::min(n.hi, d.hi - 1)));
}

std::optional<ValueRange> loaded_range(const assembly::Instruction& instruction) {
    constexpr std::array<std::string_view, 7> loads{"LDG", "LD",   "LDS", "LDL",
                                                    "LDC", "ULDC", "LDCU"};
    if (std::ranges::find(loads, instruction.mnemonic) == loads.end() ||
        instruction.operands.size() != 2)
        return std::nullopt;
    const auto from_signed = [](std::uint32_t half) {
        return ValueRange{0 - half} + ValueRange::between(0, 2 * std::uint64_t{half} - 1);
    };
    if (instruction.has_modifier("U8")) return ValueRange::between(0, 0xff);
    if (instruction.has_modifier("U16")) return ValueRange::between(0, 0xffff);
    if (instruction.has_modifier("S8")) return from_signed(0x80);
    if (instruction.has_modifier("S16")) return from_signed(0x8000);
    return std::nullopt;
}

} // namespace warpbound::analyzer
