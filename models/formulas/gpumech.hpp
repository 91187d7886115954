#pragma once
/// \file
/// GPUMech (Huang et al. 2014): cycles per instruction of an SM, and where they go, from the
/// intervals of one representative warp.
///
/// Reported for 40 kernels on a Fermi-like machine: error 13.2 % with round robin (at most 35.0 %)
/// and 14.0 % with greedy-then-oldest. Left out: a warp's wait for one round of the others when its
/// stall is shorter, an option of one re-implementation; and the successors GCoM and MDM.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/formulas/gpumech_profile.hpp"
#include "models/formulas/gpumech_queues.hpp"
#include "models/formulas/quantities.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warpbound::models::gpumech {

enum class Policy { RoundRobin, GreedyThenOldest };

/// Probability that another warp can issue in a cycle.
enum class IssueProbability {
    Average, ///< Instructions over cycles of the warp, as published; errs short in lock-step.
    One      ///< Always: errs long.
};

struct Multithreading {
    Policy policy = Policy::RoundRobin;
    IssueProbability probability = IssueProbability::Average;
    std::int64_t warps = 0; ///< W: resident warps of the SM.
    double issue_rate = 1;  ///< Instructions per cycle of the SM.
    /// Warps that share the memory, when `warps` are only those of one of several schedulers.
    std::optional<std::int64_t> memory_warps{};
    /// Cycles that the busiest unit needs for all warps; the published model has no units, so there
    /// it is 0. Our extension.
    double unit_cycles = 0;
    /// Likewise the busiest server of the memory, which limits the time with queueing.
    double memory_cycles = 0;
};

/// Memory of the machine; needed when an interval has misses or DRAM traffic.
struct Memory {
    std::int64_t miss_registers = 0; ///< MSHRs of a core.
    double miss_latency = 0;         ///< Average of an L1 miss, as `miss_latency`. `Unit:` cycles.
    std::int64_t cores = 0;          ///< Cores that share the DRAM.
    Dram dram;
};

enum class Category { Issue, Dependences, L1, L2, DramLatency, MshrQueue, DramQueue };
inline constexpr std::size_t categories = 7;
std::string_view to_string(Category category);

struct Prediction {
    Estimate<CyclesPerInstruction> cpi{0}; ///< Of the SM: the sum of the stack, in its order.
    /// `Shape:` stack[category], in the order of `Category`. `Unit:` cycles per instruction.
    std::array<double, categories> stack{};
    double single_warp_cycles = 0; ///< Of the representative warp in isolation.
    double single_warp_instructions = 0;
    double issue_probability = 0; ///< As chosen by the policy.
    double nonhiding = 0;         ///< Instructions of other warps that delay the warp.
    double multithreaded_cycles =
        0;                    ///< Without queueing, at least W insts / issue rate, unit cycles.
    double mshr_queueing = 0; ///< Summed over the intervals. `Unit:` cycles.
    double dram_queueing = 0; ///< Likewise, and what a server of the memory needs longer.
};

/// Estimate, not a bound. Cycles per instruction of an SM on which W warps run like the one with
/// these intervals. Unit: core cycles per warp instruction of the SM.
/// Round robin: nonhiding = (I_i - 1) p (W - 1). Greedy-then-oldest: the instructions that others
/// issue in the stall, insts / intervals * min(p S_i, 1) (W - 1), as far as they exceed issue rate
/// * S_i. Source: Huang et al. 2014, slides; the slide prints the last as min(.., 0), a misprint
/// for max. The waiting slots I_i - 1 and the probability in a stall are from re-implementations,
/// and so is the DRAM queue (reference models 5.3 to 5.5). The stack: each stall goes to what
/// caused it, a memory stall to the levels by its shares; the instructions of the warp and of
/// others that delay it are issue. It is scaled to the multithreaded cycles before the queues are
/// added (inferred, reference models 5.6). Where a unit needs longer, the rest is issue too,
/// where a server of the memory does, DRAM queueing.
/// Refuses no intervals or warps, shares of a memory stall
/// that do not sum to 1, demands without the machine's memory, and numbers out of range.
Result<Prediction> predict(std::span<const Interval> intervals,
                           const Multithreading& multithreading,
                           const std::optional<Memory>& memory);

/// The symbols of `predict` with their values and sources.
std::vector<ExplainedSymbol> explain(const Multithreading& multithreading,
                                     const Prediction& result);

} // namespace warpbound::models::gpumech
