#include "assembly/binary/elf.hpp"

#include "assembly/binary/byte_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warpbound::assembly {

namespace {

constexpr std::uint64_t header_bytes = 64;
constexpr std::uint64_t section_header_bytes = 64;
constexpr std::uint64_t symbol_bytes = 24;
constexpr std::uint32_t symbol_table = 2;
constexpr std::uint32_t no_bits = 8;

/// A number of a table whose extent was checked.
template <typename Number> Number field(std::string_view bytes, std::uint64_t offset) {
    return number_at<Number>(bytes, offset).value_or(0);
}

struct SectionHeader {
    std::uint32_t name = 0;
    std::uint32_t type = 0;
    std::uint64_t address = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t link = 0;
};

SectionHeader header_of(std::string_view table, std::size_t index) {
    const std::uint64_t at = index * section_header_bytes;
    return {field<std::uint32_t>(table, at),      field<std::uint32_t>(table, at + 4),
            field<std::uint64_t>(table, at + 16), field<std::uint64_t>(table, at + 24),
            field<std::uint64_t>(table, at + 32), field<std::uint32_t>(table, at + 40)};
}

Failure broken(std::string what) {
    return Failure{"not a whole ELF file: " + std::move(what)};
}

Result<void> check_identification(std::string_view bytes) {
    if (!is_elf(bytes)) return Failure{"no ELF file"};
    if (bytes.size() < header_bytes) return broken("its header ends early");
    if (bytes[4] != 2 || bytes[5] != 1)
        return Failure{"an ELF file of another class or byte order; expected 64 bits, "
                       "little-endian"};
    return boost::outcome_v2::success();
}

/// The table of section headers; empty where there is none.
Result<std::string_view> section_table(std::string_view bytes) {
    const auto offset = field<std::uint64_t>(bytes, 40);
    const auto entry = field<std::uint16_t>(bytes, 58);
    const std::uint64_t count = field<std::uint16_t>(bytes, 60);
    if (count == 0) return std::string_view{};
    if (entry != section_header_bytes)
        return broken(
            fmt::format("section headers of {} bytes; expected {}", entry, section_header_bytes));
    const auto table = bytes_at(bytes, offset, count * section_header_bytes);
    if (!table) return broken("its section headers end early");
    return *table;
}

Result<void> read_symbols(std::string_view table, std::string_view names, ElfFile& file) {
    for (std::uint64_t at = 0; at + symbol_bytes <= table.size(); at += symbol_bytes) {
        const auto name = text_at(names, field<std::uint32_t>(table, at));
        if (!name) return broken("the name of a symbol ends early");
        const auto info = field<std::uint8_t>(table, at + 4);
        file.symbols.push_back({*name, info & 15U, field<std::uint8_t>(table, at + 5),
                                field<std::uint16_t>(table, at + 6),
                                field<std::uint64_t>(table, at + 16),
                                field<std::uint64_t>(table, at + 8)});
    }
    return boost::outcome_v2::success();
}

} // namespace

const ElfSection* ElfFile::section(std::string_view name) const {
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const ElfSection& one) { return one.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

bool is_elf(std::string_view bytes) {
    return bytes.substr(0, 4) == "\x7f"
                                 "ELF";
}

Result<ElfFile> read_elf(std::string_view bytes) {
    if (auto checked = check_identification(bytes); !checked) return checked.as_failure();
    ElfFile file;
    file.type = field<std::uint16_t>(bytes, 16);
    file.machine = field<std::uint16_t>(bytes, 18);
    file.os_abi = field<std::uint8_t>(bytes, 7);
    file.abi_version = field<std::uint8_t>(bytes, 8);
    file.flags = field<std::uint32_t>(bytes, 48);
    const auto table = section_table(bytes);
    if (!table) return table.as_failure();
    const std::size_t count = table.value().size() / section_header_bytes;
    const auto contents_of = [&](const SectionHeader& header) -> std::optional<std::string_view> {
        if (header.type == no_bits) return std::string_view{};
        return bytes_at(bytes, header.offset, header.size);
    };
    const std::size_t names_index = field<std::uint16_t>(bytes, 62);
    std::string_view names;
    if (names_index < count)
        names = contents_of(header_of(table.value(), names_index)).value_or(std::string_view{});
    for (std::size_t i = 0; i < count; ++i) {
        const SectionHeader header = header_of(table.value(), i);
        const auto name =
            i == 0 ? std::optional<std::string_view>{""} : text_at(names, header.name);
        if (!name) return broken(fmt::format("the name of section {} ends early", i));
        const auto contents = i == 0 ? std::optional<std::string_view>{""} : contents_of(header);
        if (!contents) return broken(fmt::format("section {} '{}' ends early", i, *name));
        file.sections.push_back({*name, header.type, header.size, *contents, header.address});
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (file.sections[i].type != symbol_table) continue;
        const std::uint32_t link = header_of(table.value(), i).link;
        if (link >= count) return broken("the names of its symbols are missing");
        if (auto read = read_symbols(file.sections[i].contents, file.sections[link].contents, file);
            !read)
            return read.as_failure();
    }
    return file;
}

Failure refusal_of_relocatable_code() {
    return Failure{
        "relocatable device code (nvcc -rdc=true) that is not linked: calls and "
        "addresses are still open; expected the executable, or linked code: nvcc -dlink "
        "-arch=sm_75 A.o B.o -o linked.o, or nvlink -arch=sm_75 A.o B.o -o linked.cubin"};
}

} // namespace warpbound::assembly
