#pragma once
/// \file
/// Machines with memory queues (C71 to C74), and kernels with many memory instructions.

#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/random_source.hpp"

#include <string>
#include <utility>

namespace warpbound::tests {

/// Gives the machine memory queues before one memory path, and its memory instructions small times.
/// `exact`: the entry of each class is one number.
inline void put_memory_queue(models::Architecture& machine, RandomSource& random, bool exact) {
    using enum assembly::OpcodeClass;
    const bool is_modern = random.whole(0, 1) == 0;
    const auto pick = [&](std::int64_t modern, std::int64_t lo, std::int64_t hi,
                          std::int64_t more) {
        const std::int64_t from = is_modern ? modern : random.whole(lo, hi);
        const bool is_drawn = !is_modern && !exact && random.whole(0, 1) == 0;
        return models::Interval{from, std::nullopt, from + (is_drawn ? random.whole(0, more) : 0)};
    };
    const std::int64_t places = is_modern ? 5 : random.whole(1, 6);
    put_value(machine, "memory-queue/places", {places, places, places});
    put_value(machine, "memory-queue/interval", pick(4, 1, 6, 3));
    put_value(machine, "memory-queue/path-interval", pick(2, 1, 4, 3));
    if (random.whole(0, 2) == 0) put_value(machine, "memory-queue/load-return", pick(2, 1, 3, 1));
    const std::string unit = machine.classes.at(LoadGlobal).unit;
    machine.units[machine.unit_index(unit).value()].scope = models::UnitScope::Core;
    const bool short_latencies = random.whole(0, 1) == 0;
    for (auto& [opcode_class, timing] : machine.classes) {
        const bool accesses = (opcode_class >= LoadShared && opcode_class <= StoreLocal) ||
                              opcode_class == LoadConstant;
        if (accesses) timing.unit = unit;
        if (timing.unit != unit) continue;
        const std::string path = "classes/" + std::string{assembly::to_string(opcode_class)} + "/";
        put_value(machine, path + "entry", pick(11, 2, 16, 8));
        put_value(machine, path + "source-read", pick(11, 1, 20, 6));
        put_value(machine, path + "pass-cost", pick(1, 0, 3, 2));
        put_value(machine, path + "initiation", pick(1, 1, 3, 1));
        if (opcode_class == LoadShared && short_latencies)
            put_value(machine, path + "latency", pick(24, 1, 12, 6));
    }
}

/// Turns much arithmetic into accesses to shared memory.
inline void access_more(assembly::Function& function, models::FlowFacts& facts,
                        RandomSource& random, bool exact) {
    using enum assembly::OpcodeClass;
    const std::int64_t share = random.whole(1, 4);
    const bool one_pass = random.whole(0, 1) == 0;
    for (assembly::Instruction& instruction : function.instructions) {
        const bool is_arithmetic =
            instruction.opcode_class == FloatAdd || instruction.opcode_class == FloatMultiply ||
            instruction.opcode_class == IntegerAdd || instruction.mnemonic == "MUFU";
        if (instruction.control && random.whole(0, 3) > 0) instruction.control->stall = 1;
        if (instruction.control && random.whole(0, 3) == 0) instruction.control->wait_mask = 0;
        if (!is_arithmetic || random.whole(0, 4) > share) continue;
        const auto* to = std::get_if<assembly::RegisterOperand>(&instruction.operands.front());
        const auto* from = std::get_if<assembly::RegisterOperand>(&instruction.operands[1]);
        if (to == nullptr || from == nullptr || !to->index || !from->index ||
            to->file != assembly::RegisterFile::General ||
            from->file != assembly::RegisterFile::General)
            continue;
        assembly::MemoryOperand address;
        address.base = assembly::RegisterOperand{};
        address.base->index = *from->index;
        assembly::RegisterOperand value;
        value.index = *to->index;
        const bool loads = random.whole(0, 2) > 0;
        instruction.mnemonic = loads ? "LDS" : "STS";
        instruction.opcode_class = loads ? LoadShared : StoreShared;
        instruction.modifiers.clear();
        if (loads)
            instruction.operands = {value, address};
        else
            instruction.operands = {address, value};
        if (instruction.control) {
            const int scoreboard = static_cast<int>(random.whole(0, 5));
            instruction.control->write_barrier.reset();
            if (loads && random.whole(0, 2) > 0) instruction.control->write_barrier = scoreboard;
            if (random.whole(0, 3) == 0) instruction.control->read_barrier = scoreboard;
            if (random.whole(0, 3) == 0)
                instruction.control->wait_mask = static_cast<std::uint8_t>(1 << random.whole(0, 5));
        }
        models::MemoryFact fact;
        fact.at = instruction.address;
        const std::int64_t most = one_pass || random.whole(0, 2) > 0 ? 1 : random.whole(2, 8);
        fact.conflict_degree = models::CountRange{exact ? most : 1, most};
        if (facts.memory_at(fact.at) == nullptr) facts.memory.push_back(fact);
    }
    assembly::set_effects(function);
}

} // namespace warpbound::tests
