#include "analyzer/value/wavefront_forms.hpp"
#include "assembly/amd/lane_mask.hpp"
#include "assembly/amd/state_registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace warpbound::analyzer {

using assembly::Instruction;
using assembly::OpcodeClass;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

namespace {

void add_registers(const Operand& operand, std::set<Register>& registers) {
    const auto add = [&](const std::optional<RegisterOperand>& reg) {
        if (reg && reg->index) registers.insert({reg->file, *reg->index});
    };
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) add(*reg);
    if (const auto* memory = std::get_if<assembly::MemoryOperand>(&operand)) {
        add(memory->base);
        add(memory->uniform);
    }
}

/// The register of the value analysis that stands for what an instruction reads.
std::optional<Register> read_register(Register reg) {
    if (reg.file == RegisterFile::Vector || reg.file == RegisterFile::Accumulation)
        return lane_register(reg, View::Active);
    const bool is_m0 =
        reg == Register{RegisterFile::State, static_cast<int>(assembly::amd::StateRegister::M0)};
    return is_m0 ? std::nullopt : number_register(reg);
}

} // namespace

bool is_function_of_lanes(const Instruction& instruction) {
    const std::string& name = instruction.mnemonic;
    if (!name.starts_with("v_") || name.find("_dpp") != std::string::npos ||
        name.find("_sdwa") != std::string::npos)
        return false;
    // What takes a mask of lanes or what other lanes hold.
    for (const std::string_view other :
         {"v_mbcnt", "v_cndmask", "v_addc", "v_subb", "v_add_co_ci", "v_sub_co_ci",
          "v_subrev_co_ci", "v_div_fmas", "v_readlane", "v_writelane", "v_permlane", "v_mfma",
          "v_movrel", "v_interp", "v_cmp", "v_dual"})
        if (name.starts_with(other)) return false;
    return instruction.opcode_class != OpcodeClass::Vote &&
           instruction.opcode_class != OpcodeClass::Shuffle &&
           instruction.opcode_class != OpcodeClass::Tensor;
}

RegisterOperand register_operand(Register reg) {
    RegisterOperand operand;
    operand.file = reg.file;
    operand.index = reg.index;
    return operand;
}

Operand operand_of(Register reg) {
    return register_operand(reg);
}

Operand operand_of(std::int64_t number) {
    return assembly::ImmediateOperand{fmt::format("{}", number), number};
}

Operand zero_operand() {
    return RegisterOperand{};
}

RegisterOperand truth_operand(bool holds) {
    RegisterOperand operand;
    operand.file = RegisterFile::Predicate;
    operand.negated = !holds;
    return operand;
}

std::optional<Operand> FormSteps::number(std::size_t operand, int word) const {
    const std::string_view text = text_of_operand(instruction(), operand);
    if (const auto value = integer_in(text)) {
        if (word == 0) return operand_of(*value);
        return operand_of(std::int64_t{*value < 0 ? -1 : 0});
    }
    const auto reg = register_in(text, word);
    if (!reg) return std::nullopt;
    const auto held = read_register(*reg);
    return held ? std::optional{operand_of(*held)} : std::nullopt;
}

std::string FormSteps::mask_operation() const {
    return assembly::amd::mask_operation(instruction().mnemonic, context_.lanes())
        .value_or(std::string{});
}

RegisterOperand FormSteps::exec() const {
    if (!is_partial()) return truth_operand(true);
    return register_operand(exec_predicate);
}

std::optional<RegisterOperand> FormSteps::mask(std::string_view text, View view) const {
    if (text == "-1") return truth_operand(true);
    if (text == "0") return truth_operand(false);
    const auto mask = mask_in(text, context_.lanes());
    if (!mask) return std::nullopt;
    if (*mask == exec_mask) return view == View::Active ? truth_operand(true) : exec();
    return register_operand(mask_predicate(*mask, view));
}

std::optional<Register> FormSteps::destination(int word, std::size_t operand) const {
    const auto reg = register_in(text_of_operand(instruction(), operand), word);
    return reg ? read_register(*reg) : std::nullopt;
}

Instruction& FormSteps::add(std::string_view name, std::vector<std::string> modifiers,
                            std::vector<Operand> operands, bool writes) {
    Instruction step;
    step.address = instruction().address;
    step.position = instruction().position;
    step.mnemonic = name;
    step.modifiers = std::move(modifiers);
    step.opcode_class = OpcodeClass::IntegerAdd; // Some pure function.
    std::set<Register> reads;
    for (std::size_t i = writes ? 1 : 0; i < operands.size(); ++i)
        add_registers(operands[i], reads);
    step.effects.reads.assign(reads.begin(), reads.end());
    if (writes)
        if (const auto* reg = std::get_if<RegisterOperand>(&operands.front()); reg->index)
            step.effects.writes = {{reg->file, *reg->index}};
    step.operands = std::move(operands);
    return steps_.emplace_back(std::move(step));
}

void FormSteps::append(std::vector<Instruction> steps) {
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
}

void FormSteps::forget(const std::vector<Register>& registers, bool pure) {
    if (registers.empty()) return;
    Instruction& step = add("unknown", {}, {}, false);
    step.opcode_class = pure ? OpcodeClass::IntegerAdd : OpcodeClass::Unknown;
    std::set<Register> reads;
    for (const Register reg : instruction().effects.reads)
        if (const auto held = read_register(reg)) reads.insert(*held);
    step.effects.reads.assign(reads.begin(), reads.end());
    const std::set<Register> writes{registers.begin(), registers.end()};
    step.effects.writes.assign(writes.begin(), writes.end());
}

bool FormSteps::has_written(Register reg) const {
    return std::ranges::any_of(steps_, [&](const Instruction& step) {
        return std::ranges::count(step.effects.writes, reg) != 0;
    });
}

void FormSteps::finish(bool pure) {
    std::vector<Register> missing;
    std::vector<Register> missing_lanes;
    const auto need = [&](Register reg) {
        if (!has_written(reg))
            (reg.file == RegisterFile::General ? missing_lanes : missing).push_back(reg);
    };
    for (const Register reg : instruction().effects.writes) {
        if (const auto held = read_register(reg)) need(*held);
        if (const auto held = number_register(reg)) need(*held);
        if (reg ==
            Register{RegisterFile::State, static_cast<int>(assembly::amd::StateRegister::Scc)})
            need(scc_predicate);
        const auto mask = mask_with(reg, context_.lanes());
        if (mask == exec_mask) need(exec_predicate);
        if (!mask || mask == exec_mask) continue;
        need(mask_predicate(*mask, View::Active));
        need(mask_predicate(*mask, View::All));
    }
    forget(missing_lanes, pure);
    forget(missing, false);
    for (const Register reg : instruction().effects.writes) {
        if (context_.masks.of_all_lanes.count(reg) == 0) continue;
        Instruction& copy = add("MOV", {},
                                {operand_of(lane_register(reg, View::All)),
                                 operand_of(lane_register(reg, View::Active))});
        if (!is_partial()) continue;
        copy.guard = assembly::Guard{exec()};
        copy.effects.reads.insert(copy.effects.reads.end(), exec_predicate);
        std::sort(copy.effects.reads.begin(), copy.effects.reads.end());
    }
}

} // namespace warpbound::analyzer
