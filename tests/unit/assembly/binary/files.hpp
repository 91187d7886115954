#pragma once
/// \file
/// The committed binaries, and host programs made around them.

#include "assembly/support/source_text.hpp"

#include <string>
#include <string_view>

namespace warpbound::assembly {

inline std::string binary(const std::string& name) {
    return read_source(WARPBOUND_SOURCE_DIR "/tests/data/binary/" + name).value().text;
}

inline std::string little_endian(std::uint64_t value, std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i, value >>= 8U)
        out += static_cast<char>(value & 0xffU);
    return out;
}

/// A 64-bit ELF file of an x86 program with one section of this name and these contents.
inline std::string host_elf(const std::string& section, const std::string& contents) {
    const std::string names = std::string{'\0'} + section + std::string{'\0'} + ".shstrtab" + '\0';
    const std::size_t names_at = 64 + contents.size();
    const std::size_t table_at = names_at + names.size();
    const auto header = [](std::uint64_t name, std::uint64_t type, std::uint64_t offset,
                           std::uint64_t size) {
        return little_endian(name, 4) + little_endian(type, 4) + little_endian(0, 16) +
               little_endian(offset, 8) + little_endian(size, 8) + little_endian(0, 24);
    };
    std::string out = "\x7f"
                      "ELF";
    out += std::string{2, 1, 1} + std::string(9, '\0');
    out += little_endian(2, 2) + little_endian(62, 2) + little_endian(1, 4) + little_endian(0, 16);
    out += little_endian(table_at, 8) + little_endian(0, 4) + little_endian(64, 2) +
           little_endian(0, 4) + little_endian(64, 2) + little_endian(3, 2) + little_endian(2, 2);
    out += contents + names;
    out += header(0, 0, 0, 0) + header(1, 1, 64, contents.size()) +
           header(2 + section.size(), 3, names_at, names.size());
    return out;
}

} // namespace warpbound::assembly
