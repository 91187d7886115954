#pragma once
/// \file
/// What the registers of generated operations hold before the region.

#include "assembly/support/result.hpp"
#include "harness/ptx_kernel.hpp"
#include "harness/suite/emission.hpp"
#include "harness/suite/ptx_statement.hpp"

#include <cstdint>
#include <string_view>

namespace warpbound::harness {

/// Prefixes of registers that hold addresses, see `emit_ptx`.
inline constexpr std::string_view shared_prefix = "shared_by_";
inline constexpr std::string_view global_prefix = "global_by_";
inline constexpr std::string_view walk_prefix = "walk_by_";

/// Of a register of numbers: normal ones, different for each register: no infinity, no denormal
/// number.
std::uint64_t start_value(const PtxRegister& reg);

/// Sets the walk of the kernel where the operation is a step of a pointer chase; the fact of its
/// load gives the footprint.
Result<void> take_walk(const Operation& operation, const PtxEffects& effects, PtxKernel& kernel);

} // namespace warpbound::harness
