#include "assembly/support/printable.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace warpbound {

namespace {

/// A character at the begin of a text; of 0 bytes if there is none in UTF-8.
struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
    std::uint32_t code = first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {};
        code = code << 6U | (byte(i) & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least.at(size) || surrogate || code > 0x10ffff) return {};
    return {code, size};
}

bool is_obeyed(std::uint32_t code) {
    if (code < 0x20) return code != '\n' && code != '\t';
    const bool separates = code == 0x2028 || code == 0x2029;
    const bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
                       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return (code >= 0x7f && code <= 0x9f) || separates || turns;
}

} // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t bytes = first_character(text).bytes;
        if (bytes == 0) return false;
        text.remove_prefix(bytes);
    }
    return true;
}

std::string printable(std::string text) {
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Character found = first_character(std::string_view{text}.substr(at));
        const std::size_t bytes = found.bytes == 0 ? 1 : found.bytes;
        if (found.bytes == 0 || is_obeyed(found.code)) {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), found.bytes == 0 ? "\\x%02x" : "\\u%04x",
                          found.bytes == 0 ? static_cast<unsigned char>(text[at]) : found.code);
            out.append(text, copied, at - copied).append(escaped.data());
            copied = at + bytes;
        }
        at += bytes;
    }
    if (copied == 0) return text;
    return out.append(text, copied, std::string::npos);
}

std::string without_formula(std::string_view field) {
    const bool like_one =
        !field.empty() && std::string_view{"=+-@\t\r'"}.find(field[0]) != std::string_view::npos;
    return (like_one ? "'" : "") + std::string{field};
}

} // namespace warpbound
