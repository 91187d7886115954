#pragma once
/// \file
/// Proved bounds on the time of a launch: from a kernel's control flow, the described machine and
/// flow facts.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/bounds.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"
#include "models/launch/warp_policy.hpp"
#include "models/launch/workload.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

struct CertificateStore; // analyzer/evidence/path_certificates.hpp

/// What the host does around the launch, all in one stream and in this order.
struct HostTimeline {
    std::vector<models::HostOperation> before; ///< Copies.
    std::vector<models::HostOperation> behind; ///< Copies.
    /// Of the launch, before its first blocks. `Unit:` core cycles. None: `blocks/launch`.
    std::optional<models::Interval> launch_cost;
};

struct Request {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    const models::Architecture* architecture = nullptr;
    const models::FlowFacts* facts = nullptr;
    models::Launch launch;
    std::int64_t multiprocessors = 1; ///< On which the launch runs.
    models::WarpPolicy policy;
    /// Use what the conditions of branches exclude (docs/soundness.md, S19). Else only stated
    /// facts, which is what simulated runs keep, and loop bounds of the code where none are stated.
    bool follow_branches = false;
    std::optional<HostTimeline> host; ///< Bound the time from end to end as well; none: do not.
    std::optional<std::chrono::duration<double>> time_limit; ///< For the solver; none: no limit.
    std::uint64_t seed = 1;                                  ///< Of the solver.
    CertificateStore* proofs = nullptr; ///< Where to keep what the bounds rest on; none: nowhere.
};

enum class Side { Lower, Upper };

/// How a bound was proved.
enum class Proof {
    StructuralPath,  ///< longest (shortest) path under loop bounds
    ResponseTime,    ///< longest path of one warp and the work of the others on what they share
    ScheduleExploration, ///< every schedule that the policy leaves, stepped
    ExactLp,         ///< exact rational optimum of the flow problem, rounded to the safe side
    Refutation, ///< "cost >= value + 1" (lower side: "cost <= value - 1") was shown unsatisfiable
};
std::string_view to_string(Proof proof);

/// What happened to the search for the tightest bound.
enum class Outcome {
    Optimal,      ///< no path of the path problem is better than `proved`
    LimitReached, ///< a limit stopped the search; `proved` is still a bound
};

/// One visit of the witness path's blocks, aggregated. `Unit:` core cycles.
struct BlockContribution {
    std::size_t block = 0;
    std::int64_t count = 0;  ///< Executions on the witness path.
    std::int64_t cycles = 0; ///< Sum over those executions; all blocks together give `best_found`.
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
std::string_view to_string(StackCategory category);

/// A summand of a bound on several warps. `Unit:` core cycles.
struct BoundTerm {
    std::string text; ///< What takes the time, and why it counts so often.
    std::int64_t count = 1;
    std::int64_t cycles = 0; ///< Of one.
    /// Id of the path lemma that bounds `cycles`; empty: a value of the machine and the launch.
    std::string certificate{};
};
/// What the terms add up to. Throws `std::overflow_error` when that cannot be counted.
models::Cycles sum_of(const std::vector<BoundTerm>& terms);

/// Bound on one quantity from one side. Of several warps the witness is the path of one of them,
/// as if it ran alone.
struct SideResult {
    Outcome outcome = Outcome::Optimal;
    models::Cycles proved; ///< The bound. Side: as asked.
    /// Cost of the witness path, stepped: the bound cannot be tightened past it. None: no path was
    /// found, or its steps do not repeat within the memory for them.
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
    /// Several warps: what adds up to `proved`. Empty for one warp.
    std::vector<BoundTerm> terms;
};

enum class AssumptionStatus { Proved, Measured, Reviewed, Unchecked };
std::string_view to_string(AssumptionStatus status);

/// What a bound rests on, in one sentence that a reviewer can deny.
struct Assumption {
    std::string id; ///< "A1"
    std::string text;
    AssumptionStatus status = AssumptionStatus::Unchecked;
};

/// Both sides of one quantity. Shape: no arrays.
struct Envelope {
    SideResult lower;
    SideResult upper;

    [[nodiscard]] models::Bounds<models::Cycles> bounds() const {
        return {lower.proved, upper.proved};
    }
};

struct Analysis {
    Envelope execution_time; ///< C2 of docs/reference/timing-contract.md.
    std::optional<Envelope>
        measured_time; ///< C3, when the function has exactly two clock reads, both outside loops,
                       ///< executed once each on every path.
    std::string
        measured_time_absent; ///< Why not, when it is absent and the function reads the clock.
    /// From the host's first call to the end of its last operation; with `Request::host`.
    std::optional<Envelope> end_to_end;
    std::vector<Assumption> assumptions;
    std::vector<Assumption> host_assumptions; ///< What `end_to_end` rests on beside those.
    std::string solver;                       ///< Name and version, when a solver was used.
    std::int64_t state_nodes = 0;             ///< Nodes of both sides' path problems.
    /// With `Request::proofs`: the bounds are sums of path lemmas that may be looser than the
    /// bounds of the same request without it (docs/soundness.md, S23, S26 and S28).
    bool sums_of_certificates = false;
};

/// Bounds the kernel's time. Side: both; integer cycles.
/// Sound when: the assumptions hold. Errors: refuses, naming place and what is missing, a policy
/// that is not bounded for such a launch, barriers that paths of a block pass unequally often, a
/// loop without a bound, contradictory facts, an instruction on a feasible path whose timing is
/// unknown.
Result<Analysis> analyze(const Request& request);

} // namespace warpbound::analyzer
