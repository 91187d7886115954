#include "analyzer/value/transfer_functions.hpp"

#include "analyzer/value/operand_forms.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

std::optional<AffineExpression> with_sign(std::optional<AffineExpression> value, bool negated) {
    if (value && negated) return AffineExpression{} - *value;
    return value;
}

/// The value of a source operand; nothing when it is not known.
std::optional<AffineExpression> source(const SymbolicRegisters& values, const Operand& operand) {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        if (reg->absolute || reg->inverted || !only_suffix(reg->suffixes, "reuse"))
            return std::nullopt;
        if (reg->file != RegisterFile::General && reg->file != RegisterFile::Uniform)
            return std::nullopt;
        if (!reg->index) return AffineExpression{}; // RZ, URZ
        return with_sign(values.number({reg->file, *reg->index}), reg->negated);
    }
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand)) {
        const auto value = value_of(*immediate);
        return value ? std::optional{AffineExpression{*value}} : std::nullopt;
    }
    if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand)) {
        if (!is_one_word(*word) || word->absolute || word->inverted || !word->suffixes.empty())
            return std::nullopt;
        return with_sign(AffineExpression::of(symbol_of_constant(word->bank, word->offset)),
                         word->negated);
    }
    return std::nullopt;
}

/// The numeric operands after the destination; nothing when one is not known or their number is not
/// `count`.
std::optional<std::array<AffineExpression, 3>>
numbers_of(const SymbolicRegisters& values, const Instruction& instruction, std::size_t count) {
    std::array<AffineExpression, 3> numbers;
    std::size_t found = 0;
    for (std::size_t index = 1; index < instruction.operands.size(); ++index) {
        const Operand& operand = instruction.operands[index];
        if (as_predicate(operand) != nullptr) continue;
        const auto value = source(values, operand);
        if (!value || found == count) return std::nullopt;
        numbers[found++] = *value;
    }
    if (found != count) return std::nullopt;
    return numbers;
}

std::optional<AffineExpression> product(const AffineExpression& a, const AffineExpression& b) {
    if (a.is_constant()) return b * a.constant();
    if (b.is_constant()) return a * b.constant();
    return std::nullopt;
}

/// The bitwise function of three known numbers: each bit is bit 4a + 2b + c of the table for the
/// bits a, b, c.
std::optional<AffineExpression> bits_computed(const SymbolicRegisters& values,
                                              const Instruction& instruction) {
    if (!only_modifiers(instruction, {"LUT"})) return std::nullopt;
    std::vector<std::uint32_t> known; // The inputs, then the table.
    for (std::size_t index = 1; index < instruction.operands.size(); ++index) {
        if (as_predicate(instruction.operands[index]) != nullptr) continue;
        const auto value = source(values, instruction.operands[index]);
        if (!value || !value->is_constant()) return std::nullopt;
        known.push_back(value->constant());
    }
    constexpr std::size_t inputs = 3;
    if (known.size() != inputs + 1) return std::nullopt;
    std::uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        unsigned row = 0;
        for (std::size_t input = 0; input < inputs; ++input)
            row = row << 1U | (known[input] >> bit & 1U);
        result |= (known[inputs] >> row & 1U) << bit;
    }
    return AffineExpression{result};
}

/// The thread index, block index or extent that a special register holds.
std::optional<AffineExpression> launch_number(const Instruction& instruction) {
    const auto number = geometry_read(instruction);
    return number ? std::optional{AffineExpression::of(symbol_of(*number))} : std::nullopt;
}

} // namespace

