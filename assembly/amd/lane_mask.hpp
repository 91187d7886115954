#pragma once
/// \file
/// Masks of the lanes of a wavefront as operands of scalar instructions: two registers of 64 lanes,
/// one of 32.

#include "assembly/isa/program.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::assembly::amd {

/// What a scalar instruction on masks does, by the names of gfx9: "andn2" of s_and_not1_b32 where
/// wavefronts have 32 lanes. Nothing for instructions on other widths.
std::optional<std::string> mask_operation(std::string_view mnemonic, int lanes);

/// The first register of a mask: "s[4:5]", "vcc" and "exec" of 64 lanes, "s4", "vcc_lo" and
/// "exec_lo" of 32.
std::optional<Register> mask_register(std::string_view text, int lanes);

} // namespace warpbound::assembly::amd
