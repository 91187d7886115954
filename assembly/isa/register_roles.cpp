#include "assembly/isa/register_roles.hpp"

#include "assembly/isa/texture_registers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace warpbound::assembly {

namespace {

template <std::size_t Count>
bool is_one_of(std::string_view name, const std::array<std::string_view, Count>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Two predicates first: `ISETP.GE.AND P0, PT, R0, R1, PT`.
constexpr std::array<std::string_view, 12> predicate_pair{"ISETP",  "FSETP",  "DSETP",  "HSETP2",
                                                          "PSETP",  "PLOP3",  "CSETP",  "UISETP",
                                                          "UFSETP", "UPSETP", "UPLOP3", "VSETP"};

/// A predicate alone: `FCHK P0, R2, R3`, `VOTE.ALL P0, P1`.
constexpr std::array<std::string_view, 3> lone_predicate{"FCHK", "VOTE", "VOTEU"};

/// A predicate, then a number: `LOP3.LUT P0, RZ, R2, ..`, `SHFL.IDX PT, R3, ..`.
constexpr std::array<std::string_view, 12> predicate_then_number{
    "LOP3",  "ULOP3", "LOP",   "LOP32I", "SHFL",  "ATOM",
    "ATOMG", "ATOMS", "MATCH", "LDLK",   "LDSLK", "R2UR"};

/// A number, then carry-out predicates: `IADD3 R4, P0, R2, UR4, RZ`, `VOTE.ANY R5, PT, P0`.
constexpr std::array<std::string_view, 12> number_then_predicates{
    "IADD3", "IMAD",  "LEA",  "VOTE",  "UIADD3", "UIMAD",
    "ULEA",  "VOTEU", "IADD", "UIADD", "VIMNMX", "UVIMNMX"};

/// Predicates after the number are sources: `PSET R0, P1, P2, P3`.
constexpr std::array<std::string_view, 6> number_alone{"PSET", "CSET",  "SEL",
                                                       "P2R",  "UP2UR", "USEL"};

OperandSet first_predicates(const Instruction& instruction, std::size_t most) {
    OperandSet written;
    for (std::size_t i = 0; i < std::min(most, instruction.operands.size()); ++i) {
        if (!is_predicate(instruction.operands[i])) break;
        written.set(i);
    }
    return written;
}

Destinations of_predicate_first(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const std::string& name = instruction.mnemonic;
    if (is_one_of(name, predicate_pair)) return {first_predicates(instruction, 2), true};
    if (is_one_of(name, lone_predicate)) return {first_predicates(instruction, 1), true};
    OperandSet written{1};
    if (operands.size() > 1 && is_number_register(operands[1])) written.set(1);
    return {written, is_one_of(name, predicate_then_number)};
}

Destinations of_number_first(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const std::string& name = instruction.mnemonic;
    OperandSet written{1};
    if (name == "B2R") { // B2R.RESULT R0, P1
        for (std::size_t i = 1; i < operands.size(); ++i)
            written.set(i, is_predicate(operands[i]) || is_number_register(operands[i]));
        return {written, true};
    }
    if (operands.size() < 2 || !is_predicate(operands[1]) || is_one_of(name, number_alone))
        return {written, true};
    // A single predicate operand is a source.
    for (std::size_t i = 1; i < 3 && i + 1 < operands.size() && is_predicate(operands[i]); ++i)
        written.set(i);
    return {written, is_one_of(name, number_then_predicates)};
}

/// Barrier registers: BSSY sets one, BMOV moves one, BREAK changes one.
Destinations of_reconvergence(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    OperandSet written;
    const bool clears = instruction.has_modifier("CLEAR");
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto* reg = std::get_if<RegisterOperand>(&operands[i]);
        if (reg == nullptr) continue;
        const bool barrier = reg->file == RegisterFile::Barrier;
        if (instruction.mnemonic == "BMOV")
            written.set(i, i == 0 || (clears && barrier));
        else
            written.set(i, barrier &&
                               (instruction.mnemonic == "BSSY" || instruction.mnemonic == "BREAK"));
    }
    return {written, true};
}

int data_registers(const Instruction& instruction) {
    if (instruction.has_modifier("128")) return 4;
    for (const std::string_view wide : {"64", "F64", "U64", "S64"})
        if (instruction.has_modifier(wide)) return 2;
    return 1;
}

/// Rows, columns and depth of the tile that the instruction multiplies: 16, 8 and 16 of
/// HMMA.16816; nothing where the modifiers name none.
struct Tile {
    int rows = 0;
    int columns = 0;
    int depth = 0;
};

std::optional<Tile> tile_of(const Instruction& instruction) {
    constexpr std::array<std::pair<std::string_view, Tile>, 14> tiles{{{"16816", {16, 8, 16}},
                                                                       {"1688", {16, 8, 8}},
                                                                       {"1684", {16, 8, 4}},
                                                                       {"16832", {16, 8, 32}},
                                                                       {"16864", {16, 8, 64}},
                                                                       {"8816", {8, 8, 16}},
                                                                       {"8832", {8, 8, 32}},
                                                                       {"88128", {8, 8, 128}},
                                                                       {"168128", {16, 8, 128}},
                                                                       {"168256", {16, 8, 256}},
                                                                       {"8x8x4", {8, 8, 4}},
                                                                       {"16x8x4", {16, 8, 4}},
                                                                       {"16x8x8", {16, 8, 8}},
                                                                       {"16x8x16", {16, 8, 16}}}};
    for (const auto& [name, tile] : tiles)
        if (instruction.has_modifier(name)) return tile;
    // Of the others, HMMA.884 multiplies four tiles.
    if (instruction.mnemonic == "DMMA" && instruction.has_modifier("884")) return Tile{8, 8, 4};
    return std::nullopt;
}

/// Bits of an element of the factors, and of a sum; nothing where they are not known.
std::optional<std::pair<int, int>> element_bits(const Instruction& instruction) {
    const std::string& name = instruction.mnemonic;
    const auto has = [&](std::string_view modifier) { return instruction.has_modifier(modifier); };
    if (has("SP")) return std::nullopt; // Sparse factors.
    if (name == "DMMA") return std::pair{64, 64};
    if (name == "BMMA") return std::pair{1, 32};
    if (name == "IMMA") {
        if (has("S4") || has("U4")) return std::pair{4, 32};
        if (has("S8") || has("U8")) return std::pair{8, 32};
    }
    if (name == "HMMA" && (has("F32") || has("F16")))
        return std::pair{has("TF32") ? 32 : 16, has("F32") ? 32 : 16};
    return std::nullopt;
}

/// The lanes share a tile evenly. Source: PTX ISA 8.8, matrix fragments of mma; HMMA.884 and
/// warp groups have no entry.
Width tensor_width(const Instruction& instruction, std::size_t ordinal) {
    const auto tile = tile_of(instruction);
    const auto bits = element_bits(instruction);
    if (!tile || !bits || ordinal > 3) return {1, false};
    constexpr int bits_of_a_register_of_all_lanes = 32 * 32;
    const int elements = ordinal == 1   ? tile->rows * tile->depth * bits->first
                         : ordinal == 2 ? tile->depth * tile->columns * bits->first
                                        : tile->rows * tile->columns * bits->second;
    const int registers = elements / bits_of_a_register_of_all_lanes;
    return {std::max(1, registers),
            registers > 0 && elements % bits_of_a_register_of_all_lanes == 0};
}

/// Vector and wider forms of memory instructions have no entry.
bool has_known_data(const Instruction& instruction) {
    for (const std::string& modifier : instruction.modifiers)
        if (modifier == "256" || modifier == "V2" || modifier == "V4" || modifier == "V8" ||
            modifier.substr(0, 4) == "F32x" || modifier == "F16x4" || modifier == "F16x8")
            return false;
    return true;
}

/// LDSM.16.M88.4 moves four matrices of 8x8 halves, of which a lane holds one register each.
bool moves_matrices(const Instruction& instruction) {
    return instruction.mnemonic == "LDSM" || instruction.mnemonic == "STSM";
}

int matrix_registers(const Instruction& instruction) {
    return instruction.has_modifier("4") ? 4 : instruction.has_modifier("2") ? 2 : 1;
}

Width memory_width(const Instruction& instruction, std::size_t position) {
    if (moves_matrices(instruction))
        return {matrix_registers(instruction),
                instruction.has_modifier("M88") || instruction.has_modifier("MT88")};
    Width width{data_registers(instruction), has_known_data(instruction)};
    if (!instruction.has_modifier("CAS")) return width;
    // Up to Pascal the two values of a compare-and-swap are one operand.
    std::size_t memory = 0;
    const auto& operands = instruction.operands;
    while (memory < operands.size() && !std::holds_alternative<MemoryOperand>(operands[memory]))
        ++memory;
    if (position > memory && memory + 2 == operands.size()) width.registers *= 2;
    return width;
}

/// `F2F.F64.F32`: the destination's type, then the source's. I2F names a wide source, F2I a wide
/// destination.
int conversion_width(const Instruction& instruction, bool destination) {
    const std::string& name = instruction.mnemonic;
    const bool f64 = instruction.has_modifier("F64");
    const bool i64 = instruction.has_modifier("S64") || instruction.has_modifier("U64");
    if (name == "FRND") return f64 ? 2 : 1;
    if (name == "I2F") return (destination ? f64 : i64) ? 2 : 1;
    if (name == "F2I") return (destination ? i64 : f64) ? 2 : 1;
    if (name != "F2F") return 1;
    constexpr std::array<std::string_view, 4> types{"F16", "F32", "F64", "BF16"};
    bool first = true;
    for (const std::string& modifier : instruction.modifiers) {
        if (!is_one_of(modifier, types)) continue;
        if (first == destination) return modifier == "F64" ? 2 : 1;
        first = false;
    }
    return 1;
}

} // namespace

