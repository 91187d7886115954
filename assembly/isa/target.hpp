#pragma once
/// \file
/// Instruction set of a program.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::assembly {

/// NVIDIA generations that differ in encoding and control information.
enum class Generation {
    Fermi,
    Kepler,
    Maxwell,
    Pascal,
    Volta,
    Turing,
    Ampere,
    Ada,
    Hopper,
    Blackwell
};

/// A GPU target: of NVIDIA by its SM number (20 for sm_20, 90 for sm_90), of AMD by its processor
/// (0x90a for gfx90a).
struct Target {
    int sm = 0;  ///< 0: a target of AMD.
    int gfx = 0; ///< 0: a target of NVIDIA.

    friend bool operator==(const Target&, const Target&) = default;
};

/// `sm_90`, `gfx90a`.
std::string to_string(Target target);
/// Reads `sm_90`, `sm_90a` or `compute_90`; nothing for anything else or an SM that no generation
/// covers.
std::optional<Target> parse_target(std::string_view text);
/// Whether it is one of AMD's; amd/processor.hpp knows which there are.
bool is_amd(Target target);
/// Requires: a target that `parse_target` gives.
Generation generation_of(Target target);

/// Bytes of a kernel's shared memory section that are the system's own: 1024 from sm_90 on. Source:
/// sections and `ptxas -v` of kernels with known arrays, CUDA 13.0, sm_89 to sm_121.
std::int64_t reserved_shared_memory(Target target);

/// Why code of one target does not run on a machine of another; empty: it runs. Binary
/// compatibility: code runs on machines of its major revision with at least its minor revision,
/// and between Tegra and other machines only where the target is the same.
/// Source: NVIDIA, CUDA C++ Programming Guide, "Binary Compatibility".
std::string objection_to_running(Target code, Target machine);

} // namespace warpbound::assembly
