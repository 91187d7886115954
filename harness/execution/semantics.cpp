#include "harness/execution/semantics.hpp"

#include "assembly/isa/reader.hpp"
#include "harness/execution/operand_decoding.hpp"
#include "harness/recorded_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace warpbound::harness::execution {

namespace {

bool lists_word(std::string_view words, std::string_view wanted) {
    for (std::size_t at = words.find(wanted); at != std::string_view::npos;
         at = words.find(wanted, at + 1)) {
        const std::size_t end = at + wanted.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
            return true;
    }
    return false;
}

const SemanticsRow* find_row(std::string_view mnemonic) {
    for (const auto& table :
         {integer_semantics(), logic_semantics(), compare_semantics(), float_semantics(),
          double_semantics(), half_semantics(), conversion_semantics(), move_semantics(),
          warp_semantics(), memory_semantics(), atomic_semantics(), control_semantics()})
        for (const SemanticsRow& row : table)
            if (lists_word(row.mnemonics, mnemonic)) return &row;
    return nullptr;
}

/// Why there are no semantics for the instruction; empty: there are.
std::string decode_operation(const assembly::Instruction& instruction, Operation& into) {
    const SemanticsRow* const row = find_row(instruction.mnemonic);
    if (row == nullptr) return "no semantics";
    into.instruction = &instruction;
    into.perform = row->perform;
    for (const std::string& modifier : instruction.modifiers) {
        const auto known = find_modifier(modifier);
        if (known && lists_word(row->modifiers, modifier)) {
            into.modifiers.set(static_cast<std::size_t>(*known));
        } else if (!changes_nothing(modifier)) {
            return fmt::format("no semantics of modifier .{}", modifier);
        }
    }
    into.guard_decides = guard_decides_execution(instruction);
    into.records_access = has_recorded_addresses(instruction);
    return decode_operands(instruction, row->type, row->writes, into);
}

} // namespace

Result<std::vector<Operation>> decode_operations(const assembly::Function& function,
                                                 const assembly::ControlFlowGraph& graph) {
    std::vector<Operation> operations(function.instructions.size());
    std::map<std::size_t, std::string> missing; // By instruction.
    for (const assembly::BasicBlock& block : graph.blocks)
        for (std::size_t index = block.first; index <= block.last; ++index) {
            if (operations[index].instruction != nullptr) continue;
            auto why = decode_operation(function.instructions[index], operations[index]);
            if (!why.empty()) missing.emplace(index, std::move(why));
        }
    if (missing.empty()) return operations;
    const auto& first = function.instructions[missing.begin()->first].position;
    std::string text;
    for (const auto& [index, why] : missing) {
        const assembly::Instruction& instruction = function.instructions[index];
        text += fmt::format("\n  0x{:04x} {}: {}", instruction.address,
                            assembly::print(instruction), why);
    }
    return Failure{fmt::format("{} instructions of {} cannot be executed; its paths can only be "
                               "drawn (without --execute):{}",
                               missing.size(), function.name, text),
                   "", first.line, first.column};
}

} // namespace warpbound::harness::execution
