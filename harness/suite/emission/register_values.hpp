#pragma once
/// \file
/// What the registers of generated operations hold before the region, and who writes them in it.

#include "assembly/support/result.hpp"
#include "harness/ptx_kernel.hpp"
#include "harness/suite/emission/emission.hpp"
#include "harness/suite/emission/ptx_statement.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace warpbound::harness {

/// Prefixes of registers that hold addresses, see `emit_ptx`.
inline constexpr std::string_view shared_prefix = "shared_by_";
inline constexpr std::string_view global_prefix = "global_by_";
inline constexpr std::string_view walk_prefix = "walk_by_";

/// A step of one of a register with an address in shared memory. `Unit:` bytes.
inline constexpr std::int64_t shared_word = 4;

/// Whether it holds an address in shared memory, or in global memory beside those of a walk.
bool is_address(const PtxRegister& reg);
/// Makes room in the kernel's memory for accesses through such a register, by a warp of so many
/// lanes whose addresses lie the register's number of steps apart. `largest_offset`: bytes.
void reserve_memory(const PtxRegister& reg, std::int64_t lanes, std::int64_t largest_offset,
                    PtxKernel& kernel);

/// Of a register of numbers: normal ones, different for each register: no infinity, no denormal
/// number.
std::uint64_t start_value(const PtxRegister& reg);

/// Which operation of the region produced a register last, by its index.
using Producers = std::map<PtxRegister, std::size_t>;
/// Appends a timed operation to the region, with those that produced what it reads.
void append_to_region(const Operation& operation, const PtxEffects& effects, Producers& producers,
                      PtxKernel& kernel);
/// An access without a stated level starts with empty caches, as on simulated devices.
void note_level(const Operation& operation, PtxKernel& kernel);

/// Sets the walk of the kernel where the operation is a step of a pointer chase; the fact of its
/// load gives the footprint.
Result<void> take_walk(const Operation& operation, const PtxEffects& effects, PtxKernel& kernel);

} // namespace warpbound::harness
