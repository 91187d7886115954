#pragma once
/// \file
/// The instruction stream of a warp: from a walk of converged lanes, a walk of diverging lanes, or
/// a recorded execution.

#include "harness/simulator/paths/kernel_paths.hpp"

#include <memory>
#include <variant>

namespace warpbound::harness::simulator {

/// Consecutive instructions of a block that the active lanes of a warp issue.
struct Stretch {
    bool ends = false;       ///< There are none: the warp has ended.
    bool transferred = true; ///< The preceding instruction transferred control to it (C4, C41).
    std::size_t block = 0;   ///< Of the control-flow graph.
    std::size_t first = 0;   ///< Index into the function.
    std::size_t last = 0;    ///< Inclusive.
    LaneMask lanes = 0;
};

/// A position in the recorded instruction stream of a warp (C54).
struct RecordedStream {
    std::shared_ptr<const RecordedWarp> warp;
    std::size_t stretch = 0;   ///< Index of the next one.
    std::size_t executing = 0; ///< Index of the next one.
    std::size_t accesses = 0;  ///< Consumed so far.
};

/// The instructions that one warp issues, stretch by stretch.
class InstructionStream {
public:
    InstructionStream() = default;
    /// `stream`: index of the random stream. Refuses facts that no path satisfies, lanes that wait
    /// for each other, and a recorded block that cannot be read.
    static Result<InstructionStream> start(const KernelPaths& paths, const RunOptions& options,
                                           std::uint64_t stream, std::int64_t block,
                                           std::int64_t warp_in_block);

    /// The current stretch.
    [[nodiscard]] const Stretch& stretch() const { return stretch_; }
    /// Continues with the next stretch. Requires: has not ended.
    void advance();

    /// Whether the stretch after the current one is reached by a transfer of control. Requires: a
    /// branch that takes all active lanes one way follows the current one.
    [[nodiscard]] bool transfers_next() const;

    // For a recorded stream only; once per instruction concerned, in order:
    /// The lanes for which the next guarded instruction executes.
    LaneMask take_executing();
    /// Advances to the addresses of the next memory instruction.
    void take_access() { ++std::get<RecordedStream>(walk_).accesses; }
    /// Those addresses.
    [[nodiscard]] models::LaneAddresses addresses(std::uint64_t bytes) const;

private:
    static Result<InstructionStream> replay(const RecordedLaunch& launch, std::int64_t block,
                                            std::int64_t warp_in_block);
    void follow(RecordedStream& recorded);
    void enter(std::size_t block, LaneMask lanes);

    const assembly::ControlFlowGraph* graph_ = nullptr;
    Stretch stretch_;
    std::variant<PathWalk, DivergentWalk, RecordedStream> walk_;
};

} // namespace warpbound::harness::simulator
