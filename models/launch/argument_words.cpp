#include "models/launch/argument_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

namespace warpbound::models {

namespace {

constexpr std::string_view multiple = "multiple:";
constexpr std::string_view disjoint = "disjoint:";
constexpr unsigned least_bits_of_buffer = 8;
constexpr std::uint64_t bank_bytes = 65536;

Failure expected(const char* what) {
    return Failure{.what = fmt::format("expected {}", what), .where = {}};
}

/// The lowest bits that are 0 in multiples of a power of two from 2 to 2^31.
std::optional<unsigned> bits_of_multiple(std::string_view text) {
    const auto number = read_number(text);
    if (!number || *number < 2 || *number > (std::uint64_t{1} << 31U) ||
        !std::has_single_bit(*number))
        return std::nullopt;
    return static_cast<unsigned>(std::countr_zero(*number));
}

} // namespace

std::optional<std::uint64_t> read_number(std::string_view text) {
    const bool hexadecimal = text.substr(0, 2) == "0x";
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t number = 0;
    const char* const stop = text.data() + text.size();
    const auto read = std::from_chars(text.data(), stop, number, hexadecimal ? 16 : 10);
    if (read.ec != std::errc{} || read.ptr != stop) return std::nullopt;
    return number;
}

std::optional<unsigned> read_multiple(std::string_view text) {
    if (text.substr(0, multiple.size()) != multiple) return std::nullopt;
    return bits_of_multiple(text.substr(multiple.size()));
}

Result<void> add_argument_word(std::string_view text, ArgumentWords& words) {
    const std::size_t equals = std::min(text.find('='), text.size());
    std::string_view value = text.substr(std::min(equals + 1, text.size()));
    const auto offset = read_number(text.substr(0, equals));
    if (!offset || *offset % 4 != 0 || *offset >= bank_bytes)
        return expected("OFFSET=VALUE with the offset of a 32-bit word in constant bank 0, as in "
                        "0x160=128 or 0x168=multiple:256");
    ArgumentWord word;
    if (value.substr(0, disjoint.size()) == disjoint) {
        const auto bits = bits_of_multiple(value.substr(disjoint.size()));
        if (!bits || *bits < least_bits_of_buffer)
            return expected("disjoint:N with a power of two, 256 to 2^31");
        word.bits = *bits;
        word.is_disjoint = true;
    } else if (value.substr(0, multiple.size()) == multiple) {
        const auto bits = read_multiple(value);
        if (!bits) return expected("a multiple of a power of two, 2 to 2^31");
        word.bits = *bits;
    } else {
        const bool negative = !value.empty() && value.front() == '-';
        if (negative) value.remove_prefix(1);
        const auto number = read_number(value);
        if (!number || *number > (negative ? std::uint64_t{1} << 31U : 0xffffffffU))
            return expected("a value of 32 bits, or multiple:N");
        word.value = static_cast<std::uint32_t>(negative ? 0 - *number : *number);
    }
    if (!words.emplace(static_cast<std::int64_t>(*offset), word).second)
        return expected("each word once");
    return boost::outcome_v2::success();
}

std::string to_string(const ArgumentWords& words) {
    std::string out;
    for (const auto& [offset, word] : words)
        out += fmt::format("{}0x{:x}={}", out.empty() ? "" : ",", offset,
                           word.bits == 32
                               ? fmt::format("{}", word.value)
                               : fmt::format("{}{}", word.is_disjoint ? disjoint : multiple,
                                             std::uint64_t{1} << word.bits));
    return out;
}

} // namespace warpbound::models
