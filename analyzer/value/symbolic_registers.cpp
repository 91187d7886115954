#include "analyzer/value/symbolic_registers.hpp"

#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Register;

std::optional<AffineExpression> defined_number(const std::optional<ProgramPoint>& point,
                                               Register reg) {
    const auto symbol = definition_symbol(point, reg);
    return symbol ? std::optional{AffineExpression::of(*symbol)} : std::nullopt;
}

/// The predicate "the definition's symbol is not 0".
std::optional<Predicate> defined_predicate(const std::optional<ProgramPoint>& point, Register reg) {
    const auto symbol = definition_symbol(point, reg);
    if (!symbol) return std::nullopt;
    return Predicate{
        {{Comparator::NotEqual, false, AffineExpression::of(*symbol), AffineExpression{}}}, false};
}

} // namespace

std::optional<AffineExpression> SymbolicRegisters::number(Register reg) const {
    const auto found = numbers_.find(reg);
    if (found != numbers_.end()) return found->second;
    if (!initial_known_ || others_may_write(reg)) return std::nullopt;
    return AffineExpression::of(symbol_of(reg));
}

std::optional<Predicate> SymbolicRegisters::predicate(Register reg) const {
    const auto found = predicates_.find(reg);
    if (found == predicates_.end()) return std::nullopt;
    return found->second;
}

void SymbolicRegisters::assign(Register reg, const std::optional<AffineExpression>& number,
                               const std::optional<ProgramPoint>& point) {
    numbers_.insert_or_assign(reg, number ? number : defined_number(point, reg));
}

void SymbolicRegisters::assign(Register reg, const std::optional<Predicate>& predicate,
                               const std::optional<ProgramPoint>& point) {
    set(reg, predicate ? predicate : defined_predicate(point, reg));
}

void SymbolicRegisters::forget_all() {
    *this = SymbolicRegisters{convergence_};
    initial_known_ = false;
}

void SymbolicRegisters::set(Register reg, const std::optional<Predicate>& value) {
    if (value)
        predicates_.insert_or_assign(reg, *value);
    else
        predicates_.erase(reg);
}

void SymbolicRegisters::join(const SymbolicRegisters& other,
                             const std::optional<ProgramPoint>& point) {
    for (const auto& entry : other.numbers_)
        if (number(entry.first) != entry.second)
            numbers_.insert_or_assign(entry.first, defined_number(point, entry.first));
    for (auto& [reg, value] : numbers_)
        if (other.number(reg) != value) value = defined_number(point, reg);
    initial_known_ = initial_known_ && other.initial_known_;
    std::vector<Register> differ;
    for (const auto& [reg, value] : other.predicates_)
        if (predicate(reg) != value) differ.push_back(reg);
    for (const auto& [reg, value] : predicates_)
        if (other.predicate(reg) != value) differ.push_back(reg);
    for (const Register reg : differ)
        set(reg, defined_predicate(point, reg));
}

} // namespace warpbound::analyzer
