#include "analyzer/semantics/register_values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

constexpr Symbol constant_mark = Symbol{1} << 63U;

bool is_predicate_file(RegisterFile file) {
    return file == RegisterFile::Predicate || file == RegisterFile::UniformPredicate;
}

const RegisterOperand* as_predicate(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && is_predicate_file(reg->file) ? reg : nullptr;
}

/// PT or UPT, not negated.
bool is_true(const Operand& operand) {
    const auto* predicate = as_predicate(operand);
    return predicate != nullptr && !predicate->index && !predicate->negated;
}

bool plain_suffixes(const std::vector<std::string>& suffixes, std::string_view allowed) {
    return std::all_of(suffixes.begin(), suffixes.end(),
                       [&](const std::string& suffix) { return suffix == allowed; });
}

bool only_modifiers(const Instruction& instruction,
                    std::initializer_list<std::string_view> allowed) {
    return std::all_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                       [&](const std::string& modifier) {
                           return std::find(allowed.begin(), allowed.end(), modifier) !=
                                  allowed.end();
                       });
}

std::optional<Linear> with_sign(std::optional<Linear> value, bool negated) {
    if (value && negated) return Linear{} - *value;
    return value;
}

std::optional<Linear> source(const RegisterValues& values, const Operand& operand) {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        if (reg->absolute || reg->inverted || !plain_suffixes(reg->suffixes, "reuse"))
            return std::nullopt;
        if (reg->file != RegisterFile::General && reg->file != RegisterFile::Uniform)
            return std::nullopt;
        if (!reg->index) return Linear{}; // RZ, URZ
        return with_sign(values.number({reg->file, *reg->index}), reg->negated);
    }
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand)) {
        if (!immediate->integer || *immediate->integer < std::numeric_limits<std::int32_t>::min() ||
            *immediate->integer > std::numeric_limits<std::uint32_t>::max())
            return std::nullopt;
        return Linear{static_cast<std::uint32_t>(*immediate->integer)};
    }
    if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand)) {
        if (word->index_register || word->uniform_register || word->bank_register ||
            word->absolute || word->inverted || !word->suffixes.empty())
            return std::nullopt;
        return with_sign(Linear::of(symbol_of_constant(word->bank, word->offset)), word->negated);
    }
    return std::nullopt;
}

/// The numbers among the operands after the destination; nothing when one is not known or there
/// are not `count`.
std::optional<std::array<Linear, 3>> numbers_of(const RegisterValues& values,
                                                const Instruction& instruction, std::size_t count) {
    std::array<Linear, 3> numbers;
    std::size_t found = 0;
    for (std::size_t place = 1; place < instruction.operands.size(); ++place) {
        const Operand& operand = instruction.operands[place];
        if (as_predicate(operand) != nullptr) continue;
        const auto value = source(values, operand);
        if (!value || found == count) return std::nullopt;
        numbers[found++] = *value;
    }
    if (found != count) return std::nullopt;
    return numbers;
}

std::optional<Linear> product(const Linear& a, const Linear& b) {
    if (a.is_constant()) return b * a.constant();
    if (b.is_constant()) return a * b.constant();
    return std::nullopt;
}

/// Operands `-RZ, RZ, 0, 0` with any signs of the factors: the sum of a zero and +0 is +0. An
/// addend
/// `-0` is another number, whose halves have their top bits set.
bool is_zero_packed(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (operands.size() != 5) return false;
    const auto is_zero = [](const Operand& factor) {
        const auto* reg = std::get_if<RegisterOperand>(&factor);
        return reg != nullptr && reg->file == RegisterFile::General && !reg->index;
    };
    const auto is_plus_zero = [](const Operand& addend) {
        const auto* immediate = std::get_if<assembly::ImmediateOperand>(&addend);
        return immediate != nullptr && immediate->text == "0";
    };
    return is_zero(operands[1]) && is_zero(operands[2]) && is_plus_zero(operands[3]) &&
           is_plus_zero(operands[4]);
}

/// The number that an instruction computes.
std::optional<Linear> result_of(const RegisterValues& values, const Instruction& instruction) {
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
    if (!instruction.modifiers.empty()) return std::nullopt;
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
    // How compilers load zero through the half-precision path: -0 * 0 + 0 in both halves.
    if (name == "HFMA2" && is_zero_packed(instruction)) return Linear{};
    if (name == "SHL") {
        const auto operands = numbers(2);
        if (!operands || !(*operands)[1].is_constant() || (*operands)[1].constant() > 31)
            return std::nullopt;
        return (*operands)[0] * (std::uint32_t{1} << (*operands)[1].constant());
    }
    return std::nullopt;
}

std::optional<Comparator> comparator_of(const Instruction& instruction) {
    constexpr std::array<std::pair<std::string_view, Comparator>, 6> names{
        {{"LT", Comparator::Less},
         {"LE", Comparator::LessEqual},
         {"EQ", Comparator::Equal},
         {"NE", Comparator::NotEqual},
         {"GE", Comparator::GreaterEqual},
         {"GT", Comparator::Greater}}};
    if (!only_modifiers(instruction, {"LT", "LE", "EQ", "NE", "GE", "GT", "U32", "AND"}) ||
        !instruction.has_modifier("AND"))
        return std::nullopt;
    for (const auto& [name, comparator] : names)
        if (instruction.has_modifier(name)) return comparator;
    return std::nullopt;
}

