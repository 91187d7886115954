#pragma once
/// \file
/// A request made ready: everything that both sides share, and path problems made from it.

#include "analyzer/path/compressed_path.hpp"
#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/memory/footprint_analysis.hpp"
#include "analyzer/path/path_graph.hpp"
#include "analyzer/microarchitecture/state_intervals.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

struct AnalysisContext {
    const Request& request;
    ResolvedFacts facts;
    LaunchGeometry shape;
    std::vector<Result<models::InstructionTiming>> timings;
    std::vector<bool> used; ///< Per instruction: on a path that the facts allow.
    models::Interval buffer_entries{0, 0, 0};
    models::Interval buffer_drain{0, 0, 0};
    std::optional<MemoryParameters> caches; ///< Where an access goes through them.
    std::optional<Footprint> footprint;    ///< By accesses through them, where it can be listed.
    Deadline deadline;
};

/// A failure that names the instruction.
Failure refuse_at(const AnalysisContext& context, std::size_t instruction, const std::string& what);

/// Whether every scheduler chooses somebody whenever one of its warps may issue: by its policy, or
/// because its warps are so few.
bool conserves_work(const Request& request, const LaunchGeometry& shape);

/// Refuses what this version does not bound, and what the description or the facts lack. The
/// request must outlive the problem.
Result<AnalysisContext> prepare(const Request& request);

/// The rules of the machine with one write buffer; `slots` as `PipelineModel` has them.
struct PipelinePair {
    PipelineModel lower;
    PipelineModel upper;

    [[nodiscard]] const PipelineModel& of(Side side) const {
        return side == Side::Lower ? lower : upper;
    }
    [[nodiscard]] StateInterval start() const { return {lower.start(), upper.start()}; }
};
PipelinePair pipelines_of(const AnalysisContext& context, std::int64_t buffer_entries,
                  const models::Interval& buffer_drain,
                  const std::vector<SlotDistance>& slots = {});

/// The path problem of a span, whose state before the first issue is `from`. At most so many nodes
/// per block; fewer join more states and bound less tightly. None: as many as are affordable.
PathGraph path_graph_of(const AnalysisContext& context, const PipelinePair& rules, Side side,
                        const std::vector<bool>& never, const Span& span, const StateInterval& from,
                        std::optional<std::size_t> nodes_per_block = std::nullopt);
/// The path problem of a whole run.
PathGraph path_graph_of(const AnalysisContext& context, const PipelinePair& rules, Side side,
                        std::optional<std::size_t> nodes_per_block = std::nullopt);

/// The best path of a path problem under all flow facts.
struct PathSolution {
    std::int64_t bound = 0; ///< Side: as asked.
    Proof proof = Proof::StructuralPath;
    Outcome outcome = Outcome::Optimal;
    bool solver_used = false;
    std::optional<BlockPath> witness;
};
enum class Facts { All, LoopBounds };
/// Whether there are exclusive or linear facts.
bool has_further_facts(const models::FlowFacts& facts);
/// Refuses facts that no path satisfies. `LoopBounds` leaves exclusive and linear facts out.
Result<PathSolution> solve_paths(const AnalysisContext& context, const PathGraph& paths, Side side,
                                 Facts facts, Deadline deadline);

/// One side of the execution time.
struct SideAnswer {
    SideResult execution;
    std::int64_t nodes = 0; ///< Of the path problem.
    bool solver_used = false;
    bool in_turns = false; ///< It rests on turns that no other policy gives.
};

} // namespace warpbound::analyzer
