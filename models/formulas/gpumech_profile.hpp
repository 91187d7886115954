#pragma once
/// \file
/// GPUMech (Huang et al. 2014): the issue times of one warp as intervals, and the representative
/// warp.
///
/// Left out: variants of one re-implementation (a stall of the whole gap, breaks only at gaps of 10
/// and more, no stall at the end), which make every interval 1 to 2 cycles too long.

#include "assembly/support/result.hpp"
#include "models/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models::gpumech {

enum class StallCause { Dependence, Memory }; ///< Memory: a global or local access.

/// An executed instruction of a warp; equal instructions have one step kind.
struct TracedInstruction {
    Cycles latency; ///< At least 1; for memory see `memory_latency`.
    /// Distances to the producers of its operands, in executed instructions; each at least 1.
    std::vector<std::int64_t> distances{};
    bool memory = false; ///< A global or local access.
    Cycles gap{1};       ///< Least distance to the next instruction of the warp; published: 1.
};

/// Issue times of the instructions of a warp.
struct IssueTrace {
    struct Gap {
        Cycles cycles; ///< From the previous issue to this issue; more than 1 is a stall.
        StallCause cause = StallCause::Dependence;
        friend bool operator==(const Gap&, const Gap&) = default;
    };
    /// Gaps first .. first + length - 1, which end with a stall, `times` times in a row.
    struct Repetition {
        std::size_t first = 0;
        std::size_t length = 0;
        std::int64_t times = 0;
    };
    std::vector<Gap> gaps{}; ///< `Shape:` gaps[k] precedes instruction k + 1.
    Gap tail;                ///< From the last issue until all results are ready.
    /// Some of the repetitions in `gaps`, in order, without overlap.
    std::vector<Repetition> repetitions{};
};

/// Issue times of one warp in isolation: issue(k) = max(issue(k-1) + gap(k-1), done(d)), done(d) =
/// issue(d)
/// + latency(d). A stall has the cause of its last producer; a memory access wins a tie, and a gap
/// alone is a dependence. The published gap is 1; another is our extension to machines whose warps
/// cannot issue in every slot. A loop is followed until its gaps repeat for as long as its
/// instructions look back; from there on every iteration has the same gaps, which are not computed
/// again. Unit: core cycles. Side: exact for the rule. Source: Huang et al. 2014, details from
/// re-implementations (reference models 5.1).
/// `Shape:` order[k] is the step kind of the k-th executed instruction.
/// Refuses an empty order, unknown step kinds, latencies, gaps and distances below 1, and distances
/// that reach before the first instruction.
Result<IssueTrace> issue_trace(std::span<const TracedInstruction> kinds,
                               std::span<const std::uint32_t> order);

/// Memory requests of the accesses of an interval. Averages over the warps may be fractions.
struct MemoryDemand {
    std::int64_t misses = 0; ///< L1 read misses of a warp after coalescing.
    double dram_reads = 0;   ///< Requests of a warp, as below.
    double dram_writes = 0;
    double l1_share = 0; ///< Level that the stalling access hits; the shares sum to 1.
    double l2_share = 0;
    double dram_share = 0;
};

/// Instructions without a stall between them, and the stall after them.
struct Interval {
    std::int64_t instructions = 0; ///< I_i
    Cycles stall;                  ///< S_i
    StallCause cause = StallCause::Dependence;
    std::int64_t times = 1; ///< Number of consecutive intervals equal to this one.
    std::size_t first = 0;  ///< Number of the first instruction of the first of them.
    MemoryDemand memory{};  ///< Filled in by the caller; `intervals_of` leaves it empty.
};

/// The intervals of a warp: a gap of more than 1 closes one, with a stall of the gap less 1; the
/// tail closes the last. Instructions and stalls add up to the elapsed time. Repetitions are
/// intervals with `times`.
/// Unit: core cycles. Source: Huang et al. 2014; the tail after one of two re-implementations
/// (reference models 5.1). Refuses gaps below 1 and repetitions that are not in the gaps.
Result<std::vector<Interval>> intervals_of(const IssueTrace& trace);

/// Instructions and time of one warp in isolation.
struct WarpPerformance {
    double instructions = 0;
    double cycles = 0;
};

/// Estimate, not a bound. Sum of I_i / issue_rate + S_i. Unit: core cycles, instructions.
/// Source: Huang et al. 2014 (reference models 5.1). Refuses no intervals, intervals without
/// instructions, negative stalls and an issue rate that is not positive.
Result<WarpPerformance> performance_of(std::span<const Interval> intervals, double issue_rate);

struct Representative {
    std::size_t warp = 0;         ///< Index into the warps.
    std::size_t cluster_size = 0; ///< Warps of its cluster.
};

/// The warp nearest to the centre of the larger of two clusters, by performance and instructions,
/// each over its mean. Deterministic 2-means: the seeds are the slowest warp and the one farthest
/// from it; ties go to the lowest warp number.
/// Source: Huang et al. 2014; the seeds are our choice. Refuses no warps, and numbers that are not
/// positive.
Result<Representative> representative(std::span<const WarpPerformance> warps);

/// Estimate, not a bound. Latency of a memory instruction: L1 + p_L1miss L2 + p_L1miss p_L2miss
/// DRAM. Unit: core cycles. Source: re-implementations of GPUMech (reference models 5.1).
struct MemoryLatencies {
    double l1 = 0;
    double l2 = 0;
    double dram = 0;
};
/// Refuses latencies that are not positive and rates outside 0..1.
Result<double> memory_latency(const MemoryLatencies& latencies, double l1_miss_rate,
                              double l2_miss_rate);

} // namespace warpbound::models::gpumech
