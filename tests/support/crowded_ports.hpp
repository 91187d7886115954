#pragma once
/// \file
/// Machines with read ports and short latencies, and kernels whose reads and results meet at the
/// ports of register banks.

#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/random_source.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace warpbound::tests {

/// Ports, units and latencies, many of them so that results meet. Requires: encoded control fields.
inline void put_crowded_ports(models::Architecture& machine, RandomSource& random) {
    const bool is_modern = random.whole(0, 1) == 0;
    const auto pick = [&](std::int64_t modern, std::int64_t lo, std::int64_t hi) {
        const std::int64_t value = is_modern ? modern : random.whole(lo, hi);
        return models::Interval{value, std::nullopt, value};
    };
    put_value(machine, "register-file/banks", pick(2, 2, 3));
    put_value(machine, "register-file/read-ports", {1, 1, 1});
    put_value(machine, "register-file/read-window", pick(3, 1, 4));
    put_value(machine, "register-file/reuse-slots", pick(3, 0, 3));
    const bool short_latencies = random.whole(0, 1) == 0;
    const bool quick_units = random.whole(0, 2) > 0;
    for (auto& [opcode_class, timing] : machine.classes) {
        const std::string path = "classes/" + std::string{assembly::to_string(opcode_class)} + "/";
        if (opcode_class <= assembly::OpcodeClass::FloatCompare) {
            const std::int64_t latency = is_modern ? 4 : random.whole(1, 12);
            put_value(machine, path + "latency",
                      {latency, std::nullopt, latency + random.whole(0, 1)});
            const std::int64_t busy = quick_units ? 1 : random.whole(1, 6);
            put_value(machine, path + "initiation", {busy, busy, busy});
        }
        if ((opcode_class == assembly::OpcodeClass::LoadShared ||
             opcode_class == assembly::OpcodeClass::SpecialFunction) &&
            short_latencies) {
            const std::int64_t latency = random.whole(1, 14);
            put_value(machine, path + "latency",
                      {latency, std::nullopt, latency + random.whole(0, 3)});
        }
    }
}

/// Short stalls, and results in few banks; loads of several registers.
inline void crowd_ports(assembly::Function& function, RandomSource& random) {
    const bool one_bank = random.whole(0, 1) == 0;
    const std::int64_t waits = random.whole(0, 3);
    std::uint8_t pending = 0; // Scoreboards that loads announced their results on.
    for (assembly::Instruction& instruction : function.instructions) {
        if (instruction.control_flow != assembly::ControlFlow::None) continue;
        if (instruction.control && random.whole(0, 9) > 0) instruction.control->stall = 1;
        if (instruction.control && random.whole(0, 3) > waits) instruction.control->wait_mask = 0;
        if (instruction.control && pending != 0 && random.whole(0, 4) == 0)
            instruction.control->wait_mask |= std::exchange(pending, std::uint8_t{0});
        if (instruction.control && instruction.control->write_barrier)
            pending |= static_cast<std::uint8_t>(
                1U << static_cast<unsigned>(*instruction.control->write_barrier));
        if (instruction.operands.empty()) continue;
        auto* to = std::get_if<assembly::RegisterOperand>(&instruction.operands.front());
        if (to == nullptr || to->file != assembly::RegisterFile::General || !to->index) continue;
        if (one_bank) *to->index = *to->index / 6 * 6;
        if (instruction.mnemonic == "LDS" && random.whole(0, 4) == 0) {
            instruction.modifiers = {random.whole(0, 1) == 0 ? "64" : "128"};
            *to->index = *to->index / 4 * 4;
        }
    }
    assembly::set_effects(function);
}

} // namespace warpbound::tests
