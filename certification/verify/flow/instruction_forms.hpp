#pragma once
/// \file
/// The roles of an instruction's operands, and the forms of comparisons and of predicate logic, as
/// the verifier reads them (docs/theory, S76).

#include "assembly/isa/program.hpp"
#include "certification/verify/flow/number_set.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::certification::verify {

/// Whether the instruction has no other modifier.
bool has_only(const assembly::Instruction& instruction,
              std::initializer_list<std::string_view> known);

/// Source operands of an instruction in the order written.
struct SourceOperands {
    std::vector<const assembly::Operand*> numbers;
    std::vector<const assembly::RegisterOperand*> predicates;
};
SourceOperands sources_of(const assembly::Instruction& instruction);

/// The comparison of ISETP and UISETP; none: another form.
struct CompareForm {
    Order order = Order::Equal;
    bool is_signed = true;
    enum class Combination { And, Or, ExclusiveOr } combination = Combination::And;
    bool is_extended = false; ///< Upper words: it goes on with the predicate of the lower ones.
    const assembly::Operand* left = nullptr;
    const assembly::Operand* right = nullptr;
    const assembly::RegisterOperand* with = nullptr;  ///< The predicate that is combined.
    const assembly::RegisterOperand* lower = nullptr; ///< Of `is_extended`.
};
std::optional<CompareForm> compare_form(const assembly::Instruction& instruction);

/// The three sources and the table of PLOP3 with one destination; none: another form.
struct PredicateLogic {
    std::vector<const assembly::RegisterOperand*> sources;
    unsigned table = 0; ///< Bit 4a + 2b + c.
};
std::optional<PredicateLogic> predicate_logic(const assembly::Instruction& instruction);

} // namespace warpbound::certification::verify
