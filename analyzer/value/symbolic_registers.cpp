#include "analyzer/value/symbolic_registers.hpp"

#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Register;

std::optional<AffineExpression> named_number(const std::optional<Place>& place, Register reg) {
    const auto name = name_of(place, reg);
    return name ? std::optional{AffineExpression::of(*name)} : std::nullopt;
}

/// A predicate with a name: whether the number of that name is not 0.
std::optional<Predicate> named_predicate(const std::optional<Place>& place, Register reg) {
    const auto name = name_of(place, reg);
    if (!name) return std::nullopt;
    return Predicate{
        {{Comparator::NotEqual, false, AffineExpression::of(*name), AffineExpression{}}}, false};
}

} // namespace

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

void SymbolicRegisters::assign(Register reg, const std::optional<AffineExpression>& number,
                               const std::optional<Place>& place) {
    numbers_.insert_or_assign(reg, number ? number : named_number(place, reg));
}

void SymbolicRegisters::assign(Register reg, const std::optional<Predicate>& predicate,
                               const std::optional<Place>& place) {
    set(reg, predicate ? predicate : named_predicate(place, reg));
}

void SymbolicRegisters::forget_all() {
    *this = SymbolicRegisters{lanes_};
    began_known_ = false;
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