/// What the first predicate of an instruction says after it.
std::optional<Comparison> comparison_of(const RegisterValues& values,
                                        const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (instruction.mnemonic == "ISETP" || instruction.mnemonic == "UISETP") {
        const auto comparator = comparator_of(instruction);
        if (!comparator || operands.size() != 5 || !is_true(operands[4])) return std::nullopt;
        const auto left = source(values, operands[2]);
        const auto right = source(values, operands[3]);
        if (!left || !right) return std::nullopt;
        return Comparison{*comparator, !instruction.has_modifier("U32"), *left, *right};
    }
    // The conjunction of one predicate with true is that predicate.
    if ((instruction.mnemonic == "PLOP3" || instruction.mnemonic == "UPLOP3") &&
        operands.size() == 7) {
        constexpr std::int64_t conjunction = 0x80;
        const auto* table = std::get_if<assembly::ImmediateOperand>(&operands[5]);
        if (table == nullptr || table->integer != conjunction) return std::nullopt;
        std::optional<Register> copied;
        for (std::size_t place = 2; place < 5; ++place) {
            const auto* predicate = as_predicate(operands[place]);
            if (predicate == nullptr || predicate->negated) return std::nullopt;
            if (!predicate->index) continue;
            if (copied) return std::nullopt;
            copied = Register{predicate->file, *predicate->index};
        }
        if (copied) return values.predicate(*copied);
    }
    return std::nullopt;
}

} // namespace

bool Comparison::holds(std::uint32_t left_value, std::uint32_t right_value) const {
    const auto compare = [&](auto a, auto b) {
        switch (comparator) {
        case Comparator::Less:
            return a < b;
        case Comparator::LessEqual:
            return a <= b;
        case Comparator::Equal:
            return a == b;
        case Comparator::NotEqual:
            return a != b;
        case Comparator::GreaterEqual:
            return a >= b;
        case Comparator::Greater:
            return a > b;
        }
        return false;
    };
    if (is_signed)
        return compare(static_cast<std::int32_t>(left_value),
                       static_cast<std::int32_t>(right_value));
    return compare(left_value, right_value);
}

Symbol symbol_of(Register reg) {
    return (static_cast<Symbol>(reg.file) << 32U) | static_cast<std::uint32_t>(reg.index);
}

Symbol symbol_of_constant(std::int64_t bank, std::int64_t offset) {
    return constant_mark | (static_cast<Symbol>(static_cast<std::uint32_t>(bank)) << 32U) |
           static_cast<std::uint32_t>(offset);
}

std::optional<Register> register_of(Symbol symbol) {
    if ((symbol & constant_mark) != 0) return std::nullopt;
    return Register{static_cast<RegisterFile>(symbol >> 32U),
                    static_cast<int>(symbol & 0xffffffffU)};
}

std::optional<Linear> RegisterValues::number(Register reg) const {
    const auto found = numbers_.find(reg);
    if (found != numbers_.end()) return found->second;
    if (!began_known_) return std::nullopt;
    return Linear::of(symbol_of(reg));
}

std::optional<Comparison> RegisterValues::predicate(Register reg) const {
    const auto found = predicates_.find(reg);
    if (found == predicates_.end()) return std::nullopt;
    return found->second;
}

void RegisterValues::execute(const Instruction& instruction) {
    const auto& effects = instruction.effects;
    if (instruction.guard && instruction.guard->never()) return;
    if (!effects.exact) { // Which registers it writes is not known.
        *this = RegisterValues{};
        began_known_ = false;
        return;
    }
    const bool surely = !instruction.guard || instruction.guard->always();
    std::optional<Register> first;
    if (!instruction.operands.empty())
        if (const auto* reg = std::get_if<RegisterOperand>(&instruction.operands.front());
            reg != nullptr && reg->index && plain_suffixes(reg->suffixes, "CC"))
            first = Register{reg->file, *reg->index};
    const auto number = result_of(*this, instruction);
    const auto comparison = comparison_of(*this, instruction);
    for (const Register written : effects.writes) {
        if (is_predicate_file(written.file)) {
            const auto computed = written == first ? comparison : std::nullopt;
            if (!computed || (!surely && predicate(written) != computed))
                predicates_.erase(written);
            else
                predicates_.insert_or_assign(written, *computed);
        } else {
            const auto computed = written == first ? number : std::nullopt;
            numbers_.insert_or_assign(
                written, surely || this->number(written) == computed ? computed : std::nullopt);
        }
    }
}

void RegisterValues::join(const RegisterValues& other) {
    for (const auto& entry : other.numbers_)
        if (number(entry.first) != entry.second)
            numbers_.insert_or_assign(entry.first, std::optional<Linear>{});
    for (auto& [reg, value] : numbers_)
        if (value && other.number(reg) != value) value.reset();
    began_known_ = began_known_ && other.began_known_;
    for (auto entry = predicates_.begin(); entry != predicates_.end();)
        entry = other.predicate(entry->first) == entry->second ? std::next(entry)
                                                               : predicates_.erase(entry);
}

} // namespace warpbound::analyzer
