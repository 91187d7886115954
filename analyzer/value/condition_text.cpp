#include "analyzer/value/condition_text.hpp"

#include "analyzer/value/operand_forms.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace warpbound::analyzer {

namespace {

constexpr std::array<std::string_view, 6> comparator_names{"<", "<=", "==", "!=", ">=", ">"};

std::string symbol_text(Symbol symbol, const assembly::Function& function,
                        const assembly::ControlFlowGraph& graph) {
    if (const auto reg = register_of(symbol)) return assembly::to_string(*reg) + " at the entry";
    if (const auto number = geometry_of(symbol)) return std::string{special_register_of(*number)};
    if (const auto word = constant_of(symbol))
        return fmt::format("c[0x{:x}][0x{:x}]", word->first, word->second);
    const auto definition = definition_of(symbol);
    const auto& block = graph.blocks[definition->point.block];
    const std::size_t instruction =
        block.first + (definition->point.offset == 0 ? 0 : definition->point.offset - 1);
    return fmt::format("{} {} 0x{:04x}", assembly::to_string(definition->reg),
                       definition->point.offset == 0 ? "at" : "of",
                       function.instructions[instruction].address);
}

} // namespace

std::string to_text(const AffineExpression& number, const assembly::Function& function,
                    const assembly::ControlFlowGraph& graph) {
    std::string text;
    const auto add = [&](std::uint32_t factor, const std::string& name) {
        const auto value = static_cast<std::int32_t>(factor);
        const std::uint32_t size = value < 0 ? std::uint32_t{0} - factor : factor;
        text += text.empty() ? (value < 0 ? "-" : "") : (value < 0 ? " - " : " + ");
        if (name.empty())
            text += std::to_string(size);
        else
            text += size == 1 ? name : fmt::format("{} * {}", size, name);
    };
    for (const auto& [symbol, coefficient] : number.terms())
        add(coefficient, symbol_text(symbol, function, graph));
    if (number.constant() != 0 || text.empty()) add(number.constant(), "");
    return text;
}

std::string to_text(const Comparison& comparison, const assembly::Function& function,
                    const assembly::ControlFlowGraph& graph) {
    // A predicate's own symbol: it is not 0 where the predicate is true.
    const auto& terms = comparison.left.terms();
    if (terms.size() == 1 && comparison.right == AffineExpression{}) {
        const auto definition = definition_of(terms.front().first);
        if (definition && is_predicate(definition->reg.file))
            return (comparison.comparator == Comparator::Equal ? "not " : "") +
                   to_text(comparison.left, function, graph);
    }
    const bool equality =
        comparison.comparator == Comparator::Equal || comparison.comparator == Comparator::NotEqual;
    return fmt::format("{} {} {}{}", to_text(comparison.left, function, graph),
                       comparator_names[static_cast<std::size_t>(comparison.comparator)],
                       to_text(comparison.right, function, graph),
                       comparison.is_signed || equality ? "" : " unsigned");
}

} // namespace warpbound::analyzer
