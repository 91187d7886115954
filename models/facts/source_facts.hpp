#pragma once
/// \file
/// Facts of source comments as flow facts of a kernel: the loops and branches that line markers
/// place on their lines.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/source_text.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::models {

/// A source file that was found.
struct FoundSource {
    std::size_t file = 0; ///< Index into `Function::source_lines.files`.
    assembly::SourceText source;
};

/// What the comments of source files state of a kernel.
struct SourceFacts {
    FlowFacts facts;                           ///< Loops, uniforms, and the files they are from.
    std::vector<assembly::SourceText> sources; ///< The files of `facts.sources`, in its order.
    std::vector<std::string> notes;            ///< What each comment came to, one sentence each.
};

/// A loop bound holds for every loop all of whose repeating branches are on the comment's line and
/// whose accesses and exits are the loop statement's, in every inlined or unrolled copy. A header
/// executes at most once more than the body; at most as often as the body where the loop is a `do`
/// statement, or where a store of the body executes whenever the header does. A lower bound is not
/// used: a copy may be unrolled or peeled. `uniform` holds for the branches and guarded
/// instructions of the line that decide on one comparison, of the same line. Sound when: the stated
/// facts hold, and the compiler made each machine loop from one source loop, by rotation,
/// unrolling, peeling, splitting, versioning or unswitching. Refuses what `read_fact_comments`
/// refuses, and a loop bound that two nested loops match; an inner loop that only compares masks of
/// the active lanes is the compiler's own and matches none.
Result<SourceFacts> facts_of_sources(const assembly::Function& function,
                                     const assembly::ControlFlowGraph& graph,
                                     const std::vector<FoundSource>& sources);

/// Adds the facts of comments to those of a flow-facts file, which says more of a listing and keeps
/// its own bounds. Refuses a bound of the file above that of a comment, and a branch that is
/// divergent in the file and uniform in a comment, naming both places.
Result<FlowFacts> merged(FlowFacts stated, const FlowFacts& from_sources);

} // namespace warpbound::models
