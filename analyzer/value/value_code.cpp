#include "analyzer/value/value_code.hpp"

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/value_terms.hpp"
#include "analyzer/value/wavefront_forms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::EntryValue;
using assembly::Function;
using assembly::Instruction;
using assembly::OpcodeClass;
using assembly::Operand;
using assembly::Register;

/// What the hardware has put into registers.
void add_entry(FormSteps& steps) {
    const auto read = [&](Register result, const char* name) {
        steps.add("S2R", {}, {operand_of(result), assembly::SpecialRegisterOperand{name}});
    };
    const auto read_lanes = [&](const assembly::EntryRegister& entry, int items, bool packed) {
        const Register result = lane_register(entry.reg, View::Active);
        constexpr std::array names{"SR_TID.X", "SR_TID.Y", "SR_TID.Z"};
        constexpr std::int64_t field = 1 << 10; // Of a packed index.
        read(result, names.at(packed ? 0 : static_cast<std::size_t>(items)));
        for (int item = 1; packed && item <= items; ++item) {
            read(temporary(0), names.at(static_cast<std::size_t>(item)));
            steps.add("IMAD", {},
                      {operand_of(result), operand_of(temporary(0)),
                       operand_of(item == 1 ? field : field * field), operand_of(result)});
        }
        steps.add("MOV", {}, {operand_of(lane_register(entry.reg, View::All)), operand_of(result)});
    };
    for (const assembly::EntryRegister& entry : steps.context().function.entry.registers) {
        const auto scalar = number_register(entry.reg);
        switch (entry.value) {
        case EntryValue::ArgumentPointer:
            break;
        case EntryValue::GroupX:
            read(*scalar, "SR_CTAID.X");
            break;
        case EntryValue::GroupY:
            read(*scalar, "SR_CTAID.Y");
            break;
        case EntryValue::GroupZ:
            read(*scalar, "SR_CTAID.Z");
            break;
        case EntryValue::ItemX:
        case EntryValue::ItemY:
        case EntryValue::ItemZ:
            read_lanes(entry, static_cast<int>(entry.value) - static_cast<int>(EntryValue::ItemX),
                       false);
            break;
        case EntryValue::PackedItemX:
        case EntryValue::PackedItemXY:
        case EntryValue::PackedItemXYZ:
            read_lanes(entry,
                       static_cast<int>(entry.value) - static_cast<int>(EntryValue::PackedItemX),
                       true);
            break;
        }
    }
    const Operand all = truth_operand(true);
    steps.add("PLOP3", {"LUT"},
              {operand_of(exec_predicate), all, all, all, all, operand_of(std::int64_t{0xff}),
               operand_of(std::int64_t{0})});
}

/// A control instruction without the registers that it reads; of a condition the predicate.
Instruction control_step(const FormContext& context) {
    Instruction step = context.instruction();
    step.effects.reads.clear();
    step.effects.writes.clear();
    if (!step.guard) return step;
    assembly::RegisterOperand& guard = step.guard->predicate;
    const bool asks_lanes = mask_with({guard.file, *guard.index}, context.lanes()).has_value();
    const Register decides = asks_lanes ? branch_predicate : scc_predicate;
    guard.file = decides.file;
    guard.index = decides.index;
    step.effects.reads = {decides};
    return step;
}

/// Steps of one instruction; `main`: of its access.
std::vector<Instruction> steps_of(const FormContext& context, std::vector<std::size_t>& main) {
    FormSteps steps{context};
    const Instruction& instruction = context.instruction();
    const std::string_view name = plain_name(instruction.mnemonic);
    if (instruction.control_flow != ControlFlow::None ||
        instruction.opcode_class == OpcodeClass::Barrier) {
        add_branch_form(steps);
        auto all = steps.take();
        main.push_back(all.size());
        all.push_back(control_step(context));
        return all;
    }
    if (!instruction.effects.writes_known) {
        steps.add("unknown", {}, {}, false).effects.writes_known = false;
        return steps.take();
    }
    if (!add_memory_form(name, steps, main)) {
        // Numbers and masks are two views of the same registers.
        const bool as_mask = add_mask_form(steps);
        const bool as_number = (name.starts_with("s_") && add_scalar_form(name, steps)) ||
                               add_dual_form(steps) ||
                               (name.starts_with("v_") && add_vector_form(name, steps));
        steps.finish(as_mask || as_number || is_function_of_lanes(instruction));
    } else {
        steps.finish(false); // Of atomics, lanes with one address get several values.
    }
    if (steps.empty()) steps.add("unknown", {}, {}, false);
    return steps.take();
}

} // namespace

namespace {

/// `first_of`: the step with which an instruction now begins, and the number of steps.
void move_blocks(ControlFlowGraph& graph, const std::vector<std::size_t>& first_of) {
    for (assembly::BasicBlock& block : graph.blocks) {
        const std::size_t last = block.last;
        block.first = first_of[block.first];
        block.last = first_of[last + 1] - 1;
    }
}

/// A step that computes `into` of the operands.
Instruction step_at(const Instruction& place, std::string_view name, assembly::Register into,
                    std::vector<assembly::Operand> operands) {
    Instruction step;
    step.address = place.address;
    step.position = place.position;
    step.mnemonic = name;
    step.opcode_class = assembly::OpcodeClass::IntegerAdd;
    std::set<assembly::Register> reads;
    for (const assembly::Operand& operand : operands)
        if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operand); reg && reg->index)
            reads.insert({reg->file, *reg->index});
    step.effects.reads.assign(reads.begin(), reads.end());
    step.effects.writes = {into};
    step.operands = std::move(operands);
    step.operands.insert(step.operands.begin(), operand_of(into));
    return step;
}

