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

bool has_store_counter(const TimedCode& code) {
    return code.kernel.function->target.gfx >= 0x1000;
}

/// C99. What is not named here counts nowhere.
void set_counter(const TimedCode& code, const Instruction& instruction, WaveInstruction& wave) {
    const std::string_view name = instruction.mnemonic;
    // The release of registers at the end counts for nothing that waits (C105).
    const bool releases_registers = name == "s_sendmsg" && instruction.encoding &&
                                    code.kernel.function->target.gfx >= 0x1100 &&
                                    (instruction.encoding->low & 0xffffU) == 3;
    if (releases_registers) return;
    if (begins_with_one_of(name, {"flat_", "exp", "image_", "s_sendmsg", "s_wakeup"}))
        not_covered(code, instruction);
    // C106: the gap of S_SLEEP n is that of `timings`. A larger n may be without end.
    const bool sleeps = name.starts_with("s_sleep");
    if (sleeps && (name != "s_sleep" || !instruction.encoding ||
                   (instruction.encoding->low & 0xffffU) > 0x7fU))
        not_covered(code, instruction);
    if (begins_with_one_of(name, {"global_", "buffer_", "tbuffer_", "scratch_"})) {
        // What returns no data counts among the stores, where these have a counter.
        const bool is_store =
            name.find("_store") != std::string_view::npos ||
            (name.find("_atomic") != std::string_view::npos && instruction.effects.writes.empty());
        wave.counter = is_store && has_store_counter(code) ? store_counter : vector_counter;
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

/// A field of the immediate of a wait. Its largest count waits for nothing.
std::optional<std::size_t> count_of(std::uint64_t field, std::uint64_t largest) {
    if ((field & largest) == largest) return std::nullopt;
    return static_cast<std::size_t>(field & largest);
}

/// S_WAITCNT of one counter, from gfx10 on: its whole immediate, and no scalar register.
bool set_single_wait(std::string_view name, std::uint64_t word, WaveInstruction& wave) {
    constexpr std::uint64_t null_of_gfx10 = 0x7d;
    constexpr std::uint64_t null_of_gfx11 = 0x7c;
    const std::uint64_t source = word >> 16U & 0x7fU;
    if (source != null_of_gfx10 && source != null_of_gfx11) return false;
    const auto most = static_cast<std::size_t>(word & 0xffffU);
    if (name == "s_waitcnt_vscnt") wave.waits[store_counter] = most;
    if (name == "s_waitcnt_vmcnt") wave.waits[vector_counter] = most;
    if (name == "s_waitcnt_lgkmcnt") wave.waits[mixed_counter] = most;
    return name == "s_waitcnt_expcnt" ||
           std::any_of(wave.waits.begin(), wave.waits.end(),
                       [](const auto& wait) { return wait.has_value(); });
}

/// S_WAITCNT_DEPCTR (C107): VM_VSRC in bits 4:2; VA_VDST in bits 15:12, VA_SDST in 11:9, VA_SSRC in
/// 8, VA_VCC in 1, SA_SDST in 0. A field of ones waits for nothing. HOLD_CNT, bit 7, is one.
bool set_waits_for_parts(std::uint64_t word, WaveInstruction& wave) {
    constexpr std::uint64_t of_sources = 0x001c;
    constexpr std::uint64_t of_arithmetic = 0xff03;
    wave.waits_for_part[sources_part] = (word & of_sources) != of_sources;
    wave.waits_for_part[arithmetic_part] = (word & of_arithmetic) != of_arithmetic;
    return (word & 0x80U) != 0;
}

/// C107. Scalar loads, clocks and what only writes caches back is in neither part.
void set_part(const Instruction& instruction, WaveInstruction& wave) {
    const bool accesses = instruction.effects.memory || instruction.mnemonic.starts_with("ds_");
    if (wave.counter) {
        if (wave.returns_in_order && accesses) wave.part = sources_part;
    } else if (!instruction.effects.writes.empty()) {
        wave.part = arithmetic_part;
    }
}

/// S_WAITCNT: of gfx9 vmcnt in bits 15:14 and 3:0, lgkmcnt in bits 11:8; of gfx10 lgkmcnt in bits
/// 13:8; of gfx11 vmcnt in bits 15:10, lgkmcnt in bits 9:4. Nothing counts in expcnt here.
void set_waits(const TimedCode& code, const Instruction& instruction, WaveInstruction& wave) {
    const std::string_view name = instruction.mnemonic;
    if (!name.starts_with("s_waitcnt")) return;
    if (!instruction.encoding) not_covered(code, instruction);
    const std::uint64_t word = instruction.encoding->low;
    if (name == "s_waitcnt_depctr") {
        if (!set_waits_for_parts(word, wave)) not_covered(code, instruction);
        return;
    }
    if (name != "s_waitcnt") {
        if (!set_single_wait(name, word, wave)) not_covered(code, instruction);
        return;
    }
    const int gfx = code.kernel.function->target.gfx;
    const bool is_gfx11 = gfx >= 0x1100;
    wave.waits[vector_counter] =
        count_of(is_gfx11 ? word >> 10U : (word >> 10U & 0x30U) | (word & 0xfU), 0x3f);
    wave.waits[mixed_counter] =
        is_gfx11 ? count_of(word >> 4U, 0x3f) : count_of(word >> 8U, gfx >= 0x1000 ? 0x3f : 0xf);
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
        set_part(listed[i], wave);
        set_waits(code, listed[i], wave);
        for (const bool waits : wave.waits_for_part)
            waves.waits_for_parts = waves.waits_for_parts || waits;
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
