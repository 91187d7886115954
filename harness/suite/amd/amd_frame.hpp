#pragma once
/// \file
/// What is around the instructions of a kernel in AMD's assembly: descriptor, metadata, clocks.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// What of the instruction sets of AMD's processors matters to generated code.
struct AmdDialect {
    assembly::Target target;
    int lanes = 64;                ///< Of a wavefront of generated code.
    bool has_memtime = true;       ///< Else the clock is SHADER_CYCLES, of 20 bits.
    bool has_store_count = false;  ///< Stores count in vscnt.
    bool has_accumulators = false; ///< VGPRs and AGPRs share a file, so their border is stated.
    std::string_view returning;    ///< Marks atomics that return the former value.
    std::string_view device_scope; ///< Marks loads that see what other CUs have written.
    std::string_view carry;        ///< The register of carries.
    std::string_view place;        ///< Says on which CU or WGP a wavefront runs.
    std::string_view die;          ///< Says on which of several dies; empty: there is one.
    /// Between a special function and another instruction that reads its result; empty: nothing.
    std::string_view wait_for_special;
};

/// Of the processors in assembly/amd/processor.hpp; refuses others, naming those.
/// Source: LLVM, AMDGPUUsage and the syntax of each processor; GCNHazardRecognizer.
Result<AmdDialect> amd_dialect(assembly::Target target);

/// Bits of the clock that wraps where there is no S_MEMTIME.
inline constexpr int shader_cycles_bits = 20;

/// Reads the clock into a pair of SGPRs and waits until it is there. `first`: of the pair, even.
std::string amd_clock_read(const AmdDialect& dialect, int first);
/// Reads the timer of constant rate, likewise.
std::string amd_timer_read(const AmdDialect& dialect, int first);
/// Waits until all accesses to memory have ended.
std::string amd_wait_for_all(const AmdDialect& dialect);

/// SGPRs that generated kernels use alike, each the first of a pair but for the numbers. The lower
/// ones are given by the hardware (`amd_module`).
namespace amd_sgprs {
inline constexpr int work_group_size = 5; ///< Work-items, not rounded.
inline constexpr int warp_number = 6;     ///< Of the launch, counted by work-group.
inline constexpr int time_before = 8;
inline constexpr int first_clock = 10;
inline constexpr int last_clock = 12;
inline constexpr int time_after = 14;
inline constexpr int records_address = 16; ///< The first of four parameters.
inline constexpr int memory_address = 22;  ///< The last of them.
inline constexpr int warp_memory = 24;
inline constexpr int scratch = 26;
inline constexpr int trips_left = 28;
inline constexpr int place = 30;
} // namespace amd_sgprs

/// Loads the four addresses that are a kernel's first parameters and numbers the wavefront. v0 is
/// then the number of the work-item, v1 that of the lane.
std::string amd_begin(const AmdDialect& dialect);
/// A pair of SGPRs: base + warp number x bytes.
std::string amd_address_of_warp(int to, int base, std::int64_t bytes);
/// The last clock behind the first one, where the clock wraps.
std::string amd_unwrap(const AmdDialect& dialect);
/// The first lane of each wavefront stores its record (`WarpRecord`), and the program ends.
std::string amd_end(const AmdDialect& dialect);

/// Registers and parameters of a kernel.
struct AmdKernelFrame {
    std::string entry;
    std::vector<int> parameter_sizes; ///< `Unit:` bytes, 8 (addresses and numbers) or 4.
    std::int64_t vgprs = 1;           ///< Of a lane.
    std::int64_t sgprs = 32;          ///< Of a wavefront.
};

/// A module with one kernel. At its start s[0:1] hold the address of the dispatch packet, s[2:3]
/// that of the parameters, s4 the number of the work-group and v0 (lowest 10 bits) that of the
/// work-item. `body`: instructions, the last one ends the program.
std::string amd_module(const AmdDialect& dialect, const AmdKernelFrame& frame,
                       std::string_view body);

} // namespace warpbound::harness