std::optional<AffineExpression> number_computed(const SymbolicRegisters& values,
                                                const Instruction& instruction) {
    const std::string& name = instruction.mnemonic;
    const auto numbers = [&](std::size_t count) { return numbers_of(values, instruction, count); };
    if (name == "IMAD") {
        if (!only_modifiers(instruction, {"MOV", "IADD", "SHL", "U32"})) return std::nullopt;
        const auto operands = numbers(3);
        if (!operands) return std::nullopt;
        const auto scaled = product((*operands)[0], (*operands)[1]);
        if (!scaled) return std::nullopt;
        return *scaled + (*operands)[2];
    }
    if (name == "S2R" || name == "S2UR") return launch_number(instruction);
    if (name == "LOP3" || name == "ULOP3") return bits_computed(values, instruction);
    if (const auto constant = moved_halves(instruction)) return AffineExpression{*constant};
    if (!instruction.modifiers.empty()) return std::nullopt;
    // No width modifier: 32 bits.
    if (name == "MOV" || name == "MOV32I" || name == "UMOV") {
        const auto operands = numbers(1);
        if (!operands) return std::nullopt;
        return (*operands)[0];
    }
    if (name == "IADD" || name == "IADD32I" || name == "VIADD") {
        const auto operands = numbers(2);
        if (!operands) return std::nullopt;
        return (*operands)[0] + (*operands)[1];
    }
    if (name == "IADD3" || name == "UIADD3") {
        const auto operands = numbers(3);
        if (!operands) return std::nullopt;
        return (*operands)[0] + (*operands)[1] + (*operands)[2];
    }
    if (name == "SHL") {
        const auto operands = numbers(2);
        if (!operands || !(*operands)[1].is_constant() || (*operands)[1].constant() > 31)
            return std::nullopt;
        return (*operands)[0] * (std::uint32_t{1} << (*operands)[1].constant());
    }
    return std::nullopt;
}

namespace {

std::optional<Predicate> predicate_read(const SymbolicRegisters& values, const Operand& operand) {
    const auto* reg = as_predicate(operand);
    if (reg == nullptr) return std::nullopt;
    if (!reg->index) return reg->negated ? !Predicate{} : Predicate{};
    const auto value = values.predicate({reg->file, *reg->index});
    return value && reg->negated ? !*value : value;
}

using Inputs = std::array<std::optional<Predicate>, 3>;

/// The Boolean function `table` of three inputs: its bit 4a + 2b + c is the result for the values
/// a, b, c. Known where it is a conjunction of inputs and negated inputs, or the negation of one.
std::optional<Predicate> boolean_function(const Inputs& inputs, std::int64_t table) {
    std::array<bool, 3> known_true{};
    std::array<bool, 3> known_false{};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        known_true[i] = inputs[i] == Predicate{};
        known_false[i] = inputs[i] == !Predicate{};
    }
    // Rows that are possible with the known inputs, and the table's value in each.
    std::vector<std::pair<unsigned, bool>> rows;
    for (unsigned row = 0; row < 8; ++row) {
        const auto input = [&](std::size_t i) { return ((row >> (2 - i)) & 1U) != 0; };
        bool possible = true;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if ((known_true[i] && !input(i)) || (known_false[i] && input(i))) possible = false;
        if (possible) rows.emplace_back(row, ((table >> row) & 1) != 0);
    }
    // An input is relevant when the value depends on it.
    std::array<bool, 3> relevant{};
    for (const auto& [row, value] : rows)
        for (const auto& [other, other_value] : rows)
            for (std::size_t i = 0; i < inputs.size(); ++i)
                if ((row ^ other) == (1U << (2 - i)) && value != other_value) relevant[i] = true;
    for (const bool negated : {false, true}) {
        // Rows with the value `!negated` must be exactly those where all literals hold.
        std::optional<Predicate> all{Predicate{}};
        std::vector<unsigned> rows_of_value;
        for (const auto& [row, value] : rows)
            if (value != negated) rows_of_value.push_back(row);
        if (rows_of_value.empty()) return negated ? Predicate{} : !Predicate{};
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!relevant[i]) continue;
            const bool positive = ((rows_of_value.front() >> (2 - i)) & 1U) != 0;
            for (const unsigned row : rows_of_value)
                if ((((row >> (2 - i)) & 1U) != 0) != positive) all.reset();
            if (!all || !inputs[i]) {
                all.reset();
                break;
            }
            const auto literal = positive ? *inputs[i] : !*inputs[i];
            all = conjunction(*all, literal);
            if (!all) break;
        }
        if (all) return negated ? !*all : *all;
    }
    return std::nullopt;
}

