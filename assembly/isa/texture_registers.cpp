#include "assembly/isa/texture_registers.hpp"

#include "assembly/isa/opcode.hpp"
#include "assembly/isa/operand.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace warpbound::assembly {

namespace {

constexpr int first_target = 70;
constexpr int all_components = 4;

struct NamedShape {
    std::string_view name;
    TextureShape shape;
};
constexpr auto named_shapes =
    std::to_array<NamedShape>({{"1D", {.dimensions = 1}},
                               {"1D_BUFFER", {.dimensions = 1}},
                               {"2D", {.dimensions = 2}},
                               {"3D", {.dimensions = 3}},
                               {"CUBE", {.dimensions = 3, .is_cube = true}},
                               {"ARRAY_1D", {.dimensions = 1, .is_array = true}},
                               {"ARRAY_2D", {.dimensions = 2, .is_array = true}},
                               {"ARRAY_CUBE", {3, true, true}},
                               {"1D_ARRAY", {.dimensions = 1, .is_array = true}},
                               {"2D_ARRAY", {.dimensions = 2, .is_array = true}}});

std::optional<TextureShape> shape_named(std::string_view name) {
    const auto* const found = std::ranges::find(named_shapes, name, &NamedShape::name);
    if (found == named_shapes.end()) return std::nullopt;
    return found->shape;
}

/// The text of a word: `ARRAY_2D`, or `2D`, which is read as a number that does not fit.
std::string_view word_of(const Operand& operand) {
    if (const auto* text = std::get_if<TextOperand>(&operand)) return text->text;
    const auto* number = std::get_if<ImmediateOperand>(&operand);
    return number != nullptr && !number->integer ? std::string_view{number->text}
                                                 : std::string_view{};
}

bool is_word(const Operand& operand) {
    return !word_of(operand).empty();
}

bool is_general(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && reg->file == RegisterFile::General;
}

bool is_predicate_register(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && reg->file == RegisterFile::Predicate;
}

bool is_surface(const Instruction& instruction) {
    return instruction.mnemonic.starts_with("SU");
}

/// Position of the first destination: behind the predicate of a residency check.
std::size_t first_destination(const Instruction& instruction) {
    return !instruction.operands.empty() && is_predicate_register(instruction.operands.front()) ? 1
                                                                                                : 0;
}

/// General registers that follow each other from the first destination on.
std::size_t named_registers(const Instruction& instruction) {
    const std::size_t first = first_destination(instruction);
    std::size_t end = first;
    while (end < instruction.operands.size() && is_general(instruction.operands[end]))
        ++end;
    return end - first;
}

/// The mask behind the dimensions, and of TXQ behind the handle, selects components; without one
/// there are all four.
std::optional<int> selected_components(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const auto text = std::ranges::find_if(operands, is_word);
    const bool has_handle = instruction.mnemonic == "TXQ" && !has_handle_of_lane(instruction);
    const auto before = has_handle ? 3 : 1;
    if (text == operands.end() || operands.end() - text <= before) return all_components;
    const auto* const mask = std::get_if<ImmediateOperand>(&operands.back());
    if (mask == nullptr) return std::nullopt;
    if (!mask->integer || *mask->integer < 1 || *mask->integer > 0xf) return std::nullopt;
    return std::popcount(static_cast<unsigned>(*mask->integer));
}

/// Registers of the two sources of a texture instruction.
struct Sources {
    int first = 1;
    int second = 0;
};

/// Numbers that TEX, TLD and TLD4 read beside their coordinates; nothing for unknown modifiers.
std::optional<int> further_numbers(const Instruction& instruction) {
    constexpr std::array<std::string_view, 4> with_number{"LL", "LB", "AOFFI", "DC"};
    constexpr std::array<std::string_view, 11> without{"SCR", "LZ", "NDV", "F16", "RN", "NODEP",
                                                       "B",   "R",  "G",   "A",   "CL"};
    int numbers = has_handle_of_lane(instruction) ? 1 : 0;
    for (const std::string& modifier : instruction.modifiers) {
        const bool reads =
            std::ranges::find(with_number, modifier) != with_number.end() || modifier == "MS";
        if (reads)
            ++numbers;
        else if (std::ranges::find(without, modifier) == without.end())
            return std::nullopt;
    }
    return numbers;
}

/// SCR spreads the numbers evenly; else the first source holds the coordinates.
std::optional<Sources> sampled_sources(const Instruction& instruction, int coordinates) {
    const auto further = further_numbers(instruction);
    if (!further) return std::nullopt;
    if (!instruction.has_modifier("SCR")) return Sources{coordinates, *further};
    const int numbers = coordinates + *further;
    if (numbers > 4) return std::nullopt;
    return Sources{(numbers + 1) / 2, numbers / 2};
}

std::optional<Sources> sources_of(const Instruction& instruction) {
    const int of_handle = has_handle_of_lane(instruction) ? 1 : 0;
    const std::string_view name = instruction.mnemonic;
    if (name == "TXQ") return Sources{1 + of_handle, 0};
    const TextureShape shape = texture_shape(instruction);
    if (shape.dimensions == 0) return std::nullopt;
    const int coordinates = shape.dimensions + (shape.is_array ? 1 : 0);
    if (name == "TEX" || name == "TLD" || name == "TLD4")
        return sampled_sources(instruction, coordinates);
    const bool plain = std::ranges::all_of(instruction.modifiers,
                                           [](const std::string& text) { return text == "B"; });
    if (name == "TXD" && plain && shape.dimensions < 3)
        return Sources{coordinates + of_handle, 2 * shape.dimensions};
    return std::nullopt;
}

/// `position` counts from the first destination.
Width sampled_width(const Instruction& instruction, std::size_t position) {
    const auto components = selected_components(instruction);
    const auto sources = sources_of(instruction);
    const std::size_t read = sources && sources->second > 0 ? 2 : 1;
    if (!components || !sources || named_registers(instruction) != 2 + read) return {1, false};
    const int halves = instruction.has_modifier("F16") ? 2 : 1;
    const auto& first = instruction.operands[first_destination(instruction)];
    const bool first_is_written = std::get<RegisterOperand>(first).index.has_value();
    switch (position) {
    case 0: // RZ where two components or fewer are selected.
        return {std::max(1, (*components - 2) / halves), *components > 2 || !first_is_written};
    case 1:
        return {std::max(1, std::min(2, *components) / halves)};
    case 2:
        return {sources->first};
    default:
        return {sources->second};
    }
}

/// Components that a formatted access names: SUST.P.2D.RG; all where it names none.
int named_components(const Instruction& instruction) {
    constexpr std::string_view letters{"RGBA"};
    for (const std::string& modifier : instruction.modifiers)
        if (!modifier.empty() && letters.starts_with(modifier))
            return static_cast<int>(modifier.size());
    return all_components;
}

Width surface_data(const Instruction& instruction) {
    const auto has = [&](std::string_view modifier) { return instruction.has_modifier(modifier); };
    if (instruction.mnemonic == "SURED") return {has("U64") || has("S64") || has("64") ? 2 : 1};
    if (instruction.mnemonic != "SULD" && instruction.mnemonic != "SUST") return {1, false};
    if (has("P")) return {named_components(instruction)};
    return {has("128") ? 4 : has("64") ? 2 : 1, has("D")};
}

/// A handle in a general register is the last operand, behind the data of a store.
bool is_handle(const Instruction& instruction, std::size_t position) {
    const auto& operands = instruction.operands;
    if (position >= operands.size()) return false;
    for (std::size_t i = 0; i < position; ++i)
        if (std::holds_alternative<MemoryOperand>(operands[i]))
            return is_general(operands[position]) && position + 1 == operands.size() &&
                   (instruction.mnemonic == "SULD" || i + 1 < position);
    return false;
}

} // namespace