assembly::Operand negative_of(assembly::Operand operand) {
    if (auto* reg = std::get_if<assembly::RegisterOperand>(&operand)) reg->negated = !reg->negated;
    if (auto* word = std::get_if<assembly::ConstantOperand>(&operand))
        word->negated = !word->negated;
    if (const auto* number = std::get_if<assembly::ImmediateOperand>(&operand))
        return operand_of(std::int64_t{0 - value_of(*number).value_or(0)});
    return operand;
}

/// Before a rest is computed: keeps both numbers where nothing else writes.
void keep_numbers(const Instruction& rest, const DividedAt& division,
                  std::array<assembly::Register, 2> into, std::vector<Instruction>& steps) {
    const assembly::Operand& divisor = rest.operands[division.divisor_operand];
    steps.push_back(
        step_at(rest, "IADD3", into[0], {rest.operands[3], zero_operand(), zero_operand()}));
    steps.push_back(step_at(rest, "IADD3", into[1],
                            {division.negated_divisor ? negative_of(divisor) : divisor,
                             zero_operand(), zero_operand()}));
}

/// Quotients and rests of which the code computes the last correction become one step each (S71).
void name_divisions(ValueCode& code, const std::vector<DividedAt>& divisions) {
    if (divisions.empty()) return;
    constexpr int beyond_registers = 4096; // Numbers that no code names.
    std::map<std::size_t, std::array<assembly::Register, 2>>
        kept; // By the instruction of the rest.
    std::map<std::size_t, DividedAt> by_instruction;
    for (const DividedAt& division : divisions) {
        by_instruction.emplace(division.instruction, division);
        const int first = beyond_registers + 2 * static_cast<int>(kept.size());
        kept.try_emplace(
            division.rest_at,
            std::array{assembly::Register{assembly::RegisterFile::General, first},
                       assembly::Register{assembly::RegisterFile::General, first + 1}});
    }
    std::vector<std::size_t> first_of;
    std::vector<Instruction> steps;
    std::vector<std::optional<std::size_t>> stands_for;
    for (std::size_t i = 0; i < code.function.instructions.size(); ++i) {
        first_of.push_back(steps.size());
        Instruction& instruction = code.function.instructions[i];
        const auto at = by_instruction.find(i);
        const auto same_rest = [&](const DividedAt& one) { return one.rest_at == i; };
        if (const auto division = std::ranges::find_if(divisions, same_rest);
            division != divisions.end())
            keep_numbers(instruction, *division, kept.at(i), steps);
        stands_for.resize(steps.size());
        if (at != by_instruction.end()) {
            const auto& numbers = kept.at(at->second.rest_at);
            instruction =
                step_at(instruction, at->second.is_rest ? "REMAINDER" : "QUOTIENT", at->second.into,
                        {operand_of(numbers[0]), operand_of(numbers[1])});
        }
        steps.push_back(std::move(instruction));
        stands_for.emplace_back(i);
    }
    first_of.push_back(steps.size());
    code.function.instructions = std::move(steps);
    code.stands_for = std::move(stands_for);
    move_blocks(code.graph, first_of);
}

} // namespace

bool has_value_code(const Function& function, const ControlFlowGraph& graph) {
    if (!is_amd(function.target)) return true;
    const bool enters_a_loop = std::ranges::any_of(
        graph.loops, [](const assembly::Loop& loop) { return loop.header == 0; });
    return !enters_a_loop;
}

ValueCode value_code(const Function& function, const ControlFlowGraph& graph) {
    ValueCode code;
    if (!is_amd(function.target) || !has_value_code(function, graph)) {
        code.function = function;
        code.graph = graph;
        for (std::size_t i = 0; i < function.instructions.size(); ++i)
            code.stands_for.emplace_back(i);
        if (!is_amd(function.target)) name_divisions(code, divisions_of(function, graph));
        return code;
    }
    const LaneMasks masks = lane_masks(function, graph);
    code.function.name = function.name;
    code.function.target = function.target;
    code.function.step = function.step;
    std::vector<std::size_t> first_of;
    const auto append = [&](std::vector<Instruction> steps) {
        code.stands_for.resize(code.stands_for.size() + steps.size());
        std::move(steps.begin(), steps.end(), std::back_inserter(code.function.instructions));
    };
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        first_of.push_back(code.function.instructions.size());
        const FormContext context{function, masks, i};
        if (i == graph.blocks[0].first) {
            FormSteps entry{context};
            add_entry(entry);
            append(entry.take());
        }
        std::vector<std::size_t> main;
        const std::size_t begin = code.function.instructions.size();
        append(steps_of(context, main));
        for (const std::size_t step : main)
            code.stands_for[begin + step] = i;
    }
    first_of.push_back(code.function.instructions.size());
    code.graph = graph;
    move_blocks(code.graph, first_of);
    return code;
}

} // namespace warpbound::analyzer
