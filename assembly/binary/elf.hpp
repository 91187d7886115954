#pragma once
/// \file
/// Sections and symbols of an ELF file: 64-bit, little-endian.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

struct ElfSection {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t size = 0;    ///< `Unit:` bytes; of the memory, where the file holds none.
    std::string_view contents; ///< Empty where the file holds none (SHT_NOBITS).
    std::uint64_t address = 0; ///< In memory; 0 in relocatable files.
};

struct ElfSymbol {
    std::string_view name;
    unsigned type = 0;  ///< 2: a function.
    unsigned other = 0; ///< Visibility and flags of the machine.
    std::uint32_t section = 0;
    std::uint64_t size = 0;
    std::uint64_t value = 0; ///< An address; in relocatable files an offset in its section.
};

struct ElfFile {
    std::uint16_t machine = 0;
    std::uint16_t type = 0;
    unsigned os_abi = 0;
    unsigned abi_version = 0;
    std::uint32_t flags = 0;
    std::vector<ElfSection> sections;
    std::vector<ElfSymbol> symbols; ///< By index; all symbol tables' in one list.

    /// The first section of this name.
    [[nodiscard]] const ElfSection* section(std::string_view name) const;
};

inline constexpr std::uint16_t elf_machine_cuda = 190;
inline constexpr std::uint16_t elf_machine_amd = 224;
inline constexpr std::uint16_t elf_relocatable = 1;

/// Whether the bytes begin as an ELF file does.
bool is_elf(std::string_view bytes);

/// Reads the tables; all texts point into `bytes`. Refuses other classes and byte orders, and
/// tables that reach past the end.
Result<ElfFile> read_elf(std::string_view bytes);

/// Of code that nvlink has not linked yet, with what to type.
Failure refusal_of_relocatable_code();

} // namespace warpbound::assembly
