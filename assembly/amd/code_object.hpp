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
    std::int64_t address = 0; ///< Of the first instruction.
    std::string_view code;    ///< Into the file.
    int lanes = 64;           ///< Of a wavefront.
    /// From gfx10 on: a work-group stays on one of the two compute units of a processor.
    bool in_compute_unit_mode = false;
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

/// For whom a kernel is compiled, and what a machine is described for.
struct WavefrontMode {
    int lanes = 64;                    ///< Of a wavefront.
    bool in_compute_unit_mode = false; ///< As of `CodeObjectKernel`.
};

/// Refuses code whose wavefronts have other lanes than those that are described, and code for the
/// mode of compute units: work-group processors are described (C105). `machine`: its name.
Result<void> check_mode(std::string_view kernel, WavefrontMode mode, std::int64_t described_lanes,
                        std::string_view machine);

/// Refuses wavefronts with more SGPRs than leave the number of resident wavefronts to other limits,
/// which is all that residency (C30 of the timing contract) counts, and a work-group of more
/// work-items than the kernel is compiled for; and what `check_mode` refuses.
Result<void> check_launch(std::string_view bytes, std::string_view kernel, std::int64_t threads,
                          std::int64_t described_lanes, std::string_view machine);

/// The first of the two alone. `sgprs`: of a wavefront; none: nobody says.
/// Source: LLVM AMDGPUBaseInfo.cpp: 80 SGPRs leave 10 wavefronts, 100 leave 8; none from gfx10 on.
Result<void> check_scalar_registers(std::string_view kernel, Target target,
                                    std::optional<std::int64_t> sgprs);

} // namespace warpbound::assembly::amd
