#pragma once
/// \file
/// What a warp issues next, whoever knows it: a walk of all lanes together, of lanes that part, or
/// a recorded execution.

#include "harness/recorded_launch.hpp"
#include "harness/simulator/decode/kernel_code.hpp"

#include <memory>
#include <variant>

namespace warpbound::harness::simulator {

/// Instructions that a warp's active lanes issue one after the other.
struct Stretch {
    bool ends = false;       ///< There is none: the warp has ended.
    bool transferred = true; ///< The instruction before transferred control to it (C4, C41).
    std::size_t block = 0;   ///< Of the control-flow graph.
    std::size_t first = 0;   ///< Index into `KernelCode::operations`.
    std::size_t last = 0;    ///< Inclusive.
    LaneMask lanes = 0;
};

/// A place in what a warp issued when it was recorded (C54).
struct RecordedStream {
    std::shared_ptr<const RecordedWarp> warp;
    std::size_t stretch = 0;   ///< The next one.
    std::size_t executing = 0; ///< Likewise.
    std::size_t accesses = 0;  ///< Taken so far.
};

/// One warp's course through its program.
class InstructionStream {
public:
    InstructionStream() = default;
    /// `stream`: of random numbers. Refuses facts that no path satisfies, lanes that wait for each
    /// other, and a recorded block that cannot be read.
    static Result<InstructionStream> start(const KernelCode& code, const RunOptions& options,
                                           std::uint64_t stream, std::int64_t block,
                                           std::int64_t warp_in_block);

    /// Where it stands.
    [[nodiscard]] const Stretch& stretch() const { return stretch_; }
    /// Goes on to the stretch that follows. Requires: has not ended.
    void advance();

    // Of a recorded course only, once for each instruction that they concern, in order:
    /// The lanes for which the next instruction executes, whose guard decides that.
    LaneMask take_executing();
    /// Comes to the addresses of the next instruction.
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
