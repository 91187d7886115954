/// \file
/// Steps of accesses to memory: addresses, arguments of the kernel, what a launch adds to them.

#include "analyzer/value/wavefront_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace warpbound::analyzer {

using assembly::Instruction;
using assembly::MemoryOperand;
using assembly::OpcodeClass;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;
using assembly::StateSpace;

namespace {

constexpr std::int64_t word_bytes = 4;

/// v[2:3], off; v2, s[0:1]; v2 of LDS.
std::optional<MemoryOperand> address_of(const FormSteps& steps, std::size_t at) {
    const Instruction& access = steps.instruction();
    MemoryOperand address;
    const auto base = register_in(without_fields(text_of_operand(access, at)));
    if (!base || base->file != assembly::RegisterFile::Vector) return std::nullopt;
    address.base = register_operand(lane_register(*base, View::Active));
    address.offset = field_of(access, "offset").value_or(0);
    if (access.effects.memory->space == StateSpace::Shared) return address;
    // The last operand is the base of the wavefront, with what is appended to it.
    const auto uniform = without_fields(text_of_operand(access, access.operands.size() - 1));
    if (uniform == "off") return address;
    const auto scalar = register_in(uniform);
    const auto number = scalar ? number_register(*scalar) : std::nullopt;
    if (!number) return std::nullopt;
    address.uniform = register_operand(*number);
    return address;
}

std::string_view form_of(const Instruction& access) {
    const bool shared = access.effects.memory->space == StateSpace::Shared;
    switch (access.opcode_class) {
    case OpcodeClass::LoadShared:
    case OpcodeClass::LoadGlobal:
        return shared ? "LDS" : "LDG";
    case OpcodeClass::StoreShared:
    case OpcodeClass::StoreGlobal:
        return shared ? "STS" : "STG";
    case OpcodeClass::AtomicShared:
        return "ATOMS";
    case OpcodeClass::AtomicGlobal:
        return "ATOMG";
    default:
        return {};
    }
}

bool contains_any(const std::string& name, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

/// ds_read2_b32, ds_load_2addr_b32 of gfx11.
bool has_two_addresses(const Instruction& access) {
    return contains_any(access.mnemonic, {"read2", "write2", "xchg2", "_2addr"});
}

/// The two offsets of ds_read2_b32, in bytes; nothing for other accesses.
std::optional<std::array<std::int64_t, 2>> two_offsets(const Instruction& access) {
    constexpr std::int64_t stride = 64; // Of read2st64: the offsets count so many words.
    if (!has_two_addresses(access)) return std::nullopt;
    const std::int64_t unit = access.effects.memory->bytes_per_lane / 2 *
                              (contains_any(access.mnemonic, {"st64", "stride64"}) ? stride : 1);
    return std::array{field_of(access, "offset0").value_or(0) * unit,
                      field_of(access, "offset1").value_or(0) * unit};
}

/// Adds an access whose address is known; nothing where it has another form.
void add_access(FormSteps& steps, std::vector<std::size_t>& main) {
    const Instruction& access = steps.instruction();
    const std::string_view form = form_of(access);
    const bool returns = !access.effects.writes.empty() && access.effects.memory->load;
    auto address = address_of(steps, returns ? 1 : 0);
    const auto two = two_offsets(access);
    if (form.empty() || !address || (two && form == "ATOMS")) return;
    const auto add = [&](std::vector<Operand> operands, bool writes) -> Instruction& {
        Instruction& step = steps.add(form, {}, std::move(operands), writes);
        step.opcode_class = access.opcode_class;
        step.effects.memory = access.effects.memory;
        return step;
    };
    for (std::size_t i = 0; i < (two ? 2U : 1U); ++i) {
        if (two) address->offset = two->at(i);
        Instruction& counted = add({*address}, false);
        if (two) counted.effects.memory->bytes_per_lane /= 2;
        main.push_back(i);
        if (!steps.is_partial()) continue;
        counted.guard = assembly::Guard{steps.exec()};
        counted.effects.reads.push_back(exec_predicate);
        std::sort(counted.effects.reads.begin(), counted.effects.reads.end());
    }
    if (const auto result = steps.destination();
        returns && !two && result && form.starts_with("LD") && access.effects.writes.size() == 1 &&
        std::ranges::count(access.effects.reads, access.effects.writes.front()) == 0)
        add({operand_of(*result), *address}, true);
}

std::string special_register(bool of_grid, int dimension) {
    return fmt::format("SR_{}.{}", of_grid ? "NCTAID" : "NTID", static_cast<char>('X' + dimension));
}

/// The extents that a word behind the arguments contains; false where it has none, or a part.
bool add_hidden(const assembly::EntryState& entry, std::int64_t offset, Register result,
                FormSteps& steps) {
    std::vector<assembly::HiddenArgument> parts;
    for (const assembly::HiddenArgument& one : entry.hidden)
        if (one.offset >= offset && one.offset + one.bytes <= offset + word_bytes)
            parts.push_back(one);
    int bytes = 0;
    for (const auto& one : parts)
        bytes += one.bytes;
    if (bytes != word_bytes) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Register place =
            i == 0 && parts.size() == 1
                ? result
                : Register{assembly::RegisterFile::Uniform, temporary(static_cast<int>(i)).index};
        steps.add("S2R", {},
                  {operand_of(place), assembly::SpecialRegisterOperand{
                                          special_register(parts[i].of_grid, parts[i].dimension)}});
    }
    if (parts.size() == 1) return true;
    const auto part = [&](std::int64_t at) {
        const std::size_t i = parts[0].offset == at ? 0 : 1;
        return operand_of(
            Register{assembly::RegisterFile::Uniform, temporary(static_cast<int>(i)).index});
    };
    steps.add(
        "IMAD", {},
        {operand_of(result), part(offset + 2), operand_of(std::int64_t{1} << 16U), part(offset)});
    return true;
}

/// Words of the arguments stand in constant bank 0.
void add_arguments(FormSteps& steps) {
    const Instruction& load = steps.instruction();
    const FormContext& context = steps.context();
    const auto base = register_in(text_of_operand(load, 1));
    const std::string_view stated = text_of_operand(load, 2);
    const auto offset = stated == "null" ? std::optional<std::int64_t>{0} : integer_in(stated);
    if (!context.masks.holds_argument_pointer[context.index] || !base || !offset ||
        *offset % word_bytes != 0)
        return;
    const auto& entry = context.function.entry;
    const bool is_pointer =
        std::ranges::any_of(entry.registers, [&](const assembly::EntryRegister& one) {
            return one.value == assembly::EntryValue::ArgumentPointer && one.reg == *base;
        });
    const int words = load.effects.memory->bytes_per_lane / 4;
    for (int word = 0; is_pointer && word < words; ++word) {
        const auto result = steps.destination(word);
        const std::int64_t at = *offset + word * word_bytes;
        if (!result || add_hidden(entry, at, *result, steps)) continue;
        assembly::ConstantOperand argument;
        argument.offset = at;
        steps.add("LDC", {}, {operand_of(*result), argument});
    }
}

} // namespace

bool add_memory_form(std::string_view name, FormSteps& steps, std::vector<std::size_t>& main) {
    const auto& memory = steps.instruction().effects.memory;
    if (!memory) return false;
    if (name.starts_with("s_load_dword") || name.starts_with("s_load_b")) add_arguments(steps);
    if ((name.starts_with("global_") && memory->space == StateSpace::Global) ||
        (name.starts_with("ds_") && memory->space == StateSpace::Shared))
        add_access(steps, main);
    return true;
}

} // namespace warpbound::analyzer
