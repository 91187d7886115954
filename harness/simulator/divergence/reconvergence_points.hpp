#pragma once
/// \file
/// Where lanes of a warp may diverge and where they reconverge: rules C38 to C40, per block.

#include "harness/device.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// How the code names a reconvergence point.
enum class PointKind {
    Reconvergence, ///< SSY; SYNC, .S
    Break,         ///< PBK; BRK
    Continue,      ///< PCNT; CONT
    Barrier,       ///< Convergence barrier: BSSY; BSYNC, BREAK
    PostDominator  ///< The code names none: the immediate post-dominator.
};

/// The active lanes push a reconvergence point (or set a convergence barrier), or leave one.
struct PointUpdate {
    bool pushes = true;
    PointKind kind = PointKind::Reconvergence;
    int reg = 0; ///< ReconvergencePoints barrier register, for Barrier.
};

/// The effects of a block on the reconvergence stack and barriers of its active lanes.
struct BlockReconvergence {
    std::vector<PointUpdate> updates; ///< In the order of the code.
    bool may_diverge = false;         ///< Lanes may diverge at the end.
    /// The lanes that the end of the block transfers arrive at their innermost point of this kind.
    /// For Barrier all lanes arrive.
    std::optional<PointKind> arrives;
    int arrives_reg = 0;                  ///< For Barrier.
    std::vector<int> left_when_taken;     ///< Barriers left by lanes that the branch transfers.
    std::vector<int> left_when_not_taken; ///< Barriers left by lanes that it does not transfer.
    /// An instruction that requires all live lanes of the warp to be converged.
    std::optional<std::size_t> convergent_instruction;
    std::optional<std::size_t> post_dominator;
};

struct ReconvergencePoints {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    std::vector<BlockReconvergence> blocks;
    std::vector<bool> may_diverge; ///< Per instruction: its guard may differ between lanes.
};

/// Refuses divergence facts at instructions that decide nothing, and instructions that this version
/// does not simulate for diverging lanes. Function and graph must outlive the result.
Result<ReconvergencePoints> find_reconvergence_points(const Kernel& kernel,
                                                      const std::vector<bool>& visited);

} // namespace warpbound::harness::simulator
