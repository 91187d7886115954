#pragma once
/// \file
/// Messages in the wire format of Protocol Buffers, read without their schema.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::profiles {

/// Bytes of a file and where they are in it.
struct Piece {
    std::string_view bytes;
    std::size_t at = 0; ///< `Unit:` bytes from the start of the file.
};

/// A refusal of the form "at byte 12: what".
Failure refuse_at(std::size_t at, std::string_view what);

/// Takes a 32-bit size, little endian, and as many bytes from the front of `rest`. Refuses a size
/// beyond its end. `what`: for the message.
Result<Piece> take_sized(Piece& rest, std::string_view what);
/// Takes `size` bytes from the front of `rest`. Refuses fewer.
Result<Piece> take_bytes(Piece& rest, std::uint64_t size, std::string_view what);

/// How a field is written.
enum class WireType {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2, ///< Text or a message.
    Fixed32 = 5,
};

/// A field of a message.
struct WireField {
    std::uint64_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t value = 0; ///< Of the types with a number: its bits.
    Piece content;           ///< Of `Bytes`.
    std::size_t at = 0;      ///< `Unit:` bytes from the start of the file.
};

/// Takes the next field from the front of a message; none at its end. Refuses a field that the
/// message cuts off, a number of more than 64 bits and groups.
Result<std::optional<WireField>> take_field(Piece& message);

/// Calls `visit` for each field, until one is refused.
template <typename Visit> Result<void> for_each_field(Piece message, const Visit& visit) {
    for (;;) {
        const auto field = take_field(message);
        if (!field) return field.as_failure();
        if (!field.value()) return boost::outcome_v2::success();
        if (Result<void> visited = visit(*field.value()); !visited) return visited;
    }
}

/// Refuses a field that is written in another way than its meaning needs.
Result<void> expect_type(const WireField& field, WireType type);

} // namespace warpbound::harness::profiles
