#include "assembly/isa/program.hpp"

#include "assembly/isa/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::assembly {

bool Instruction::has_modifier(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string opcode_text(const Instruction& instruction) {
    std::string text = instruction.mnemonic;
    for (const auto& modifier : instruction.modifiers)
        text += "." + modifier;
    return text;
}

std::optional<std::size_t> Function::index_of(std::int64_t address) const {
    const auto found = std::lower_bound(instructions.begin(), instructions.end(), address,
                                        [](const Instruction& instruction, std::int64_t wanted) {
                                            return instruction.address < wanted;
                                        });
    if (found == instructions.end() || found->address != address) return std::nullopt;
    return static_cast<std::size_t>(found - instructions.begin());
}

bool is_guarded(const Instruction& instruction) {
    return instruction.guard && !instruction.guard->always();
}

bool has_predicate_operand(const Instruction& instruction) {
    return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                       [](const Operand& operand) {
                           const auto* reg = std::get_if<RegisterOperand>(&operand);
                           return reg != nullptr && reg->file == RegisterFile::Predicate;
                       });
}

bool synchronizes_threads(const Instruction& instruction) {
    return instruction.opcode_class == OpcodeClass::Barrier || instruction.mnemonic == "WARPSYNC";
}

std::optional<int> barrier_register(const Instruction& instruction) {
    for (const Operand& operand : instruction.operands)
        if (const auto* reg = std::get_if<RegisterOperand>(&operand);
            reg != nullptr && reg->file == RegisterFile::Barrier && reg->index)
            return reg->index;
    return std::nullopt;
}

Failure refusal_of(const UnreadFunction& function) {
    constexpr std::size_t most_listed = 100;
    if (function.failures.size() == 1) return function.failures.front();
    Failure all = function.failures.front();
    all.what = fmt::format("kernel '{}' cannot be read, {} lines are refused:", function.name,
                           function.failures.size());
    for (std::size_t i = 0; i < function.failures.size() && i < most_listed; ++i) {
        const Failure& one = function.failures[i];
        all.what += fmt::format("\n  {}:{}: {}", one.line, one.column, one.what);
    }
    if (function.failures.size() > most_listed)
        all.what += fmt::format("\n  and {} more", function.failures.size() - most_listed);
    return all;
}

Result<const Function*> find_function(const Program& program, std::string_view name) {
    std::vector<std::string> names;
    const Function* found = nullptr;
    std::size_t matches = 0;
    for (const auto& function : program.functions) {
        names.push_back(function.name);
        if (name.empty() || function.name == name) {
            found = &function;
            ++matches;
        }
    }
    for (const auto& function : program.unread) {
        names.push_back(function.name);
        if (function.name == name && matches == 0) return refusal_of(function);
    }
    if (matches == 1 && (!name.empty() || names.size() == 1)) return found;
    if (name.empty())
        return Failure{"the listing holds several kernels, name one with --kernel: " +
                           list_of_names(names),
                       program.name};
    if (matches == 0)
        return Failure{"there is no kernel '" + std::string{name} +
                           "'; there are: " + list_of_names(names),
                       program.name};
    return Failure{"kernel '" + std::string{name} +
                       "' is listed for several targets; keep one of them",
                   program.name};
}

} // namespace warpbound::assembly
