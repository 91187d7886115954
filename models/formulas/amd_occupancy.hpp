#pragma once
/// \file
/// Occupancy of an AMD compute unit: resident waves and work-groups of a kernel. Registers are
/// counted per lane and SIMD, unlike in NVIDIA's rules.
///
/// Left out: gfx125x, of which only the unit of local memory is known, and TeraScale, whose rule is
/// `alu_fetch::wavefronts`.

#include "assembly/support/result.hpp"
#include "models/formulas/explanation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models::amd_occupancy {

enum class Family {
    Gcn1,       ///< gfx6
    Gcn2,       ///< gfx7
    Gcn3ToGcn5, ///< gfx8, gfx900, gfx906; CDNA1 gfx908
    Cdna2And3,  ///< gfx90a, gfx94x
    Cdna4,      ///< gfx950
    Rdna1,      ///< gfx101x
    Rdna2,      ///< gfx103x
    Rdna3Large  ///< gfx11 parts with one and a half times the vector registers
};

/// Rule for the number of waves that the scalar registers allow.
enum class ScalarRule { None, Gcn1And2, Gcn3AndLater };

/// One compute unit, or one work-group processor (two compute units) of RDNA.
struct Limits {
    std::string name;           ///< "RDNA2, wave64"
    std::int64_t wave_size = 0; ///< Lanes of a wave.
    std::int64_t simds = 0;
    std::int64_t waves_per_simd = 0;   ///< Most waves of a SIMD.
    std::int64_t vector_registers = 0; ///< Per lane, of a SIMD.
    std::int64_t vector_unit = 0;      ///< Vector registers are allocated in this unit.
    ScalarRule scalar_rule = ScalarRule::None;
    std::int64_t local_memory = 0; ///< `Unit:` bytes.
    std::int64_t local_unit = 0;   ///< `Unit:` bytes.
    std::int64_t barriers = 0;     ///< Work-groups of more than one wave need one each.
};

/// `wave_size` is 64, or 32 on RDNA. `work_group_processor` chooses between RDNA's two modes.
/// Refuses another wave size, and a work-group processor outside RDNA.
/// Source: LLVM AMDGPUBaseInfo.cpp and pull requests 167614, 220051, 224852; reference models 8.2.
Result<Limits> limits_of(Family family, std::int64_t wave_size, bool work_group_processor);

/// Resources that one work-group requires.
struct WorkGroup {
    std::int64_t threads = 0;
    std::int64_t vector_registers = 0; ///< Per lane; vector and accumulation registers together.
    std::int64_t scalar_registers = 0; ///< Per wave.
    std::int64_t local_memory = 0;     ///< `Unit:` bytes.
};

enum class Resource { WaveSlots, VectorRegisters, ScalarRegisters, LocalMemory, Barriers };
std::string_view to_string(Resource resource);

struct Occupancy {
    std::int64_t waves_per_simd = 0;  ///< Allowed by wave slots and registers.
    std::int64_t work_groups = 0;     ///< 0 when the work-group can never be launched.
    std::int64_t waves = 0;           ///< Resident waves of the compute unit.
    std::vector<Resource> limiting{}; ///< The resources that allow no more work-groups.
};

/// Resident waves and work-groups of one compute unit.
/// Unit: waves, work-groups. Side: upper; exact for the allocation rules, and what a run achieves
/// can only be lower. Source: as `limits_of`: min(most waves, max(1, floor(registers/allocated)))
/// waves per SIMD. That work-groups are the whole groups among the waves of all SIMDs is inferred.
/// Refuses a work-group without threads, negative amounts and more registers than a SIMD has.
Result<Occupancy> resident(const WorkGroup& group, const Limits& limits);

/// The symbols of `resident` with their values and sources.
std::vector<ExplainedSymbol> explain(const WorkGroup& group, const Limits& limits,
                                     const Occupancy& result);

} // namespace warpbound::models::amd_occupancy
