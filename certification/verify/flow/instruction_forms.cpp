#include "certification/verify/flow/instruction_forms.hpp"

#include "assembly/isa/register_roles.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::RegisterOperand;

std::optional<Order> order_named(const Instruction& instruction) {
    constexpr std::array<std::pair<std::string_view, Order>, 6> names{{{"LT", Order::Less},
                                                                       {"LE", Order::AtMost},
                                                                       {"EQ", Order::Equal},
                                                                       {"NE", Order::NotEqual},
                                                                       {"GE", Order::AtLeast},
                                                                       {"GT", Order::More}}};
    for (const auto& [name, order] : names)
        if (instruction.has_modifier(name)) return order;
    return std::nullopt;
}

} // namespace

bool has_only(const Instruction& instruction, std::initializer_list<std::string_view> known) {
    return std::all_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                       [&](const std::string& modifier) {
                           return std::find(known.begin(), known.end(), modifier) != known.end();
                       });
}

SourceOperands sources_of(const Instruction& instruction) {
    SourceOperands sources;
    const auto written = assembly::destinations_of(instruction).written;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        if (written.test(i)) continue;
        const Operand& operand = instruction.operands[i];
        if (assembly::is_predicate(operand))
            sources.predicates.push_back(&std::get<RegisterOperand>(operand));
        else
            sources.numbers.push_back(&operand);
    }
    return sources;
}

std::optional<CompareForm> compare_form(const Instruction& instruction) {
    if ((instruction.mnemonic != "ISETP" && instruction.mnemonic != "UISETP") ||
        !has_only(instruction,
                  {"LT", "LE", "EQ", "NE", "GE", "GT", "U32", "AND", "OR", "XOR", "EX"}))
        return std::nullopt;
    const auto order = order_named(instruction);
    const SourceOperands sources = sources_of(instruction);
    const bool is_extended = instruction.has_modifier("EX");
    if (!order || sources.numbers.size() != 2 || instruction.operands.size() < 5 ||
        sources.predicates.size() != (is_extended ? 2U : 1U))
        return std::nullopt;
    CompareForm form;
    form.order = *order;
    form.is_signed = !instruction.has_modifier("U32");
    if (instruction.has_modifier("OR")) form.combination = CompareForm::Combination::Or;
    if (instruction.has_modifier("XOR")) form.combination = CompareForm::Combination::ExclusiveOr;
    form.is_extended = is_extended;
    form.left = sources.numbers[0];
    form.right = sources.numbers[1];
    form.with = sources.predicates[0];
    if (is_extended) form.lower = sources.predicates[1];
    return form;
}

std::optional<PredicateLogic> predicate_logic(const Instruction& instruction) {
    if ((instruction.mnemonic != "PLOP3" && instruction.mnemonic != "UPLOP3") ||
        !has_only(instruction, {"LUT"}))
        return std::nullopt;
    const SourceOperands sources = sources_of(instruction);
    if (sources.predicates.size() != 3 || sources.numbers.empty()) return std::nullopt;
    const auto* table = std::get_if<assembly::ImmediateOperand>(sources.numbers.front());
    const auto* second = std::get_if<RegisterOperand>(&instruction.operands[1]);
    if (table == nullptr || !table->integer || second == nullptr || second->index)
        return std::nullopt;
    return PredicateLogic{sources.predicates, static_cast<unsigned>(*table->integer) & 0xffU};
}

} // namespace warpbound::certification::verify
