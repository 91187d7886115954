#pragma once
/// \file
/// A bound: its side, how it was proved, and its assumptions.

#include "analyzer/bound_expression.hpp"
#include "models/bounds.hpp"
#include "models/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// How a bound was proved.
enum class Proof {
    StructuralPath, ///< longest (shortest) path under loop bounds
    ResponseTime,   ///< longest path of one warp, and the demand of the others on shared resources
    ScheduleExploration, ///< every schedule that the policy allows was simulated
    ExactLp,    ///< exact rational optimum of the IPET linear program, rounded to the safe side
    Refutation, ///< "cost >= value + 1" (lower side: "cost <= value - 1") was shown unsatisfiable
};
constexpr std::string_view to_string(Proof proof) {
    constexpr std::array<std::string_view, 5> names{
        "structural-path", "response-time", "schedule-exploration", "exact-lp", "z3-refutation"};
    return names[static_cast<std::size_t>(proof)];
}

/// What happened to the search for the tightest bound.
enum class Outcome {
    Optimal,      ///< no path of the path problem is better than `proved`
    LimitReached, ///< a limit stopped the search; `proved` is still a bound
};

/// How row activations of DRAM are counted.
enum class RowDelay {
    WholeTransfers,   ///< As part of each transfer, one transfer after another.
    PerWaitingAccess, ///< Rows that other accesses activate, for each waiting access (S22).
    OncePerLaunch,    ///< Rows that the lines of each load activate, once for the launch (S22c).
};
/// By which arguments waits of accesses through caches are bounded; each gives an upper bound
/// (S22).
struct QueueingRules {
    bool hits = false; ///< Loads have the latency of an L1 hit; misses count as terms.
    RowDelay rows = RowDelay::WholeTransfers;
    bool ports = false;    ///< The port of the loads is a server of the tandem (S22d).
    bool addresses = true; ///< The accesses are listed; no: by their numbers alone (S59).
};

/// Units of memory that loads of one address form touch, executed by all threads of a box of thread
/// blocks (S79).
struct LoadedSet {
    std::int64_t load = 0; ///< Address of the first one. `Unit:` bytes.
    /// Offset in constant bank 0 of the pointer that the addresses begin at; none: another base.
    std::optional<std::int64_t> pointer{};
    std::array<std::int64_t, 3> first_block{}; ///< x, y, z.
    std::array<std::int64_t, 3> last_block{};  ///< Inclusive.
    std::int64_t units = 0;                    ///< Side: lower.
};
/// Units that a launch loads from and, up to the load, does not store to: those of all sets, which
/// share none (S79).
struct LoadedUnits {
    std::int64_t bytes = 0; ///< Of a unit.
    std::int64_t units = 0; ///< Side: lower.
    std::vector<LoadedSet> sets;
};

/// Demand of one warp of a block, by the indices of its threads (S85). `Unit:` core cycles. Side:
/// upper.
struct WarpDemand {
    std::int64_t ports = 0; ///< On ports of the multiprocessor.
    std::int64_t drain = 0; ///< Drain time of its stores.
};

/// Contribution of one basic block to the witness path. `Unit:` core cycles.
struct BlockContribution {
    std::size_t block = 0;
    std::int64_t count = 0;  ///< Executions on the witness path.
    std::int64_t cycles = 0; ///< Sum over these executions; the sum of all blocks is `best_found`.
};

/// Why time passes on the witness path; cycles sum to the witness path's cost.
enum class StackCategory {
    Issue,
    ControlTransfer,
    RegisterDependence,
    Scoreboard,
    Port,
    WriteBuffer,
    Barrier,
    Completion
};
constexpr std::string_view to_string(StackCategory category) {
    constexpr std::array<std::string_view, 8> names{
        "issue",        "control-transfer", "register-dependence", "scoreboard", "port",
        "write-buffer", "barrier",          "completion"};
    return names[static_cast<std::size_t>(category)];
}

/// Bound on one quantity from one side. For several warps the witness is the path of one warp in
/// isolation.
struct SideResult {
    Outcome outcome = Outcome::Optimal;
    models::Cycles proved; ///< The bound. Side: that of the request.
    /// Cost of the witness path by replay: no tighter bound exists. None: no path was found, or the
    /// replay of its loops did not become periodic within the memory limit.
    std::optional<models::Cycles> best_found;
    Proof proof = Proof::StructuralPath;
    std::vector<BlockContribution> blocks; ///< Of the witness path, in block order.
    /// Blocks of the witness path in order, entry to exit; empty when longer than 1,000,000 blocks.
    std::vector<std::size_t> path;
    /// Cycles per instruction of the function on the witness path (time since the previous issue),
    /// and executions.
    std::vector<std::int64_t> instruction_cycles;
    std::vector<std::int64_t> instruction_counts;
    std::vector<std::pair<StackCategory, std::int64_t>> stack;
    /// Several warps: the terms whose sum is `proved`. Empty for one warp.
    std::vector<BoundTerm> terms;
    /// All alternatives and cases that were evaluated; `proved` is the value of the best one, with
    /// `Request::certificates` of the best one that has evidence. No terms: the bound is not a sum.
    BoundExpression bound;
    /// Upper side, accesses through caches: the arguments on addresses that the sum rests on; none:
    /// it uses numbers of transactions alone (S26).
    std::optional<QueueingRules> queueing{};
    /// Lower side: the sum rests on the addresses of accesses through caches (S59).
    bool by_addresses = false;
    /// Lower side: the data that the sum rests on; none: it rests on no loaded data (S79).
    std::optional<LoadedUnits> loaded{};
    /// Upper side: of each warp of a block, what the sum rests on; empty: it counts all warps
    /// alike.
    std::vector<WarpDemand> by_warp{};
};
/// Replaces the bound by the value of this expression.
inline void set_bound(SideResult& result, BoundExpression bound) {
    result.proved = value_of(bound);
    result.terms = chosen_sum(bound).terms;
    result.bound = std::move(bound);
}

enum class AssumptionStatus { Proved, Measured, Reviewed, Unchecked };
constexpr std::string_view to_string(AssumptionStatus status) {
    constexpr std::array<std::string_view, 4> names{"proved", "measured", "reviewed", "unchecked"};
    return names[static_cast<std::size_t>(status)];
}

/// What an assumption is about: who can confirm it.
enum class AssumptionSubject {
    Code,       ///< The listing and what follows from it.
    User,       ///< What the user stated, and how the launch runs.
    Machine,    ///< The description of the machine.
    NotModelled ///< An effect that the model leaves out and that must not occur.
};
constexpr std::string_view to_string(AssumptionSubject subject) {
    constexpr std::array<std::string_view, 4> names{"code", "user", "machine", "not-modelled"};
    return names[static_cast<std::size_t>(subject)];
}

/// An assumption of a bound: one sentence that a reviewer can deny.
struct Assumption {
    std::string id; ///< "A1"
    std::string text;
    AssumptionStatus status = AssumptionStatus::Unchecked;
    AssumptionSubject subject = AssumptionSubject::User;
    std::vector<std::string> values{}; ///< Paths of the values of the description it is about.
};

/// Both sides of one quantity. Shape: no arrays.
struct Envelope {
    SideResult lower;
    SideResult upper;

    [[nodiscard]] models::Bounds<models::Cycles> bounds() const {
        return {lower.proved, upper.proved};
    }
};

} // namespace warpbound::analyzer
