#include "certification/verify/memory/shared_bytes.hpp"

#include "assembly/isa/texture_registers.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/interference/demand.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/operand_misses.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using assembly::OpcodeClass;
using models::plus;
using models::times;

/// Lines that an execution reads or writes beyond the SM: one for each pass. Of local memory each
/// pass has a word of every lane.
std::int64_t lines_beyond_sm(const assembly::Instruction& instruction,
                             const models::InstructionTiming& timing) {
    const OpcodeClass what = instruction.opcode_class;
    if (what == OpcodeClass::LoadLocal || what == OpcodeClass::StoreLocal) {
        const int bytes =
            instruction.effects.memory ? instruction.effects.memory->bytes_per_lane : 4;
        return times(timing.passes.hi, std::max(1, bytes / 4));
    }
    const bool leaves_sm = what == OpcodeClass::LoadGlobal || what == OpcodeClass::StoreGlobal ||
                           what == OpcodeClass::AtomicGlobal || what == OpcodeClass::LoadConstant;
    const bool fetches_two = what == OpcodeClass::LoadGlobal && instruction.has_modifier("LTC256B");
    return leaves_sm ? times(timing.passes.hi, fetches_two ? 2 : 1) : 0;
}

/// The longest line of L1 and L2.
std::int64_t bytes_of_line(const KernelCase& kernel) {
    const auto* const l2 = kernel.architecture.memory("l2");
    if (l2 == nullptr) incomplete(kernel.id + ": the description has no memories/l2");
    const std::int64_t bytes = exact_number(kernel, *l2, "memories/l2", "line");
    const auto* const l1 = kernel.architecture.memory("l1");
    if (l1 == nullptr || l1->find("line") == nullptr) return bytes;
    return std::max(bytes, exact_number(kernel, *l1, "memories/l1", "line"));
}

/// S65 is about accesses by addresses of lanes, and caches that are told to forget everything.
void refuse_other_traffic(const TimedCode& code) {
    const auto& text = code.kernel.function->instructions;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!code.reachable[i]) continue;
        const bool orders_cache = text[i].mnemonic.compare(0, 4, "CCTL") == 0;
        if (assembly::accesses_texture(text[i]) || (orders_cache && !text[i].has_modifier("IVALL")))
            refuted(code.kernel.id + ": S65 claims nothing of " + text[i].mnemonic);
    }
}

} // namespace

models::PerMemory<std::int64_t> most_shared_bytes(const KernelCase& kernel) {
    const SideFlows flows = check_flows(kernel);
    const TimedCode code = timed_code(kernel, flows, read_launch_geometry(kernel));
    refuse_other_traffic(code);
    const auto& text = kernel.function->instructions;
    const auto of_launch = [&](bool atomics_twice) {
        const std::int64_t of_warp = largest_path_demand(
            code, [&](const models::InstructionTiming& timing, std::size_t i) -> std::int64_t {
                const bool twice =
                    atomics_twice && text[i].opcode_class == OpcodeClass::AtomicGlobal;
                return times(lines_beyond_sm(text[i], timing), twice ? 2 : 1);
            });
        return times(of_warp, code.geometry.warps);
    };
    const std::int64_t bytes = bytes_of_line(kernel);
    // First uses, by every scheduler.
    const std::int64_t schedulers = times(code.geometry.schedulers, code.geometry.multiprocessors);
    const std::int64_t first_uses =
        times(plus(lines_requested_of_text(code, bytes), lines_of_operands(code)), schedulers);
    const std::int64_t lines = plus(of_launch(false), first_uses);
    const std::int64_t accesses = plus(of_launch(true), first_uses);
    // Each line is filled and evicts another one, at most.
    const std::int64_t moved = times(times(lines, 2), bytes);
    return {plus(times(accesses, bytes), moved), moved};
}

} // namespace warpbound::certification::verify
