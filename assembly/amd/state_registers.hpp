#pragma once
/// \file
/// Scalar registers of AMD that are neither VGPRs, SGPRs nor AGPRs: the execution mask, the
/// condition codes and what the hardware keeps for a wavefront.

#include <optional>
#include <string_view>

namespace warpbound::assembly::amd {

/// Indices in `RegisterFile::State`. 64-bit ones have a low and a high half.
enum class StateRegister {
    ExecLo,
    ExecHi,
    VccLo,
    VccHi,
    Scc,
    M0,
    Mode,
    FlatScratchLo,
    FlatScratchHi,
    XnackMaskLo,
    XnackMaskHi,
    TrapBaseLo,
    TrapBaseHi,
    TrapMemoryLo,
    TrapMemoryHi,
    LdsDirect,
    SharedBaseLo, ///< The four apertures are read only.
    SharedBaseHi,
    SharedLimitLo,
    SharedLimitHi,
    PrivateBaseLo,
    PrivateBaseHi,
    PrivateLimitLo,
    PrivateLimitHi,
    PopsExitingWaveId,
    Trap0, ///< ttmp0; ttmp1 .. ttmp15 follow it.
};

/// "exec_lo", "scc", "ttmp4".
std::string_view state_register_name(int index);
/// By the name that LLVM's tables have, without the suffix of a generation: "EXEC_LO", "TTMP4".
/// VCCZ, EXECZ and SCC as an operand are their registers' values, so those registers.
std::optional<int> find_state_register(std::string_view llvm_name);

} // namespace warpbound::assembly::amd