bool is_predicate(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr &&
           (reg->file == RegisterFile::Predicate || reg->file == RegisterFile::UniformPredicate);
}

bool is_number_register(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr &&
           (reg->file == RegisterFile::General || reg->file == RegisterFile::Uniform);
}

Destinations destinations_of(const Instruction& instruction) {
    if (instruction.operands.empty()) return {};
    if (accesses_texture(instruction)) return texture_destinations(instruction);
    switch (instruction.opcode_class) {
    case OpcodeClass::StoreShared:
        return {{}, instruction.mnemonic != "STSCUL"}; // has a destination predicate
    case OpcodeClass::StoreGlobal:
    case OpcodeClass::StoreLocal:
    case OpcodeClass::Barrier:
    case OpcodeClass::MemoryFence:
    case OpcodeClass::DependenceBarrier:
    case OpcodeClass::Branch:
    case OpcodeClass::Exit:
    case OpcodeClass::Nop:
        return {};
    case OpcodeClass::Reconvergence:
        return of_reconvergence(instruction);
    default:
        break;
    }
    const auto info = find_opcode(instruction.mnemonic);
    if (info && info->is_store && !info->is_load) return {}; // RED
    const Operand& first = instruction.operands.front();
    if (is_predicate(first)) return of_predicate_first(instruction);
    if (is_number_register(first)) return of_number_first(instruction);
    // LDGSTS names two addresses, R2P a set of predicates; CC is a destination of R2B-like forms
    // only.
    const auto* carry = std::get_if<RegisterOperand>(&first);
    return {{}, carry == nullptr};
}