constexpr std::int64_t table_and = 0xc0; ///< The first two inputs.
constexpr std::int64_t table_or = 0xfc;

} // namespace

std::optional<Predicate> conjunction(const Predicate& a, const Predicate& b) {
    if (a == !Predicate{} || b == !Predicate{}) return !Predicate{};
    if (a.all.empty()) return b;
    if (b.all.empty()) return a;
    constexpr std::size_t longest = 8;
    if (a.negated || b.negated || a.all.size() + b.all.size() > longest) return std::nullopt;
    Predicate both = a;
    for (const auto& comparison : b.all)
        if (std::find(both.all.begin(), both.all.end(), comparison) == both.all.end())
            both.all.push_back(comparison);
    return both;
}

std::optional<Predicate> predicate_computed(const SymbolicRegisters& values,
                                            const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (instruction.mnemonic == "ISETP" || instruction.mnemonic == "UISETP") {
        const auto comparator = comparator_of(instruction);
        const bool all = instruction.has_modifier("AND");
        if (!comparator || operands.size() != 5 || all == instruction.has_modifier("OR"))
            return std::nullopt;
        const auto left = source(values, operands[2]);
        const auto right = source(values, operands[3]);
        Predicate compared;
        if (!left || !right) return std::nullopt;
        compared.all.push_back({*comparator, !instruction.has_modifier("U32"), *left, *right});
        return boolean_function({compared, predicate_read(values, operands[4]), Predicate{}},
                                all ? table_and : table_or);
    }
    if ((instruction.mnemonic == "PLOP3" || instruction.mnemonic == "UPLOP3") &&
        operands.size() == 7) {
        const auto* table = std::get_if<assembly::ImmediateOperand>(&operands[5]);
        if (table == nullptr || !table->integer || !only_modifiers(instruction, {"LUT"}))
            return std::nullopt;
        return boolean_function({predicate_read(values, operands[2]),
                                 predicate_read(values, operands[3]),
                                 predicate_read(values, operands[4])},
                                *table->integer);
    }
    return std::nullopt;
}

void execute(SymbolicRegisters& registers, const assembly::Instruction& instruction,
             const std::optional<ProgramPoint>& point) {
    const auto& effects = instruction.effects;
    if (instruction.guard && instruction.guard->never()) return;
    if (!effects.writes_known) { // The set of written registers is not known.
        registers.forget_all();
        return;
    }
    const bool unconditional = !instruction.guard || instruction.guard->always();
    std::optional<assembly::Register> first;
    if (!instruction.operands.empty())
        if (const auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands.front());
            reg != nullptr && reg->index &&
            std::all_of(reg->suffixes.begin(), reg->suffixes.end(),
                        [](const std::string& suffix) { return suffix == "CC"; }))
            first = assembly::Register{reg->file, *reg->index};
    const auto number = number_computed(registers, instruction);
    const auto predicate = predicate_computed(registers, instruction);
    for (const assembly::Register written : effects.writes) {
        if (registers.others_may_write(written)) continue;
        if (is_predicate(written.file)) {
            auto computed = written == first ? predicate : std::nullopt;
            if (!unconditional && registers.predicate(written) != computed) computed.reset();
            registers.assign(written, computed, point);
        } else {
            auto computed = written == first ? number : std::nullopt;
            if (const auto word = loaded_word(instruction, written))
                computed = source(registers, *word);
            if (!unconditional && registers.number(written) != computed) computed.reset();
            registers.assign(written, computed, point);
        }
    }
}

} // namespace warpbound::analyzer
