#pragma once
/// \file
/// Little-endian numbers and texts inside a byte sequence of unknown origin, without reading past
/// its end.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpbound::assembly {

/// The bytes from `offset` on, `size` of them; nothing where they do not all exist.
inline std::optional<std::string_view> bytes_at(std::string_view bytes, std::uint64_t offset,
                                                std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

/// The number of `sizeof(Number)` bytes at an offset.
template <typename Number>
std::optional<Number> number_at(std::string_view bytes, std::uint64_t offset) {
    const auto part = bytes_at(bytes, offset, sizeof(Number));
    if (!part) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = sizeof(Number); i > 0; --i)
        value = value << 8U | static_cast<unsigned char>((*part)[i - 1]);
    return static_cast<Number>(value);
}

/// The text up to the next zero byte; nothing where there is none.
inline std::optional<std::string_view> text_at(std::string_view bytes, std::uint64_t offset) {
    if (offset >= bytes.size()) return std::nullopt;
    const std::string_view rest = bytes.substr(static_cast<std::size_t>(offset));
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
}

} // namespace warpbound::assembly
