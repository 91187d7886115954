#include "analyzer/value/symbolic_registers.hpp"

#include "analyzer/value/transfer_functions.hpp"

#include <algorithm>
#include <array>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

constexpr Symbol constant_mark = Symbol{1} << 63U;
constexpr Symbol geometry_mark = Symbol{1} << 62U;
constexpr Symbol place_mark = Symbol{1} << 61U;
constexpr Symbol run_marks = constant_mark | geometry_mark | place_mark;

/// In the order of `Geometry`.
constexpr std::array<std::string_view, 13> special_registers{
    "SR_TID.X",    "SR_TID.Y",    "SR_TID.Z",  "SR_CTAID.X", "SR_CTAID.Y",
    "SR_CTAID.Z",  "SR_NTID.X",   "SR_NTID.Y", "SR_NTID.Z",  "SR_NCTAID.X",
    "SR_NCTAID.Y", "SR_NCTAID.Z", "SR_LANEID"};

/// A name for the value that a register gets at a place; nothing where the numbers are too large.
std::optional<Symbol> name_of(const std::optional<Place>& place, Register reg) {
    constexpr std::size_t blocks = std::size_t{1} << 24U;
    constexpr std::size_t offsets = std::size_t{1} << 20U;
    constexpr int registers = 1 << 12;
    if (!place || place->block >= blocks || place->offset >= offsets || reg.index < 0 ||
        reg.index >= registers)
        return std::nullopt;
    return place_mark | (static_cast<Symbol>(place->block) << 36U) |
           (static_cast<Symbol>(place->offset) << 16U) | (static_cast<Symbol>(reg.file) << 12U) |
           static_cast<Symbol>(reg.index);
}

std::optional<AffineExpression> named_number(const std::optional<Place>& place, Register reg) {
    const auto name = name_of(place, reg);
    return name ? std::optional{AffineExpression::of(*name)} : std::nullopt;
}

/// A predicate with a name: whether the number of that name is not 0.
std::optional<Predicate> named_predicate(const std::optional<Place>& place, Register reg) {
    const auto name = name_of(place, reg);
    if (!name) return std::nullopt;
    return Predicate{{{Comparator::NotEqual, false, AffineExpression::of(*name), AffineExpression{}}}, false};
}

Comparator opposite_of(Comparator comparator) {
    switch (comparator) {
    case Comparator::Less:
        return Comparator::GreaterEqual;
    case Comparator::LessEqual:
        return Comparator::Greater;
    case Comparator::Equal:
        return Comparator::NotEqual;
    case Comparator::NotEqual:
        return Comparator::Equal;
    case Comparator::GreaterEqual:
        return Comparator::Less;
    case Comparator::Greater:
        return Comparator::LessEqual;
    }
    return comparator;
}

} // namespace

Predicate Predicate::operator!() const {
    Predicate opposite = *this;
    if (all.size() == 1)
        opposite.all.front().comparator = opposite_of(all.front().comparator);
    else
        opposite.negated = !negated;
    return opposite;
}

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
    if ((symbol & run_marks) != 0) return std::nullopt;
    return Register{static_cast<RegisterFile>(symbol >> 32U),
                    static_cast<int>(symbol & 0xffffffffU)};
}

std::string_view special_register_of(Geometry number) {
    return special_registers[static_cast<std::size_t>(number)];
}

std::optional<Geometry> geometry_in(std::string_view special_register) {
    const auto* const found =
        std::find(special_registers.begin(), special_registers.end(), special_register);
    if (found == special_registers.end()) return std::nullopt;
    return static_cast<Geometry>(found - special_registers.begin());
}

Symbol symbol_of(Geometry number) {
    return geometry_mark | static_cast<Symbol>(number);
}

std::optional<Geometry> geometry_of(Symbol symbol) {
    if ((symbol & run_marks) != geometry_mark) return std::nullopt;
    return static_cast<Geometry>(symbol & ~geometry_mark);
}

std::optional<std::pair<std::int64_t, std::int64_t>> constant_of(Symbol symbol) {
    if ((symbol & constant_mark) == 0) return std::nullopt;
    return std::pair{static_cast<std::int64_t>((symbol & ~constant_mark) >> 32U),
                     static_cast<std::int64_t>(symbol & 0xffffffffU)};
}

std::optional<NamedRegister> named_of(Symbol symbol) {
    if ((symbol & run_marks) != place_mark) return std::nullopt;
    const auto bits = [&](unsigned from, unsigned count) {
        return (symbol >> from) & ((Symbol{1} << count) - 1);
    };
    return NamedRegister{{bits(36, 24), bits(16, 20)},
                         {static_cast<RegisterFile>(bits(12, 4)), static_cast<int>(bits(0, 12))}};
}

std::optional<AffineExpression> SymbolicRegisters::number(Register reg) const {
    const auto found = numbers_.find(reg);
    if (found != numbers_.end()) return found->second;
    if (!began_known_ || others_may_write(reg)) return std::nullopt;
    return AffineExpression::of(symbol_of(reg));
}

std::optional<Predicate> SymbolicRegisters::predicate(Register reg) const {
    const auto found = predicates_.find(reg);
    if (found == predicates_.end()) return std::nullopt;
    return found->second;
}

void SymbolicRegisters::execute(const Instruction& instruction, const std::optional<Place>& place) {
    const auto& effects = instruction.effects;
    if (instruction.guard && instruction.guard->never()) return;
    if (!effects.exact) { // Which registers it writes is not known.
        *this = SymbolicRegisters{lanes_};
        began_known_ = false;
        return;
    }
    const bool surely = !instruction.guard || instruction.guard->always();
    std::optional<Register> first;
    if (!instruction.operands.empty())
        if (const auto* reg = std::get_if<RegisterOperand>(&instruction.operands.front());
            reg != nullptr && reg->index &&
            std::all_of(reg->suffixes.begin(), reg->suffixes.end(),
                        [](const std::string& suffix) { return suffix == "CC"; }))
            first = Register{reg->file, *reg->index};
    const auto number = number_computed(*this, instruction);
    const auto says = predicate_computed(*this, instruction);
    for (const Register written : effects.writes) {
        if (others_may_write(written)) continue;
        if (is_predicate(written.file)) {
            auto computed = written == first ? says : std::nullopt;
            if (!surely && predicate(written) != computed) computed.reset();
            set(written, computed ? computed : named_predicate(place, written));
        } else {
            auto computed = written == first ? number : std::nullopt;
            if (!surely && this->number(written) != computed) computed.reset();
            numbers_.insert_or_assign(written, computed ? computed : named_number(place, written));
        }
    }
}

void SymbolicRegisters::set(Register reg, const std::optional<Predicate>& value) {
    if (value)
        predicates_.insert_or_assign(reg, *value);
    else
        predicates_.erase(reg);
}

void SymbolicRegisters::join(const SymbolicRegisters& other, const std::optional<Place>& place) {
    for (const auto& entry : other.numbers_)
        if (number(entry.first) != entry.second)
            numbers_.insert_or_assign(entry.first, named_number(place, entry.first));
    for (auto& [reg, value] : numbers_)
        if (other.number(reg) != value) value = named_number(place, reg);
    began_known_ = began_known_ && other.began_known_;
    std::vector<Register> differ;
    for (const auto& [reg, value] : other.predicates_)
        if (predicate(reg) != value) differ.push_back(reg);
    for (const auto& [reg, value] : predicates_)
        if (other.predicate(reg) != value) differ.push_back(reg);
    for (const Register reg : differ)
        set(reg, named_predicate(place, reg));
}

} // namespace warpbound::analyzer
