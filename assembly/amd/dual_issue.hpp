#pragma once
/// \file
/// Instructions of gfx11 that encode two vector operations (VOPD).

#include "assembly/isa/program.hpp"

#include <array>
#include <optional>

namespace warpbound::assembly::amd {

/// The two operations of "v_dual_mov_b32 v0, 0 :: v_dual_add_f32 v1, v2, v3" as the instructions
/// that do them alone: v_mov_b32 and v_add_f32, with their classes, operands and first registers
/// written. Both read before either writes; what they read is that of the whole. Nothing for other
/// instructions.
std::optional<std::array<Instruction, 2>> dual_components(const Instruction& instruction);

} // namespace warpbound::assembly::amd
