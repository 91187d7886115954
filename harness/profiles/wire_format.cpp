/// \file
/// `Source:` Protocol Buffers documentation, "Encoding".
#include "harness/profiles/wire_format.hpp"

#include <fmt/format.h>

namespace warpbound::harness::profiles {

namespace {

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
    return value;
}

Result<std::uint64_t> take_fixed(Piece& rest, std::size_t size) {
    const auto bytes = take_bytes(rest, size, "a number");
    if (!bytes) return bytes.as_failure();
    return little_endian(bytes.value().bytes);
}

Result<std::uint64_t> take_varint(Piece& rest) {
    constexpr unsigned bits = 64;
    const std::size_t at = rest.at;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < bits; shift += 7) {
        const auto byte = take_fixed(rest, 1);
        if (!byte) return byte.as_failure();
        const std::uint64_t part = byte.value() & 0x7fU;
        if (shift + 1 == bits && part > 1) break;
        value |= part << shift;
        if (byte.value() < 0x80U) return value;
    }
    return refuse_at(at, "a number of more than 64 bits");
}

} // namespace

Failure refuse_at(std::size_t at, std::string_view what) {
    return Failure{fmt::format("at byte {}: {}", at, what)};
}

Result<Piece> take_bytes(Piece& rest, std::uint64_t size, std::string_view what) {
    if (size > rest.bytes.size())
        return refuse_at(rest.at, fmt::format("{} of {} bytes, of which {} are there", what, size,
                                              rest.bytes.size()));
    const auto count = static_cast<std::size_t>(size);
    const Piece taken{rest.bytes.substr(0, count), rest.at};
    rest.bytes.remove_prefix(count);
    rest.at += count;
    return taken;
}

Result<Piece> take_sized(Piece& rest, std::string_view what) {
    const auto size = take_fixed(rest, 4);
    if (!size) return size.as_failure();
    return take_bytes(rest, size.value(), what);
}

Result<std::optional<WireField>> take_field(Piece& message) {
    if (message.bytes.empty()) return std::optional<WireField>{};
    WireField field;
    field.at = message.at;
    const auto tag = take_varint(message);
    if (!tag) return tag.as_failure();
    field.number = tag.value() >> 3U;
    field.type = static_cast<WireType>(tag.value() & 7U);
    if (field.number == 0) return refuse_at(field.at, "a field with number 0");
    const auto number = [&]() -> Result<std::uint64_t> {
        switch (field.type) {
        case WireType::Varint:
        case WireType::Bytes:
            return take_varint(message);
        case WireType::Fixed64:
            return take_fixed(message, 8);
        case WireType::Fixed32:
            return take_fixed(message, 4);
        }
        return refuse_at(field.at, fmt::format("a field of wire type {}", tag.value() & 7U));
    }();
    if (!number) return number.as_failure();
    field.value = number.value();
    if (field.type != WireType::Bytes) return std::optional{field};
    const auto content = take_bytes(message, field.value, "a field");
    if (!content) return content.as_failure();
    field.content = content.value();
    return std::optional{field};
}

Result<void> expect_type(const WireField& field, WireType type) {
    if (field.type == type) return boost::outcome_v2::success();
    return refuse_at(field.at, fmt::format("field {} has wire type {}; expected {}", field.number,
                                           static_cast<int>(field.type), static_cast<int>(type)));
}

} // namespace warpbound::harness::profiles
