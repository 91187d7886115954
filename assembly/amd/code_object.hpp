#pragma once
/// \file
/// Kernels of an AMD code object (ELF), from its descriptors and its metadata.

#include "assembly/binary/cubin.hpp"
#include "assembly/isa/entry_state.hpp"
#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly::amd {

/// What a work-group of a kernel takes. Registers are of a lane or, SGPRs, of a wavefront.
struct CodeObjectKernel {
    std::string name;
    std::int64_t address = 0;              ///< Of the first instruction.
    std::string_view code;                 ///< Into the file.
    int lanes = 64;                        ///< Of a wavefront.
    std::int64_t lds_bytes = 0;            ///< Static, of a work-group.
    std::int64_t scratch_bytes = 0;        ///< Of a lane.
    std::optional<std::int64_t> vgprs;     ///< As the metadata count them, AGPRs apart.
    std::optional<std::int64_t> agprs;     ///< None: the processor has none, or nobody says.
    std::optional<std::int64_t> sgprs;     ///< As the metadata count them.
    std::int64_t allocated_vgprs = 0;      ///< As the descriptor encodes them, AGPRs included.
    std::optional<std::int64_t> max_lanes; ///< Largest work-group that it is compiled for.
    /// In the kernel's argument segment; nothing where the metadata do not list them.
    std::optional<std::vector<KernelParameterLayout>> parameters;
    EntryState entry;
};

struct CodeObject {
    Target target;
    std::string features; ///< ":sramecc+:xnack-" of the metadata's target; empty: none named.
    std::vector<CodeObjectKernel> kernels; ///< In the order of their addresses.
};

/// Whether the bytes are an ELF file of AMD's machine type.
bool is_code_object(std::string_view bytes);

/// Reads kernels by their descriptors (`NAME.kd`) and the metadata note. Refuses what is no whole
/// code object, another ABI than HSA, processors that are not read (by name where it is known), a
/// kernel whose code or descriptor reaches past its section, and damaged metadata.
/// Source: LLVM, AMDGPUUsage, "Kernel Descriptor" and "Code Object V4/V5 Metadata".
Result<CodeObject> read_code_object(std::string_view bytes);

/// Refuses wavefronts with more SGPRs than leave the number of resident wavefronts to other limits,
/// which is all that residency (C30 of the timing contract) counts, and a work-group of more
/// work-items than the kernel is compiled for.
Result<void> check_launch(std::string_view bytes, std::string_view kernel, std::int64_t threads);

/// The first of the two alone. `sgprs`: of a wavefront; none: nobody says.
Result<void> check_scalar_registers(std::string_view kernel, std::optional<std::int64_t> sgprs);

} // namespace warpbound::assembly::amd
