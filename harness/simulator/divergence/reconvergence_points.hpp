#pragma once
/// \file
/// Where lanes of a warp may part and where they meet again: rules C38 to C40, per block.

#include "harness/device.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// What names a point at which lanes meet.
enum class PointKind {
    Reconvergence, ///< SSY; SYNC, .S
    Break,         ///< PBK; BRK
    Continue,      ///< PCNT; CONT
    Barrier,       ///< BSSY; BSYNC, BREAK
    PostDominator  ///< Nothing: where all ways meet again.
};

/// The active lanes join a point or leave it.
struct PointStep {
    bool joins = true;
    PointKind kind = PointKind::Reconvergence;
    int reg = 0; ///< Convergence barrier register, for Barrier.
};

/// What concerns lanes in a block.
struct BlockConvergence {
    std::vector<PointStep> steps; ///< In the order of the code.
    bool parts = false;           ///< Lanes may part at the end.
    /// The lanes that are transferred at the end arrive at the innermost point of this kind; all
    /// lanes where the kind is Barrier.
    std::optional<PointKind> arrives;
    int arrives_reg = 0;                 ///< For Barrier.
    std::vector<int> left_when_taken;    ///< Barriers that lanes leave which the branch transfers.
    std::vector<int> left_behind;        ///< Those of lanes that it does not transfer.
    std::optional<std::size_t> together; ///< An instruction at which all lanes must be together.
    std::optional<std::size_t> post_dominator;
};

struct Convergence {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    std::vector<BlockConvergence> blocks;
    std::vector<bool> parts; ///< Per instruction: lanes may decide differently.
};

/// Refuses divergence facts at places where nothing is decided, and what lanes that part could
/// execute and this version does not simulate. Function and graph must outlive the result.
Result<Convergence> find_convergence(const Kernel& kernel, const std::vector<bool>& visited);

} // namespace warpbound::harness::simulator
