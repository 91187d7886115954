#pragma once
/// \file
/// Timing-independent properties of AMD's instructions by their names.

#include "assembly/isa/opcode.hpp"

#include <string_view>

namespace warpbound::assembly::amd {

struct OpcodeProperties {
    OpcodeClass opcode_class = OpcodeClass::Unknown;
    StateSpace space = StateSpace::None; ///< Of a memory access.
    int bytes_per_lane = 0;              ///< Of a memory access; 0: the name does not say.
};

/// `mnemonic` as the disassembler prints it, with the suffix of its encoding ("v_add_u32_e32").
/// Classes are those of all vendors:
///
/// | names | class |
/// |---|---|
/// | `v_..` | by type and operation, as on NVIDIA; `v_mfma`, `v_wmma`, `v_dot` are tensor |
/// | `s_..` on registers | uniform |
/// | `s_load`, `s_buffer_load` | load-constant: through the scalar cache |
/// | `s_memtime`, `s_memrealtime` | clock-read |
/// | `ds_..` | shared memory (LDS); permutations and swizzles are shuffles |
/// | `global_`, `flat_`, `buffer_`, `tbuffer_` | global memory; `flat_` is generic |
/// | `scratch_` | local memory |
/// | `image_` | texture |
/// | `s_waitcnt..` | dependence-barrier |
///
/// Unknown: a name of none of these forms.
OpcodeProperties properties_of(std::string_view mnemonic);

} // namespace warpbound::assembly::amd
