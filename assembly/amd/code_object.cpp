#include "assembly/amd/code_object.hpp"

#include "assembly/amd/processor.hpp"
#include "assembly/binary/byte_reader.hpp"
#include "assembly/binary/elf.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace warpbound::assembly::amd {

namespace {

using Json = nlohmann::json;

constexpr unsigned hsa_abi = 64;
constexpr std::uint32_t note_section = 7;
constexpr std::uint32_t metadata_note = 32;
constexpr std::uint64_t descriptor_bytes = 64;
constexpr unsigned untyped_symbol = 0;
constexpr unsigned function_symbol = 2;

Failure broken(std::string what) {
    return Failure{"not a whole code object: " + std::move(what)};
}

/// The contents of the first AMD metadata note; empty: there is none.
Result<std::string_view> metadata_of(const ElfFile& file) {
    for (const ElfSection& section : file.sections) {
        if (section.type != note_section) continue;
        for (std::uint64_t at = 0; at < section.contents.size();) {
            const auto name_bytes = number_at<std::uint32_t>(section.contents, at);
            const auto bytes = number_at<std::uint32_t>(section.contents, at + 4);
            const auto type = number_at<std::uint32_t>(section.contents, at + 8);
            if (!name_bytes || !bytes || !type) return broken("a note ends early");
            const auto padded = [](std::uint64_t size) { return (size + 3U) / 4U * 4U; };
            const auto name = bytes_at(section.contents, at + 12, *name_bytes);
            const std::uint64_t begin = at + 12 + padded(*name_bytes);
            const auto contents = bytes_at(section.contents, begin, *bytes);
            if (!name || !contents) return broken("a note ends early");
            if (*type == metadata_note && name->substr(0, 6) == "AMDGPU") return *contents;
            at = begin + padded(*bytes);
        }
    }
    return std::string_view{};
}

/// Whether a value nests too deeply for the reader of values, which calls itself for each level.
class Nesting : public nlohmann::json_sax<Json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool key(string_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth_ <= deepest; }
    bool end_object() override { return --depth_ >= 0; }
    bool start_array(std::size_t) override { return ++depth_ <= deepest; }
    bool end_array() override { return --depth_ >= 0; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    static constexpr int deepest = 32;
    int depth_ = 0;
};

/// The value of a note; discarded where it cannot be read.
Json metadata_value(std::string_view note) {
    if (note.empty()) return Json::object();
    Nesting nesting;
    if (!Json::sax_parse(note, &nesting, Json::input_format_t::msgpack))
        return Json(Json::value_t::discarded);
    return Json::from_msgpack(note, true, false);
}

std::optional<std::int64_t> number_of(const Json& map, const char* key) {
    const auto found = map.find(key);
    if (found == map.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
}

std::string text_of(const Json& map, const char* key) {
    const auto found = map.find(key);
    return found != map.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// Without those that the compiler adds (`hidden_..`). Nothing: an entry is not whole.
std::optional<std::vector<KernelParameterLayout>> parameters_of(const Json& kernel) {
    std::vector<KernelParameterLayout> parameters;
    const auto arguments = kernel.find(".args");
    if (arguments == kernel.end()) return parameters;
    if (!arguments->is_array()) return std::nullopt;
    for (const Json& argument : *arguments) {
        const auto offset = argument.is_object() ? number_of(argument, ".offset") : std::nullopt;
        const auto size = argument.is_object() ? number_of(argument, ".size") : std::nullopt;
        if (!offset || !size) return std::nullopt;
        if (text_of(argument, ".value_kind").rfind("hidden_", 0) == 0) continue;
        parameters.push_back({*offset, *size, text_of(argument, ".name")});
    }
    return parameters;
}

/// The extents among what the compiler adds to the arguments.
std::vector<HiddenArgument> hidden_arguments_of(const Json& kernel) {
    std::vector<HiddenArgument> hidden;
    const auto arguments = kernel.find(".args");
    if (arguments == kernel.end() || !arguments->is_array()) return hidden;
    for (const Json& argument : *arguments) {
        if (!argument.is_object()) continue;
        const auto offset = number_of(argument, ".offset");
        const auto size = number_of(argument, ".size");
        const std::string kind = text_of(argument, ".value_kind");
        const bool of_grid = kind.rfind("hidden_block_count_", 0) == 0;
        if (!offset || !size || (!of_grid && kind.rfind("hidden_group_size_", 0) != 0)) continue;
        const int dimension = kind.back() - 'x';
        if (dimension >= 0 && dimension < 3 && *size == (of_grid ? 4 : 2))
            hidden.push_back({*offset, static_cast<int>(*size), of_grid, dimension});
    }
    return hidden;
}

/// Metadata of kernels by the name of their descriptor's symbol.
Result<std::map<std::string, Json>> kernels_of(const Json& metadata) {
    std::map<std::string, Json> kernels;
    const auto list = metadata.find("amdhsa.kernels");
    if (list == metadata.end()) return kernels;
    if (!list->is_array()) return broken("its metadata's list of kernels is none");
    for (const Json& kernel : *list) {
        if (!kernel.is_object()) return broken("a kernel of its metadata is no map");
        kernels.emplace(text_of(kernel, ".symbol"), kernel);
    }
    return kernels;
}

/// The bytes of a symbol in its section.
std::optional<std::string_view> bytes_of(const ElfFile& file, const ElfSymbol& symbol,
                                         std::uint64_t size) {
    if (symbol.section == 0 || symbol.section >= file.sections.size()) return std::nullopt;
    const ElfSection& section = file.sections[symbol.section];
    if (symbol.value < section.address) return std::nullopt;
    return bytes_at(section.contents, symbol.value - section.address, size);
}

/// The symbols of code, and where symbols begin in each section.
struct CodeSymbols {
    explicit CodeSymbols(const ElfFile& file) {
        for (const ElfSymbol& symbol : file.symbols) {
            if (symbol.section == 0) continue;
            starts.emplace(symbol.section, symbol.value);
            if (symbol.type == function_symbol || symbol.type == untyped_symbol)
                by_name.emplace(symbol.name, &symbol);
        }
    }

    std::map<std::string_view, const ElfSymbol*> by_name;
    std::set<std::pair<std::uint32_t, std::uint64_t>> starts;
};

/// Code without a stated size reaches to the next symbol of its section, or to its end.
std::uint64_t code_size(const ElfFile& file, const CodeSymbols& symbols, const ElfSymbol& symbol) {
    if (symbol.size != 0 || symbol.section >= file.sections.size()) return symbol.size;
    const ElfSection& section = file.sections[symbol.section];
    std::uint64_t end = section.address + section.contents.size();
    const auto next = symbols.starts.upper_bound({symbol.section, symbol.value});
    if (next != symbols.starts.end() && next->first == symbol.section)
        end = std::min(end, next->second);
    return end > symbol.value ? end - symbol.value : 0;
}

/// The registers that a descriptor has the hardware set, in their order. Source: LLVM, AMDGPUUsage,
/// "Initial Kernel Execution State".
void read_entry_registers(std::uint32_t properties, std::uint32_t resources,
                          const Processor& processor, CodeObjectKernel& kernel) {
    const auto bit = [](std::uint32_t word, unsigned at) { return (word >> at & 1U) != 0; };
    const auto add = [&](RegisterFile file, int index, EntryValue value) {
        kernel.entry.registers.push_back({{file, index}, value});
    };
    constexpr unsigned arguments = 3;
    constexpr std::array user_registers{4, 2, 2}; // Of what lies before the arguments' address.
    int scalar = 0;
    for (unsigned i = 0; i < arguments; ++i)
        scalar += bit(properties, i) ? user_registers.at(i) : 0;
    if (bit(properties, arguments)) add(RegisterFile::Scalar, scalar, EntryValue::ArgumentPointer);
    scalar = static_cast<int>(resources >> 1U & 0x1fU); // Behind all user registers.
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        if (bit(resources, 7 + dimension))
            add(RegisterFile::Scalar, scalar++,
                static_cast<EntryValue>(static_cast<unsigned>(EntryValue::GroupX) + dimension));
    const unsigned items = resources >> 11U & 3U;
    if (items > 2) return;
    const auto of_items = [&](EntryValue first, unsigned more) {
        return static_cast<EntryValue>(static_cast<unsigned>(first) + more);
    };
    if (processor.packs_work_items)
        return add(RegisterFile::Vector, 0, of_items(EntryValue::PackedItemX, items));
    for (unsigned dimension = 0; dimension <= items; ++dimension)
        add(RegisterFile::Vector, static_cast<int>(dimension),
            of_items(EntryValue::ItemX, dimension));
}

/// Source: LLVM, AMDGPUUsage, "Kernel Descriptor for GFX6-GFX12".
void read_descriptor(std::string_view bytes, const Processor& processor, CodeObjectKernel& kernel) {
    const auto word = [&](std::uint64_t at) {
        return number_at<std::uint32_t>(bytes, at).value_or(0);
    };
    kernel.lds_bytes = word(0);
    kernel.scratch_bytes = word(4);
    const std::uint32_t properties = number_at<std::uint16_t>(bytes, 56).value_or(0);
    constexpr std::uint32_t wave32 = 1U << 10U;
    if (processor.has_wave32 && (properties & wave32) != 0) kernel.lanes = 32;
    constexpr std::uint32_t work_group_processor_mode = 1U << 29U;
    kernel.in_compute_unit_mode =
        processor.has_wave32 && (word(48) & work_group_processor_mode) == 0;
    const std::int64_t granule = processor.encoded_vgprs_of_wave64 * (kernel.lanes == 32 ? 2 : 1);
    kernel.allocated_vgprs = ((word(48) & 0x3fU) + 1) * granule;
    read_entry_registers(properties, word(52), processor, kernel);
}

Result<void> add_metadata(const Json& metadata, CodeObjectKernel& kernel) {
    kernel.vgprs = number_of(metadata, ".vgpr_count");
    kernel.agprs = number_of(metadata, ".agpr_count");
    kernel.sgprs = number_of(metadata, ".sgpr_count");
    kernel.max_lanes = number_of(metadata, ".max_flat_workgroup_size");
    kernel.parameters = parameters_of(metadata);
    kernel.entry.hidden = hidden_arguments_of(metadata);
    if (kernel.vgprs && kernel.agprs) kernel.vgprs = *kernel.vgprs - *kernel.agprs;
    if (const auto lanes = number_of(metadata, ".wavefront_size"); lanes && *lanes != kernel.lanes)
        return broken(fmt::format("kernel '{}' has wavefronts of {} lanes by its metadata, of {} "
                                  "by its descriptor",
                                  kernel.name, *lanes, kernel.lanes));
    return boost::outcome_v2::success();
}

Result<const Processor*> processor_of(const ElfFile& file) {
    constexpr std::uint32_t mach = 0xff;
    const Processor* processor = find_processor_of_elf(file.flags & mach);
    if (processor == nullptr)
        return Failure{fmt::format("code for an AMD processor that is not read (number {:#x} in "
                                   "its ELF flags); expected one of {}",
                                   file.flags & mach, list_of_processors())};
    return processor;
}

Result<CodeObjectKernel> read_kernel(const ElfFile& file, const CodeSymbols& symbols,
                                     const ElfSymbol& descriptor, const Processor& processor) {
    CodeObjectKernel kernel;
    kernel.name = descriptor.name.substr(0, descriptor.name.size() - 3);
    const auto bytes = bytes_of(file, descriptor, descriptor_bytes);
    if (!bytes) return broken(fmt::format("the descriptor of '{}' ends early", kernel.name));
    read_descriptor(*bytes, processor, kernel);
    const auto found = symbols.by_name.find(kernel.name);
    if (found == symbols.by_name.end())
        return broken(fmt::format("kernel '{}' has a descriptor and no code", kernel.name));
    const ElfSymbol& code = *found->second;
    const auto text = bytes_of(file, code, code_size(file, symbols, code));
    if (!text || text->empty())
        return broken(fmt::format("the code of '{}' ends early", kernel.name));
    kernel.address = static_cast<std::int64_t>(code.value);
    kernel.code = *text;
    return kernel;
}

bool is_descriptor(const ElfSymbol& symbol) {
    return symbol.section != 0 && symbol.name.size() > 3 &&
           symbol.name.substr(symbol.name.size() - 3) == ".kd";
}

} // namespace

bool is_code_object(std::string_view bytes) {
    return is_elf(bytes) && number_at<std::uint16_t>(bytes, 18) == elf_machine_amd;
}

Result<void> check_mode(std::string_view kernel, WavefrontMode mode, std::int64_t described_lanes,
                        std::string_view machine) {
    if (mode.lanes != described_lanes)
        return Failure{fmt::format(
            "kernel '{}' has wavefronts of {} lanes, {} describes those of {}; expected --gpu of "
            "another description of the card: NAME is of 32 lanes, NAME-w64 of 64",
            kernel, mode.lanes, machine, described_lanes)};
    if (!mode.in_compute_unit_mode) return boost::outcome_v2::success();
    return Failure{
        fmt::format("kernel '{}' is compiled for the mode of compute units, {} describes "
                    "work-group processors; expected code compiled with -mno-cumode, "
                    "which is the default",
                    kernel, machine)};
}

Result<void> check_scalar_registers(std::string_view kernel, Target target,
                                    std::optional<std::int64_t> sgprs) {
    const auto* const processor = find_processor(target);
    if (processor == nullptr || processor->has_wave32) return boost::outcome_v2::success();
    const std::int64_t most = processor->has_unified_vgprs ? 96 : 80; // Of 8 and 10 wavefronts.
    if (sgprs.value_or(0) <= most) return boost::outcome_v2::success();
    return Failure{
        fmt::format("kernel '{}' takes {} SGPRs; expected at most {}, with which they do "
                    "not limit the wavefronts of a SIMD",
                    kernel, *sgprs, most)};
}

Result<void> check_launch(std::string_view bytes, std::string_view kernel, std::int64_t threads,
                          std::int64_t described_lanes, std::string_view machine) {
    const auto object = read_code_object(bytes);
    if (!object) return object.as_failure();
    for (const CodeObjectKernel& one : object.value().kernels) {
        if (one.name != kernel) continue;
        if (auto checked = check_scalar_registers(kernel, object.value().target, one.sgprs);
            !checked)
            return checked;
        if (auto checked =
                check_mode(kernel, {one.lanes, one.in_compute_unit_mode}, described_lanes, machine);
            !checked)
            return checked;
        if (one.max_lanes && threads > *one.max_lanes)
            return Failure{fmt::format("a block of {} threads; kernel '{}' is compiled for at most "
                                       "{}",
                                       threads, kernel, *one.max_lanes)};
        return boost::outcome_v2::success();
    }
    return Failure{fmt::format("no kernel '{}'", kernel)};
}

Result<CodeObject> read_code_object(std::string_view bytes) {
    const auto file = read_elf(bytes);
    if (!file) return file.as_failure();
    if (file.value().os_abi != hsa_abi)
        return Failure{fmt::format("AMD code of OS ABI {}; expected {} (amdhsa): compile with "
                                   "-target amdgcn-amd-amdhsa",
                                   file.value().os_abi, hsa_abi)};
    const auto processor = processor_of(file.value());
    if (!processor) return processor.as_failure();
    const auto note = metadata_of(file.value());
    if (!note) return note.as_failure();
    const Json metadata = metadata_value(note.value());
    if (!metadata.is_object()) return broken("its metadata cannot be read");
    const auto described = kernels_of(metadata);
    if (!described) return described.as_failure();
    CodeObject object{processor.value()->target(), {}, {}};
    const std::string target = text_of(metadata, "amdhsa.target");
    if (const auto at = target.find(':'); at != std::string::npos)
        object.features = target.substr(at);
    const CodeSymbols symbols{file.value()};
    std::set<std::string_view> seen;
    for (const ElfSymbol& symbol : file.value().symbols) {
        // .dynsym and .symtab both have it.
        if (!is_descriptor(symbol) || !seen.insert(symbol.name).second) continue;
        auto kernel = read_kernel(file.value(), symbols, symbol, *processor.value());
        if (!kernel) return kernel.as_failure();
        if (const auto more = described.value().find(std::string{symbol.name});
            more != described.value().end())
            if (auto added = add_metadata(more->second, kernel.value()); !added)
                return added.as_failure();
        object.kernels.push_back(std::move(kernel).value());
    }
    std::stable_sort(object.kernels.begin(), object.kernels.end(),
                     [](const auto& a, const auto& b) { return a.address < b.address; });
    return object;
}

} // namespace warpbound::assembly::amd
