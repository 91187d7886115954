#pragma once
/// \file
/// The path problem of one warp of a kernel, and its best path under flow facts.

#include "analyzer/bound.hpp"
#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/microarchitecture/span.hpp"
#include "analyzer/microarchitecture/state_intervals.hpp"
#include "analyzer/path/compressed_path.hpp"
#include "analyzer/path/path_graph.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// The pipeline models of both sides, with one write buffer; `slots` as in `PipelineModel`, and
/// `stages_in_state` as in `IssueStages`: false on the upper side where several warps share a
/// scheduler.
struct PipelinePair {
    PipelineModel lower;
    PipelineModel upper;

    [[nodiscard]] const PipelineModel& of(Side side) const {
        return side == Side::Lower ? lower : upper;
    }
    [[nodiscard]] StateInterval start() const { return {lower.start(), upper.start()}; }
};
PipelinePair pipelines_of(const TimedKernel& kernel, std::int64_t buffer_entries,
                          const models::Interval& buffer_drain,
                          const std::vector<SlotDistance>& slots = {}, bool stages_in_state = true);

/// The part of a kernel's paths that a path problem is about.
struct PathSpan {
    PerBlock<bool> never; ///< Not in it.
    Span span;
    StateInterval from; ///< Before the first issue.
};
/// The path problem of a span. `nodes_per_block`: limit; fewer nodes join more states and bound
/// less tightly. None: as many as are affordable.
PathGraph path_graph_of(const TimedKernel& kernel, const PipelinePair& rules, Side side,
                        const PathSpan& of, std::optional<std::size_t> nodes_per_block);
/// The path problem of a whole run.
PathGraph path_graph_of(const TimedKernel& kernel, const PipelinePair& rules, Side side,
                        std::optional<std::size_t> nodes_per_block = std::nullopt);

/// The path problem from the start of a warp to the issue of an instruction, or to completion, less
/// `demand` of the instructions before it (docs/theory, S74). `demand`: per instruction. `Unit:`
/// core cycles. Side: upper.
PathGraph prefix_graph_of(const TimedKernel& kernel, const PipelinePair& rules,
                          const std::vector<std::int64_t>& demand,
                          std::optional<std::size_t> nodes_per_block = std::nullopt);

/// The best path of a path problem under all flow facts.
struct PathSolution {
    models::Cycles bound; ///< Side: as asked.
    Proof proof = Proof::StructuralPath;
    Outcome outcome = Outcome::Optimal;
    bool solver_used = false;
    std::optional<BlockPath> witness;
};
enum class Facts { All, LoopBounds };
/// Where paths may end: at completion, or at the issue of any instruction as well.
enum class PathEnds { Completion, AnyIssue };
/// Bounds of the loops of such paths. A path that ends at any issue may be within a loop, so that
/// it iterates fewer times than stated.
std::vector<BackEdgeBounds> loops_of_paths(std::vector<BackEdgeBounds> loops, PathEnds ends);
/// Which path is the best one: the longest, lower side the shortest, of those that facts allow.
/// `LoopBounds` leaves exclusive and linear facts out, which say nothing of beginnings of paths.
struct PathQuery {
    Side side = Side::Upper;
    Facts facts = Facts::All;
    PathEnds ends = PathEnds::Completion;
};
/// Refuses facts that no path satisfies.
Result<PathSolution> solve_paths(const TimedKernel& kernel, const AnalysisRun& run,
                                 const PathGraph& paths, const PathQuery& query);

/// One side of the execution time.
struct SideAnswer {
    SideResult execution;
    std::int64_t nodes = 0; ///< Of the path problem.
    bool solver_used = false;
    bool assumes_round_robin_order =
        false; ///< It rests on an order of issues that no other policy gives.
};

/// Bounds on the same time, each with its path and each sufficient by itself.
using Alternatives = std::vector<SideAnswer>;
/// Which alternatives are asked for; a bound that is both is given for each.
enum class Wanted { All, WithEvidence, Tightest };
/// Adds what `work` returns. Unless it is required, it is left out where its work is stopped or its
/// cycles cannot be counted: another alternative holds.
template <typename Work>
void add_alternative(Alternatives& all, bool is_required, const Work& work) {
    if (is_required) {
        all.push_back(work());
        return;
    }
    try {
        if (auto found = unless_stopped(work)) all.push_back(std::move(*found));
    } catch (const std::overflow_error&) {
        return;
    }
}
/// The bound of schedules that were simulated or explored, for which no evidence is kept. `path`:
/// an alternative whose path is kept as the witness.
SideAnswer explored_schedules(const SideAnswer& path, std::string text, BoundTerm term);
/// Whether the bound holds by parts that have evidence.
bool has_evidence(const SideAnswer& answer, Side side);
/// The best alternative, whose expression then contains the others; of equal ones as `chosen_sum`.
/// `evidence_only`: the best of the parts that have evidence. Requires: there is one.
SideAnswer best_of(Side side, Alternatives alternatives, bool evidence_only);

} // namespace warpbound::analyzer
