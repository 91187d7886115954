#pragma once
/// \file
/// What a warp issues next, whoever knows it: a walk of all lanes together or of lanes that part.

#include "harness/simulator/kernel_code.hpp"

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

/// One warp's course through its program.
class Course {
public:
    Course() = default;
    /// `stream`: of random numbers. Refuses facts that no path satisfies, and lanes that wait for
    /// each other.
    static Result<Course> start(const KernelCode& code, const RunOptions& options,
                                std::uint64_t stream, std::int64_t warp_in_block);

    /// Where it stands.
    [[nodiscard]] const Stretch& stretch() const { return stretch_; }
    /// Goes on to the stretch that follows. Requires: has not ended.
    void advance();

private:
    void enter(std::size_t block, LaneMask lanes);

    const assembly::ControlFlowGraph* graph_ = nullptr;
    Stretch stretch_;
    std::variant<PathWalk, LaneWalk> walk_;
};

} // namespace warpbound::harness::simulator