bool accesses_texture(const Instruction& instruction) {
    if (instruction.opcode_class == OpcodeClass::Texture) return true;
    const auto info = find_opcode(instruction.mnemonic);
    return info && info->space == StateSpace::Texture;
}

TextureShape texture_shape(const Instruction& instruction) {
    for (const Operand& operand : instruction.operands)
        if (const auto shape = shape_named(word_of(operand))) return *shape;
    for (const std::string& modifier : instruction.modifiers)
        if (const auto shape = shape_named(modifier)) return *shape;
    return {};
}

bool has_handle_of_lane(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (is_surface(instruction)) return is_handle(instruction, operands.size() - 1);
    if (instruction.mnemonic == "TXQ") return instruction.has_modifier("B");
    const std::size_t next = first_destination(instruction) + named_registers(instruction);
    return next < operands.size() && is_word(operands[next]);
}

Destinations texture_destinations(const Instruction& instruction) {
    Destinations destinations;
    if (instruction.opcode_class != OpcodeClass::Texture) { // Stores and reductions of surfaces.
        destinations.known = instruction.mnemonic == "SUST" || instruction.mnemonic == "SURED";
        return destinations;
    }
    const std::size_t first = first_destination(instruction);
    const std::size_t count = is_surface(instruction) ? 1 : 2;
    for (std::size_t i = 0; i < std::min(first + count, instruction.operands.size()); ++i)
        destinations.written.set(i);
    destinations.known = named_registers(instruction) >= count;
    return destinations;
}

Width texture_width(const Instruction& instruction, std::size_t position, Target target) {
    const auto* reg = std::get_if<RegisterOperand>(&instruction.operands[position]);
    if (target.sm < first_target) return {1, false};
    // A handle in uniform registers is a pair.
    if (reg != nullptr && reg->file == RegisterFile::Uniform) return {2};
    if (is_surface(instruction))
        return is_handle(instruction, position) ? Width{1} : surface_data(instruction);
    return sampled_width(instruction, position - first_destination(instruction));
}

Width surface_coordinates(const Instruction& instruction, Target target) {
    const TextureShape shape = texture_shape(instruction);
    if (target.sm < first_target || shape.dimensions == 0) return {1, false};
    return {shape.dimensions + (shape.is_array ? 1 : 0)};
}

} // namespace warpbound::assembly
