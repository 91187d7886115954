#include "analyzer/memory/shared_traffic.hpp"

#include "analyzer/interference/resource_demand.hpp"
#include "assembly/isa/texture_registers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using assembly::OpcodeClass;
using models::times;
using Timing = models::InstructionTiming;

constexpr std::int64_t bytes_of_local_word = 4; // The words of the lanes lie next to each other.

/// Lines of the L2 that one execution of the instruction touches, at most.
std::int64_t touched_lines(const assembly::Instruction& instruction, const Timing& timing) {
    switch (instruction.opcode_class) {
    case OpcodeClass::LoadGlobal:
        // With this hint the L2 fetches twice the line.
        return times(timing.passes.hi, instruction.has_modifier("LTC256B") ? 2 : 1);
    case OpcodeClass::StoreGlobal:
    case OpcodeClass::AtomicGlobal:
    case OpcodeClass::LoadConstant:
        return timing.passes.hi;
    case OpcodeClass::LoadLocal:
    case OpcodeClass::StoreLocal: {
        const auto& memory = instruction.effects.memory;
        const std::int64_t bytes = memory ? memory->bytes_per_lane : bytes_of_local_word;
        return times(timing.passes.hi, std::max<std::int64_t>(1, bytes / bytes_of_local_word));
    }
    default:
        return 0;
    }
}

/// Whether nothing is claimed of what the instruction moves: textures, and operations on caches
/// other than forgetting all lines (prefetches, write-backs).
bool has_unknown_traffic(const assembly::Instruction& instruction) {
    const bool is_cache_operation = instruction.mnemonic.rfind("CCTL", 0) == 0;
    return assembly::accesses_texture(instruction) ||
           (is_cache_operation && !instruction.has_modifier("IVALL"));
}

/// An atomic reads its line and writes it.
std::int64_t accesses_of_line(const assembly::Instruction& instruction) {
    return instruction.opcode_class == OpcodeClass::AtomicGlobal ? 2 : 1;
}

/// Lines that the caches of instructions and constants request for the launch: each of them once
/// for a scheduler, as they keep what they have.
Result<std::int64_t> lines_of_text_and_constants(const TimedKernel& kernel,
                                                 const LaunchGeometry& shape, std::int64_t line) {
    const auto refuse = [&](const char* what) {
        return Failure{fmt::format("the traffic of {} is not bounded: their caches need not keep "
                                   "what they have",
                                   what),
                       kernel.function->name};
    };
    std::int64_t lines = 0;
    if (const auto& text = kernel.delivery.lines) {
        if (!text->persist_in_l1) return refuse("instruction fetches");
        lines = times(models::plus(text->count, text->stream.hi),
                      std::max<std::int64_t>(1, (text->line + line - 1) / line));
    }
    if (const auto& operands = kernel.delivery.operands) {
        for (std::size_t i = 0; i < kernel.used.size(); ++i)
            if (kernel.used[i] && operands->may_be_replaced[i]) return refuse("constant operands");
        lines = models::plus(lines, static_cast<std::int64_t>(operands->persistent.size()));
    }
    return times(times(lines, shape.schedulers), shape.multiprocessors);
}

} // namespace

Result<models::PerMemory<std::int64_t>> bytes_at_shared_memories(const TimedKernel& kernel,
                                                                 const LaunchGeometry& shape) {
    const auto& instructions = kernel.function->instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (kernel.used[i] && has_unknown_traffic(instructions[i]))
            return refuse_at(*kernel.function, i,
                             assembly::accesses_texture(instructions[i])
                                 ? "the traffic of a texture access is not bounded"
                                 : "the traffic of a cache operation is not bounded");
    const models::Architecture& machine = *kernel.architecture;
    const models::ValueGroup* const l2 = machine.memory("l2");
    const auto line =
        models::require(machine, l2 == nullptr ? models::ValueGroup{} : *l2, "memories/l2", "line");
    if (!line) return line.as_failure();
    std::int64_t bytes = std::max<std::int64_t>(1, line.value().hi);
    if (const auto* const l1 = machine.memory("l1")) // A longer line is several of the L2.
        if (const auto* const longer = l1->find("line"); longer != nullptr && longer->interval)
            bytes = std::max(bytes, longer->interval->hi);
    const auto further = lines_of_text_and_constants(kernel, shape, bytes);
    if (!further) return further.as_failure();
    const auto most = [&](auto cost) {
        const auto of_warp = most_on_a_path(
            kernel, per_instruction(kernel, [&](std::size_t i, const Timing& timing) {
                return cost(instructions[i], timing);
            }));
        return models::plus(times(of_warp, shape.warps()), further.value());
    };
    // Each line that an access touches may be filled, and may evict a line that is written back.
    const std::int64_t transfers = times(most(touched_lines), 2);
    const std::int64_t accesses = most([](const auto& instruction, const Timing& timing) {
        return times(touched_lines(instruction, timing), accesses_of_line(instruction));
    });
    return models::PerMemory<std::int64_t>{times(models::plus(accesses, transfers), bytes),
                                           times(transfers, bytes)};
}

} // namespace warpbound::analyzer
