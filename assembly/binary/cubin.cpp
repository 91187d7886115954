#include "assembly/binary/cubin.hpp"

#include "assembly/binary/byte_reader.hpp"
#include "assembly/binary/elf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::assembly {

namespace {

// Attributes of the sections .nv.info and .nv.info.<kernel>: a format, a name, then 16 bits that
// are the value or, of format 4, the number of bytes that follow.
// Source: read off the output of CUDA 11.8 and 13.0 with cuobjdump -elf beside it.
constexpr unsigned sized_format = 0x04;
constexpr unsigned parameter_bank = 0x0a;       // Symbol; offset and bytes of the parameters.
constexpr unsigned frame_size = 0x11;           // Symbol, bytes.
constexpr unsigned parameter_info = 0x17;       // Index, ordinal, offset, bit fields with the size.
constexpr unsigned parameter_bytes = 0x19;      // Of all parameters.
constexpr unsigned register_count = 0x2f;       // Symbol, registers.
constexpr unsigned parameter_info_large = 0x45; // Index, ordinal, offset, size.

constexpr unsigned function_symbol = 2;
constexpr unsigned entry_flag = 0x10; // STO_CUDA_ENTRY
constexpr std::size_t most_kernels = 65536;

struct Attribute {
    unsigned name = 0;
    std::string_view bytes; ///< Of format 4; else the two bytes of the value.
};

/// Empty where the section is not whole.
std::optional<std::vector<Attribute>> attributes_of(std::string_view section) {
    std::vector<Attribute> attributes;
    while (!section.empty()) {
        const auto head = bytes_at(section, 0, 4);
        if (!head) return std::nullopt;
        Attribute attribute{static_cast<unsigned char>((*head)[1]), head->substr(2)};
        std::size_t length = 4;
        if (static_cast<unsigned char>((*head)[0]) == sized_format) {
            const auto payload = bytes_at(section, 4, *number_at<std::uint16_t>(section, 2));
            if (!payload) return std::nullopt;
            attribute.bytes = *payload;
            length += payload->size();
        }
        attributes.push_back(attribute);
        section.remove_prefix(length);
    }
    return attributes;
}

std::optional<Target> target_of(const ElfFile& file) {
    const std::uint32_t sm = file.abi_version >= 8 ? file.flags >> 8U & 0xffU : file.flags & 0xffU;
    return parse_target(fmt::format("sm_{}", sm));
}

/// Values of an attribute of .nv.info by the symbol that they are for.
std::map<std::uint32_t, std::int64_t> by_symbol(const std::vector<Attribute>& attributes,
                                                unsigned name) {
    std::map<std::uint32_t, std::int64_t> values;
    for (const Attribute& attribute : attributes) {
        const auto symbol = number_at<std::uint32_t>(attribute.bytes, 0);
        const auto value = number_at<std::uint32_t>(attribute.bytes, 4);
        if (attribute.name == name && symbol && value) values[*symbol] = *value;
    }
    return values;
}

struct Parameter {
    std::uint16_t ordinal = 0;
    std::uint16_t offset = 0;
    std::int64_t size = 0;
};

std::optional<Parameter> parameter_of(const Attribute& attribute) {
    const auto ordinal = number_at<std::uint16_t>(attribute.bytes, 4);
    const auto offset = number_at<std::uint16_t>(attribute.bytes, 6);
    const auto last = number_at<std::uint32_t>(attribute.bytes, 8);
    if (!ordinal || !offset || !last) return std::nullopt;
    return Parameter{*ordinal, *offset,
                     attribute.name == parameter_info_large ? *last : *last >> 18U};
}

/// Nothing unless every parameter is described once and lies within the bank's parameters.
std::optional<std::vector<KernelParameterLayout>>
parameters_of(const std::vector<Attribute>& attributes) {
    std::int64_t base = 0;
    bool is_placed = false;
    std::int64_t bytes = 0;
    std::int64_t total = 0;
    std::vector<Parameter> found;
    for (const Attribute& attribute : attributes) {
        if (attribute.name == parameter_bank) {
            is_placed = attribute.bytes.size() >= 8;
            base = number_at<std::uint16_t>(attribute.bytes, 4).value_or(0);
            bytes = number_at<std::uint16_t>(attribute.bytes, 6).value_or(0);
        } else if (attribute.name == parameter_bytes) {
            total = number_at<std::uint16_t>(attribute.bytes, 0).value_or(0);
        } else if (attribute.name == parameter_info || attribute.name == parameter_info_large) {
            const auto parameter = parameter_of(attribute);
            if (!parameter) return std::nullopt;
            found.push_back(*parameter);
        }
    }
    std::vector<KernelParameterLayout> layout;
    if (found.empty())
        return bytes == 0 && total == 0 ? std::optional{std::move(layout)} : std::nullopt;
    if (!is_placed) return std::nullopt;
    std::sort(found.begin(), found.end(),
              [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
    std::int64_t end = 0;
    for (const Parameter& parameter : found) {
        if (parameter.ordinal != layout.size() || parameter.size < 1 || parameter.offset < end ||
            parameter.offset + parameter.size > bytes)
            return std::nullopt;
        end = parameter.offset + parameter.size;
        layout.push_back({base + parameter.offset, parameter.size});
    }
    return layout;
}

std::vector<Attribute> section_attributes(const ElfFile& file, const std::string& name) {
    const ElfSection* section = file.section(name);
    if (section == nullptr) return {};
    return attributes_of(section->contents).value_or(std::vector<Attribute>{});
}

std::int64_t shared_memory_of(const ElfFile& file, const std::string& kernel, Target target) {
    const ElfSection* section = file.section(".nv.shared." + kernel);
    const auto bytes = section == nullptr ? 0 : static_cast<std::int64_t>(section->size);
    return std::max<std::int64_t>(bytes - reserved_shared_memory(target), 0);
}

/// Sections `.nv.constant3` of the module and `.nv.constant2.KERNEL`.
std::map<std::int64_t, std::string> constants_of(const ElfFile& file, const std::string& kernel) {
    constexpr std::int64_t last_bank = 17;
    std::map<std::int64_t, std::string> constants;
    for (std::int64_t bank = 1; bank <= last_bank; ++bank) {
        const std::string of_module = fmt::format(".nv.constant{}", bank);
        for (const std::string& name : {of_module, of_module + "." + kernel}) {
            const ElfSection* const section = file.section(name);
            const bool is_relocated =
                file.section(".rel" + name) != nullptr || file.section(".rela" + name) != nullptr;
            if (section == nullptr || is_relocated || section->size > (1U << 16U)) continue;
            std::string& bytes = constants[bank] = std::string{section->contents};
            bytes.resize(section->size);
        }
    }
    return constants;
}

} // namespace

bool is_cubin(std::string_view bytes) {
    return is_elf(bytes) && number_at<std::uint16_t>(bytes, 18) == elf_machine_cuda;
}

std::optional<Target> target_of_cubin(std::string_view bytes) {
    const auto file = read_elf(bytes);
    if (!file || file.value().machine != elf_machine_cuda) return std::nullopt;
    return target_of(file.value());
}

Result<Cubin> read_cubin(std::string_view bytes) {
    const auto read = read_elf(bytes);
    if (!read) return read.as_failure();
    const ElfFile& file = read.value();
    if (file.machine != elf_machine_cuda)
        return Failure{fmt::format("an ELF file of machine {}; expected {} (CUDA)", file.machine,
                                   elf_machine_cuda)};
    const auto target = target_of(file);
    if (!target)
        return Failure{fmt::format("a cubin whose target is not known (flags 0x{:x}); expected "
                                   "sm_20 .. sm_121",
                                   file.flags)};
    if (file.type == elf_relocatable) return refusal_of_relocatable_code();
    Cubin cubin{*target, {}};
    const auto common = section_attributes(file, ".nv.info");
    const auto registers = by_symbol(common, register_count);
    const auto frames = by_symbol(common, frame_size);
    for (std::uint32_t index = 0; index < file.symbols.size(); ++index) {
        const ElfSymbol& symbol = file.symbols[index];
        if (symbol.type != function_symbol || (symbol.other & entry_flag) == 0 ||
            symbol.name.empty())
            continue;
        if (cubin.kernels.size() == most_kernels)
            return Failure{fmt::format("more than {} kernels", most_kernels)};
        CubinKernel kernel{.name = std::string{symbol.name}};
        if (const auto count = registers.find(index); count != registers.end())
            kernel.registers = count->second;
        if (const auto frame = frames.find(index); frame != frames.end())
            kernel.stack = frame->second;
        kernel.shared_memory = shared_memory_of(file, kernel.name, *target);
        kernel.parameters = parameters_of(section_attributes(file, ".nv.info." + kernel.name));
        kernel.constants = constants_of(file, kernel.name);
        cubin.kernels.push_back(std::move(kernel));
    }
    return cubin;
}

} // namespace warpbound::assembly
