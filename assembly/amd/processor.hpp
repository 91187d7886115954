#pragma once
/// \file
/// Processors of AMD whose code is read, and what of their instruction sets differs.

#include "assembly/isa/target.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly::amd {

/// Layout of the counters in S_WAITCNT.
enum class WaitLayout {
    Gfx9,  ///< vmcnt [15:14] and [3:0], expcnt [6:4], lgkmcnt [11:8].
    Gfx10, ///< vmcnt and expcnt as of gfx9, lgkmcnt [13:8].
    Gfx11, ///< expcnt [2:0], lgkmcnt [9:4], vmcnt [15:10].
};

/// Source: LLVM, BinaryFormat/ELF.h (EF_AMDGPU_MACH) and AMDGPUUsage, "Processors".
struct Processor {
    int gfx = 0;                ///< 0x90a of gfx90a.
    std::uint32_t elf_mach = 0; ///< Low byte of `e_flags`.
    WaitLayout waits = WaitLayout::Gfx9;
    bool has_wave32 = false;         ///< Else all its wavefronts have 64 lanes.
    bool has_store_counter = false;  ///< Stores count in vscnt, not in vmcnt.
    bool has_unified_vgprs = false;  ///< VGPRs and AGPRs share one file.
    int encoded_vgprs_of_wave64 = 4; ///< Registers that one step of the descriptor's field stands
                                     ///< for; of a wavefront of 32 lanes twice as many.
    bool packs_work_items = false;   ///< v0 has all indices of a work-item, 10 bits each.

    [[nodiscard]] Target target() const { return {0, gfx}; }
};

/// The processor of a target; nothing for one that is not read.
const Processor* find_processor(Target target);
const Processor* find_processor_of_elf(std::uint32_t elf_mach);
/// Reads `gfx90a`, also with features behind it: `gfx90a:sramecc+:xnack-`; nothing for a processor
/// that is not in the table. Names are compared here: LLVM takes any name with a warning.
std::optional<Target> parse_processor(std::string_view text);
/// The targets of all processors that are read.
std::vector<Target> processor_targets();
/// "gfx906, gfx90a, ..": what is read, for messages.
std::string list_of_processors();

/// Chips of the VLIW generations (TeraScale), which only descriptions name: `rv670`, `rv770` and
/// `rv870`, as targets with the number 0x770 for rv770. No code of theirs is read or generated.
std::optional<Target> parse_vliw_chip(std::string_view text);
bool is_vliw_chip(Target target);

} // namespace warpbound::assembly::amd
