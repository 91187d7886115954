#pragma once
/// \file
/// Time of a critical path through rotations of strict round robin (`srr`), as terms of an upper
/// bound (docs/theory, S25 and S25a).

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/path_bound.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// The critical path of a launch in terms of rotations. A *rotation* leads from a turn of the
/// path's warp to its next turn; a warp *re-enters the rotation* when its barrier opens or its
/// block starts. Counts are upper ones.
struct RotationPath {
    models::Warps warp_slots{1};       ///< Warp slots of its scheduler.
    std::int64_t rotations = 0;        ///< Rotations in which its warp stays in the rotation.
    std::int64_t reentries = 0;        ///< Re-entries of its own warps.
    std::int64_t barrier_openings = 0; ///< Barriers of other blocks that open.
    std::int64_t block_starts = 0;     ///< Starts of other blocks with several warps each.
    /// Starts of blocks with one warp in warp slots of its scheduler.
    std::int64_t single_warp_starts = 0;
    std::int64_t blocks = 1;         ///< Blocks of the path itself, one after another.
    models::Warps blocking_warps{0}; ///< Other warps that may stall at their turn in its rotations.
    models::Warps warps{1};          ///< Warps with turns in its rotations.
    models::Warps further_warps{0};  ///< Further warps of its schedulers; only their ports count.
    models::Warps other_schedulers_warps{0}; ///< Warps of other schedulers.
    /// The path changes to another scheduler; then it is not fixed which warps share ports with it.
    bool changes_scheduler = false;
    /// The path changes to another block while blocks that no longer count may still occupy ports.
    bool has_carry_in = false;
};

/// Suffix of the certificate on the time of one warp in isolation.
inline constexpr const char* in_isolation = "-in-isolation";

/// Time of rotations under `srr`. Each term is a number of the launch or has a certificate, which
/// is kept where certificates are.
class RoundRobinDelay {
public:
    /// The warps that rotate.
    struct Warps {
        /// With a write buffer that never delays, and the largest lags behind memory queues.
        const PipelinePair& pipelines;
        /// The longest time of one in isolation, without delays by memory queues, over all paths
        /// that loop bounds allow.
        models::Cycles isolated;
        bool has_queueing = false; ///< Their accesses may wait for others in the memory system.
        /// With the lags that the backlog of memory queues does not count (S78); null: without
        /// memory queues.
        const PipelinePair* without_backlog = nullptr;
    };
    RoundRobinDelay(const TimedKernel& kernel, const LaunchGeometry& shape, const AnalysisRun& run,
                    const Warps& warps);

    /// Largest number of instructions (turns) of a warp.
    [[nodiscard]] std::int64_t turns() const { return turns_; }

    /// Side: upper. Terms of a path, without the drains of stores; terms of zero cycles are
    /// included.
    [[nodiscard]] std::vector<BoundTerm> terms(const RotationPath& path) const;

    /// Side: upper. Demand of warps of other schedulers.
    [[nodiscard]] BoundTerm demand_of_other_schedulers(const RotationPath& path) const;

private:
    /// Bound by rotations of `rotation` cycles each and the stalls beyond them.
    [[nodiscard]] std::vector<BoundTerm> by_rotations(const RotationPath& path,
                                                      std::int64_t rotation) const;
    /// Bound by the time of each warp in isolation.
    [[nodiscard]] std::vector<BoundTerm> by_warps(const RotationPath& path) const;
    /// The least bound by rotations, over their lengths.
    [[nodiscard]] std::vector<BoundTerm> by_rotations(const RotationPath& path) const;
    /// The terms of the rotations themselves.
    [[nodiscard]] std::vector<BoundTerm> rotation_terms(const RotationPath& path,
                                                        std::int64_t rotation) const;
    /// Port occupancy of each instruction beyond its issue slot, or for how long it holds others in
    /// the stages in front of the units, if that is longer; behind a memory queue its backlog.
    [[nodiscard]] InstructionCosts residual_occupancy(const RotationPath& path) const;
    [[nodiscard]] BoundTerm residual_occupancy_of(const RotationPath& path,
                                                  models::Warps warps) const;
    /// Adds the demand of warps of other schedulers, and of the block that the path left.
    void add_other_ports(const RotationPath& path, std::vector<BoundTerm>& terms) const;
    /// Length of a rotation without stalls.
    [[nodiscard]] models::Cycles rotation_without_stalls(const RotationPath& path) const;
    [[nodiscard]] BoundTerm term(std::string text, std::int64_t count,
                                 const CertificateName& certificate,
                                 const InstructionCosts& costs) const;

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    AnalysisRun run_;
    bool has_queueing_;
    bool has_memory_queue_;
    InstructionCosts stalls_; ///< From the previous issue on.
    InstructionCosts ports_;
    std::int64_t turns_ = 0;
    std::int64_t longest_stall_ = 0;
    std::int64_t longest_after_barriers_ = 0;
    std::int64_t completion_ = 0;
    std::int64_t isolated_ = 0;
    /// From the end of a block to the time at which the first instruction of the block that takes
    /// its block slot is there.
    std::int64_t refill_ = 0;
};

} // namespace warpbound::analyzer