Width width_of(const Instruction& instruction, std::size_t position, std::size_t ordinal,
               Target target) {
    const std::string& name = instruction.mnemonic;
    const auto info = find_opcode(name);
    if (info && info->space == StateSpace::Texture)
        return texture_width(instruction, position, target);
    if (info && (info->is_load || info->is_store)) return memory_width(instruction, position);
    if (instruction.opcode_class == OpcodeClass::Tensor) return tensor_width(instruction, ordinal);
    const auto& suffixes = std::get<RegisterOperand>(instruction.operands[position]).suffixes;
    if (std::find(suffixes.begin(), suffixes.end(), "64") != suffixes.end()) return {2, true};
    if (instruction.opcode_class == OpcodeClass::Double)
        return {name == "DSET" && ordinal == 0 ? 1 : 2, true};
    if (instruction.opcode_class == OpcodeClass::Conversion)
        return {conversion_width(instruction, ordinal == 0), true};
    // A code address takes two registers from Volta on: LEPC R20, CALL.ABS R20, BRX R6.
    if (instruction.opcode_class == OpcodeClass::Branch || name == "LEPC" || name == "ULEPC")
        return {target.sm >= 70 && instruction.control_flow != ControlFlow::Branch ? 2 : 1, true};
    if (name == "CS2R") return {target.sm >= 70 && !instruction.has_modifier("32") ? 2 : 1, true};
    const bool multiply = name == "IMAD" || name == "XMAD" || name == "UIMAD" || name == "IMUL";
    if (multiply && instruction.has_modifier("WIDE"))
        return {ordinal == 0 || ordinal == 3 ? 2 : 1, true};
    // IMAD.HI adds a pair: the division sequence computes R3 + high(R3 * R5) as
    // IMAD.HI.U32 R3, R3, R5, R2 with R2 = 0.
    if (multiply && instruction.has_modifier("HI") && target.sm >= 70)
        return {ordinal == 3 ? 2 : 1, true};
    // Blackwell's 64-bit integers: IADD.64 R12, R6, R8 adds the pairs of two addresses.
    constexpr std::array<std::string_view, 4> integers{"IADD", "UIADD3", "MOV", "UMOV"};
    if (instruction.has_modifier("64") && is_one_of(name, integers)) return {2, true};
    // ISETP.GE.S64.AND P0, PT, R10, UR8, PT compares pairs.
    const bool compares = name == "ISETP" || name == "UISETP";
    if (compares && (instruction.has_modifier("S64") || instruction.has_modifier("U64")))
        return {2, true};
    // Other 64-bit forms and packed floats.
    if (instruction.has_modifier("64") || name == "FADD2" || name == "FMUL2" || name == "FFMA2")
        return {2, false};
    return {};
}

int bytes_per_lane(const Instruction& instruction) {
    constexpr int widest_texel = 16;
    if (instruction.opcode_class == OpcodeClass::Texture && instruction.mnemonic != "SULD")
        return widest_texel;
    if (instruction.has_modifier("U8") || instruction.has_modifier("S8")) return 1;
    if (instruction.has_modifier("U16") || instruction.has_modifier("S16")) return 2;
    if (instruction.has_modifier("256")) return 32;
    return 4 * data_registers(instruction);
}

bool waits_for_whole_block(const Instruction& instruction) {
    if (instruction.opcode_class != OpcodeClass::Barrier || instruction.has_modifier("ARV"))
        return false;
    return std::count_if(instruction.operands.begin(), instruction.operands.end(),
                         [](const Operand& operand) { return !is_predicate(operand); }) <= 1;
}

} // namespace warpbound::assembly
