#pragma once
/// \file
/// Which barriers the warps of a block pass, in the same order.

#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Whether the instruction is on a path and waits at a barrier.
bool is_barrier(const TimedKernel& kernel, std::size_t instruction);

/// The barriers that a warp passes.
struct BlockBarriers {
    std::int64_t most = 0;    ///< Barrier executions of a path, at most.
    bool on_all_paths = true; ///< Every path passes each barrier equally often.
    /// How often, in one block, a warp may end before a barrier that other warps of the block pass
    /// afterwards.
    std::int64_t early_ends = 0;
    /// A guarded one, of those that lie on an edge of the branch behind them.
    std::optional<std::size_t> guarded;
};

/// Of blocks with several warps; else nothing is passed in common. That all warps of a block which
/// have not ended pass the same barriers is CUDA's rule, an assumption where branches decide
/// (S12). Refuses a guarded barrier that is on no edge of the branch behind it, naming it.
Result<BlockBarriers> barriers_of_block(const TimedKernel& kernel, const LaunchGeometry& shape);
/// The same for orders of issue that are not analyzed with early ends and guarded barriers:
/// refused.
Result<BlockBarriers> barriers_without_early_ends(const TimedKernel& kernel,
                                                  const ScheduledLaunch& launch);

/// Addresses of the branches that by CUDA's rule all threads of a block decide alike, and of which
/// the code does not say so.
std::vector<std::int64_t> branches_by_barrier_rule(const TimedKernel& kernel,
                                                   const LaunchGeometry& shape);

/// The first barrier at which several warps of a block synchronize; null: there is none, or every
/// block has one warp.
const assembly::Instruction* first_common_barrier(const TimedKernel& kernel,
                                                  const LaunchGeometry& shape);

} // namespace warpbound::analyzer
