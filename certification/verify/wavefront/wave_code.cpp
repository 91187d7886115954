#include "certification/verify/wavefront/wave_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

[[noreturn]] void not_covered(const TimedCode& code, const Instruction& instruction) {
    refuted(fmt::format("{}: 0x{:04x}: {} counts or waits by no rule that this check covers",
                        code.kernel.id, instruction.address, instruction.mnemonic));
}

/// C99. What is not named here counts nowhere.
void set_counter(const TimedCode& code, const Instruction& instruction, WaveInstruction& wave) {
    const std::string_view name = instruction.mnemonic;
    if (begins_with_one_of(name, {"flat_", "exp", "image_", "s_sendmsg", "s_sleep"}))
        not_covered(code, instruction);
    if (begins_with_one_of(name, {"global_", "buffer_", "tbuffer_", "scratch_"})) {
        wave.counter = vector_counter;
        wave.returns_in_order = true;
    } else if (name.starts_with("ds_") && name != "ds_nop") {
        wave.counter = mixed_counter;
        wave.returns_in_order = true;
    } else if (begins_with_one_of(name, {"s_load_", "s_store_", "s_buffer_load_", "s_buffer_store_",
                                         "s_scratch_", "s_atomic_", "s_buffer_atomic_", "s_memtime",
                                         "s_memrealtime", "s_dcache_"})) {
        wave.counter = mixed_counter;
    }
}

/// The immediate of S_WAITCNT of gfx9: vmcnt in bits 15:14 and 3:0, lgkmcnt in bits 11:8. Nothing
/// counts in expcnt here. The largest count of a field waits for nothing.
void set_waits(const TimedCode& code, const Instruction& instruction, WaveInstruction& wave) {
    const std::string_view name = instruction.mnemonic;
    if (!name.starts_with("s_waitcnt")) return;
    if (name != "s_waitcnt" || !instruction.encoding) not_covered(code, instruction);
    const std::uint64_t word = instruction.encoding->low;
    const std::uint64_t of_vector = (word >> 10U & 0x30U) | (word & 0xfU);
    const std::uint64_t of_mixed = word >> 8U & 0xfU;
    if (of_vector != 0x3f) wave.waits[vector_counter] = static_cast<std::size_t>(of_vector);
    if (of_mixed != 0xf) wave.waits[mixed_counter] = static_cast<std::size_t>(of_mixed);
}

/// Which instructions read or write a register.
using Uses = std::set<std::pair<std::size_t, bool>>;

void set_registers(const TimedCode& code, WaveCode& waves) {
    const auto& listed = code.kernel.function->instructions;
    std::map<assembly::Register, Uses> uses;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        if (!code.reachable[i] || !code.timings[i].value().waits_for_registers) continue;
        for (const auto& reg : listed[i].effects.reads)
            uses[reg].emplace(i, false);
        for (const auto& reg : listed[i].effects.writes)
            uses[reg].emplace(i, true);
    }
    std::set<Uses> classes;
    for (const auto& [reg, used] : uses)
        classes.insert(used);
    for (const Uses& used : classes) {
        for (const auto& [instruction, is_written] : used) {
            WaveInstruction& wave = waves.instructions[instruction];
            if (wave.touches.empty() || wave.touches.back() != waves.register_classes)
                wave.touches.push_back(waves.register_classes);
            if (is_written) wave.writes.push_back(waves.register_classes);
        }
        ++waves.register_classes;
    }
}

} // namespace

WaveCode wave_code_of(const TimedCode& code) {
    const auto& listed = code.kernel.function->instructions;
    WaveCode waves;
    waves.instructions.resize(listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
        if (!code.reachable[i]) continue;
        WaveInstruction& wave = waves.instructions[i];
        set_counter(code, listed[i], wave);
        set_waits(code, listed[i], wave);
        for (const auto& most : wave.waits)
            if (most) waves.most_waited_for = std::max(waves.most_waited_for, *most);
        wave.may_be_off = listed[i].guard && listed[i].control_flow == assembly::ControlFlow::None;
    }
    const auto any = [&](const auto& holds) {
        return std::any_of(waves.instructions.begin(), waves.instructions.end(), holds);
    };
    waves.waits_in_open_order =
        any([](const WaveInstruction& wave) {
            return wave.waits[mixed_counter].value_or(0) > 0;
        }) &&
        any([](const WaveInstruction& wave) { return wave.counter && !wave.returns_in_order; });
    set_registers(code, waves);
    return waves;
}

} // namespace warpbound::certification::verify
