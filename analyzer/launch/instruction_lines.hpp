#pragma once
/// \file
/// The lines of a kernel's text in the instruction caches (rules C66 to C70 of
/// docs/reference/timing-contract.md), and which of them are persistent there.

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/path/path_graph.hpp"
#include "analyzer/request.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// A loop whose lines are persistent in the L0 during a traversal.
struct LoopLines {
    std::size_t loop = 0; ///< Of the control-flow graph.
    std::int64_t count = 0;
};

/// `Unit:` core cycles, where not lines or bytes.
struct InstructionLines {
    std::int64_t line = 1;  ///< `Unit:` bytes.
    std::int64_t count = 0; ///< Lines of the text.
    /// Lines of which a warp may end without having executed an instruction (docs/theory, S84);
    /// where guards hold by the code, those that it may leave to another warp of its scheduler
    /// (S97). Side: upper. Counted where the lines are persistent in the L0.
    std::int64_t avoidable = 0;
    models::Interval stream; ///< Lines that a miss requests behind its own.
    models::Interval l0_miss;
    models::Interval l1_miss;
    models::Interval service;
    /// Every line of the text, and for the L1 those streamed behind it, has a way of its set: a
    /// line that was present is not replaced (docs/theory, S36).
    bool persist_in_l0 = false;
    bool persist_in_l1 = false;
    bool are_warm = false; ///< Stated: the lines that persist are in their caches at the start.
    /// The longest wait for a line that neither cache is known to hold, or only the L1 (S35). It
    /// counts at each look-up; 0 where the lines are persistent in the L0, and their first waits
    /// count instead.
    std::int64_t wait = 0;
    /// Where the lines of the text are not persistent in the L0: the outermost loops whose lines
    /// are. In them each line counts once per traversal, not at each look-up.
    std::vector<LoopLines> loops{};

    /// A line that is persistent and present never misses.
    [[nodiscard]] bool never_miss() const { return persist_in_l0 && are_warm; }
};

/// Whether the lines of the text are persistent in the L0, which bounds of active sets need (S36).
/// False where the description lacks a value.
bool lines_persist_in_l0(const Request& request);

/// None where fetch costs nothing (C17). Refuses a description without a value that is needed.
/// `has_barriers`: the warps of a block may wait for each other. Sound when: one warp, a policy
/// that limits no active sets, or `lines_persist_in_l0`.
Result<std::optional<InstructionLines>>
instruction_lines(const Request& request, const LaunchGeometry& shape, bool has_barriers);

/// Before each instruction whose line is looked up the gap may last as long as the wait for the
/// line, but for look-ups within loops whose lines are persistent. Side: upper; the lower ends
/// remain.
void add_line_waits(const Request& request, const InstructionLines& lines,
                    std::vector<Result<models::InstructionTiming>>& timings);

/// A traversal of a loop whose lines are persistent waits for each of its lines once at most: these
/// waits are added to the edges that enter it. Side: upper.
void add_first_waits_of_loops(const assembly::ControlFlowGraph& graph,
                              const InstructionLines& lines, PathGraph& paths);

} // namespace warpbound::analyzer
