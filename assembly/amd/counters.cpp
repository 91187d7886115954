#include "assembly/amd/counters.hpp"

#include "assembly/amd/outstanding.hpp"
#include "assembly/amd/processor.hpp"
#include "assembly/amd/wait_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::assembly::amd {

namespace {

bool counts_twice(const Instruction& instruction) {
    return instruction.effects.memory && instruction.effects.memory->space == StateSpace::Generic;
}

/// Permutations of lanes count, too.
bool counts_in_lds(const Instruction& instruction) {
    return instruction.mnemonic.starts_with("ds_") && instruction.opcode_class != OpcodeClass::Nop;
}

/// MSG_DEALLOC_VGPRS of gfx11, before the end: the wavefront has no other use of registers (C105).
bool is_release_of_registers(const Instruction& instruction, Target target) {
    constexpr std::uint64_t message = 3;
    return instruction.mnemonic == "s_sendmsg" && target.gfx >= 0x1100 && instruction.encoding &&
           (instruction.encoding->low & 0xffffU) == message;
}

/// What counts or waits by rules of its own.
bool has_other_rules(const Instruction& instruction) {
    const std::string_view name = instruction.mnemonic;
    for (const std::string_view other :
         {"s_sendmsg", "s_sethalt", "s_setvskip", "image_", "exp", "s_wakeup"})
        if (name.starts_with(other)) return true;
    if (name.starts_with("s_sleep") && !units_of_sleep(instruction)) return true;
    return counts_twice(instruction);
}

struct Waits {
    std::uint8_t mask = 0;            ///< Scoreboards that are waited for until they are clear.
    std::vector<CountedWait> counted; ///< The others.
};

Waits waits_of(const WaitCounts& counts) {
    Waits waits;
    for (const auto& [scoreboard, most] : {std::pair{vector_scoreboard, counts.vector},
                                           std::pair{scalar_scoreboard, counts.scalar_and_lds},
                                           std::pair{export_scoreboard, counts.export_},
                                           std::pair{store_scoreboard, counts.store}}) {
        if (most && *most > 0) waits.counted.push_back({scoreboard, *most});
        if (most && *most == 0)
            waits.mask =
                static_cast<std::uint8_t>(waits.mask | 1U << static_cast<unsigned>(scoreboard));
    }
    return waits;
}

/// S_WAITCNT_DEPCTR: a field below its largest value names a part of the pipeline (C107). Bit 7,
/// HOLD_CNT, may not be 0: what it waits for is not documented. Bits 5 and 6 are unused.
std::optional<std::uint8_t> parts_waited_for(const Instruction& instruction) {
    constexpr std::uint64_t sources = 0x1c;      // VM_VSRC
    constexpr std::uint64_t arithmetic = 0xff03; // VA_*, SA_SDST
    if (!instruction.encoding) return std::nullopt;
    const std::uint64_t waits = ~instruction.encoding->low & 0xffffU;
    if ((waits & 0x80U) != 0) return std::nullopt;
    return static_cast<std::uint8_t>(
        ((waits & sources) != 0 ? 1U << static_cast<unsigned>(sources_scoreboard) : 0U) |
        ((waits & arithmetic) != 0 ? 1U << static_cast<unsigned>(arithmetic_scoreboard) : 0U));
}

bool waits_for_pipeline(const Instruction& instruction) {
    return instruction.mnemonic == "s_waitcnt_depctr";
}

/// Where an instruction is until it has read its sources or written its registers.
std::optional<int> part_of_pipeline(const Instruction& instruction) {
    const bool is_scalar = instruction.mnemonic.starts_with("s_");
    if (counts_in_lds(instruction) || (instruction.effects.memory && !is_scalar))
        return sources_scoreboard;
    const bool is_counted = instruction.control && instruction.control->write_barrier;
    if (is_counted || instruction.effects.writes.empty()) return std::nullopt;
    return arithmetic_scoreboard;
}

std::optional<Control> control_of_wait(const Instruction& instruction, Target target) {
    if (waits_for_pipeline(instruction)) {
        const auto parts = parts_waited_for(instruction);
        if (!parts) return std::nullopt;
        Control control;
        control.wait_mask = *parts;
        return control;
    }
    const auto counts = wait_of(instruction, target);
    if (!counts) return std::nullopt;
    Control control;
    control.wait_mask = waits_of(*counts).mask;
    return control;
}

std::optional<Control> control_of(const Instruction& instruction, const Processor& processor) {
    if (instruction.opcode_class == OpcodeClass::DependenceBarrier)
        return control_of_wait(instruction, processor.target());
    Control control;
    if (is_release_of_registers(instruction, processor.target())) return control;
    if (has_other_rules(instruction)) return std::nullopt;
    const std::string_view name = instruction.mnemonic;
    if (name == "s_nop" && instruction.encoding)
        control.stall = static_cast<int>(instruction.encoding->low & 0xfU) + 1;
    const bool is_scalar = name.starts_with("s_");
    if (instruction.opcode_class == OpcodeClass::ClockRead ||
        (is_scalar && instruction.effects.memory) || counts_in_lds(instruction)) {
        control.write_barrier = scalar_scoreboard;
    } else if (instruction.effects.memory) {
        const bool is_store = processor.has_store_counter && !returns_data(instruction);
        control.write_barrier = is_store ? store_scoreboard : vector_scoreboard;
    } else if (instruction.opcode_class == OpcodeClass::MemoryFence) {
        control.write_barrier = is_scalar ? scalar_scoreboard : vector_scoreboard;
    }
    return control;
}

} // namespace

void add_counters(Function& function) {
    const auto* const processor = find_processor(function.target);
    if (processor == nullptr) return;
    const bool waits = std::ranges::any_of(function.instructions, waits_for_pipeline);
    for (Instruction& instruction : function.instructions) {
        instruction.control = control_of(instruction, *processor);
        if (waits && instruction.control)
            instruction.control->read_barrier = part_of_pipeline(instruction);
    }
}

std::vector<CountedWait> counted_waits(const Instruction& instruction, Target target) {
    const auto counts = wait_of(instruction, target);
    return counts ? waits_of(*counts).counted : std::vector<CountedWait>{};
}

std::optional<std::int64_t> units_of_sleep(const Instruction& instruction) {
    constexpr std::uint64_t longest = 0x7f;
    if (instruction.mnemonic != "s_sleep" || !instruction.encoding) return std::nullopt;
    const std::uint64_t units = instruction.encoding->low & 0xffffU;
    if (units > longest) return std::nullopt;
    return static_cast<std::int64_t>(units);
}

bool releases_in_order(const Instruction& instruction) {
    const bool is_scalar = instruction.mnemonic.starts_with("s_");
    return counts_in_lds(instruction) ||
           (instruction.opcode_class == OpcodeClass::MemoryFence && !is_scalar) ||
           (instruction.effects.memory && !is_scalar);
}

std::string objection_to_counters(const Instruction& instruction) {
    if (instruction.opcode_class == OpcodeClass::DependenceBarrier)
        return "it waits for something other than counters and the parts of the pipeline that the "
               "timing contract (C99, C107) covers; expected fields va_vdst, va_sdst, va_ssrc, "
               "va_vcc, vm_vsrc, sa_sdst";
    if (counts_twice(instruction))
        return "an access that may go to LDS or to memory counts in two counters, which the timing "
               "contract (C99) does not cover; expected global_ or ds_ instructions";
    return "how long it holds its wavefront, or what it counts, is not described";
}

} // namespace warpbound::assembly::amd
