#pragma once
/// \file
/// Kernels with wide accesses, uniform addresses, products of double width, fences and yields, and
/// machines that tell these forms apart (C4, C89, C90).

#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/schema.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/random_source.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace warpbound::tests {

/// Inside `all`; one number if `exact`.
inline models::Interval part_of(const models::Interval& all, RandomSource& random, bool exact) {
    const std::int64_t lo = random.whole(all.lo, all.hi);
    return {lo, std::nullopt, exact ? lo : random.whole(lo, all.hi)};
}

/// Gives the machine values of forms, inside those of all forms, and fences a latency.
inline void put_forms(models::Architecture& machine, RandomSource& random, bool exact) {
    const auto put = [&](const std::string& group, std::span<const models::ValueRule> rules,
                         const models::ValueGroup& values) {
        for (const models::ValueRule& rule : rules) {
            if (!rule.of_form || random.whole(0, 3) == 0) continue;
            const std::string all{rule.name.substr(0, rule.name.starts_with("source-read")
                                                          ? std::string_view{"source-read"}.size()
                                                          : rule.name.find('-'))};
            const auto* known = values.find(all);
            if (known == nullptr || !known->interval) continue;
            models::Interval interval = part_of(*known->interval, random, exact);
            if (all == "initiation") interval.hi += exact ? 0 : random.whole(0, 2);
            put_value(machine, group + "/" + std::string{rule.name}, interval);
        }
    };
    const std::int64_t bubble = random.whole(0, 2);
    put_value(machine, "schedulers/yield", {exact ? bubble : 0, std::nullopt, bubble});
    const std::int64_t least = random.whole(1, 20);
    put_value(machine, "classes/memory-fence/initiation", {1, 1, 1});
    put_value(machine, "classes/memory-fence/latency", {exact ? least : 1, std::nullopt, least});
    for (auto& [opcode_class, timing] : machine.classes)
        put("classes/" + std::string{assembly::to_string(opcode_class)},
            models::class_rules(opcode_class), models::ValueGroup{timing.values});
    for (const models::MemoryRule& rule : models::memory_rules())
        if (const auto* l1 = machine.memory(rule.name); l1 != nullptr && rule.name == "l1")
            put("memories/l1", rule.values, models::ValueGroup{*l1});
}

/// Arithmetic into products of double width and fences.
inline void change(assembly::Instruction& instruction, RandomSource& random) {
    using enum assembly::OpcodeClass;
    const bool is_sum = instruction.opcode_class == IntegerAdd;
    const bool may_multiply = is_sum || instruction.opcode_class == FloatMultiplyAdd;
    if (may_multiply && (!is_sum || random.whole(0, 1) == 0)) {
        instruction.mnemonic = "IMAD";
        instruction.modifiers = {"WIDE"};
        instruction.opcode_class = IntegerMultiply;
        auto* to = std::get_if<assembly::RegisterOperand>(&instruction.operands.front());
        if (to != nullptr && to->index) to->index = *to->index - *to->index % 2;
    } else if (is_sum || instruction.opcode_class == Move) {
        instruction.mnemonic = "MEMBAR";
        instruction.modifiers = {"SC", random.whole(0, 1) == 0 ? "CTA" : "GPU"};
        instruction.opcode_class = MemoryFence;
        instruction.operands.clear();
    }
}

/// Widens accesses, gives them uniform addresses, and turns some instructions into products of
/// double width and fences.
inline void mix_forms(assembly::Function& function, RandomSource& random) {
    using enum assembly::OpcodeClass;
    constexpr int first_uniform = 75;
    constexpr int first_fence = 70;
    for (assembly::Instruction& instruction : function.instructions) {
        if (auto& control = instruction.control; control && random.whole(0, 4) == 0) {
            control->yield = random.whole(0, 2) > 0;
            if (!control->yield && random.whole(0, 3) == 0) control->stall = 13;
        }
        const bool accesses =
            instruction.opcode_class == LoadShared || instruction.opcode_class == StoreShared ||
            instruction.opcode_class == LoadGlobal || instruction.opcode_class == StoreGlobal;
        if (accesses) {
            const int words = 1 << random.whole(0, 2);
            if (words > 1) instruction.modifiers.push_back(std::to_string(32 * words));
            const bool uniform = function.target.sm >= first_uniform && random.whole(0, 2) == 0;
            for (assembly::Operand& operand : instruction.operands) {
                if (auto* data = std::get_if<assembly::RegisterOperand>(&operand);
                    data != nullptr && data->index && data->file == assembly::RegisterFile::General)
                    data->index = *data->index - *data->index % words;
                auto* address = std::get_if<assembly::MemoryOperand>(&operand);
                if (address == nullptr || !uniform) continue;
                address->base.reset();
                address->uniform = assembly::RegisterOperand{};
                address->uniform->file = assembly::RegisterFile::Uniform;
                address->uniform->index = 4;
            }
        } else if (function.target.sm >= first_fence && random.whole(0, 5) == 0) {
            change(instruction, random);
        }
    }
    assembly::set_effects(function);
}

} // namespace warpbound::tests
