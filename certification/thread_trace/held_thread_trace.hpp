#pragma once
/// \file
/// A thread trace held against bounds on the times of single instructions (docs/theory, S68).

#include "analyzer/policies/instruction_bounds.hpp"
#include "assembly/isa/program.hpp"
#include "certification/thread_trace/drawn_slots.hpp"
#include "harness/trace/thread_trace.hpp"
#include "harness/trace/trace_mix.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// All executions of one instruction. A distance is that of its issue from the one before.
struct HeldInstruction {
    std::int64_t address = 0;
    std::string text;
    std::string source;                    ///< Empty: not known.
    harness::trace::CountSummary duration; ///< Of all executions. `Unit:` cycles.
    harness::trace::CountSummary distance; ///< Of those with a bound. `Unit:` cycles.
    std::int64_t lower = 0;                ///< Least lower bound among those.
    std::optional<std::int64_t> upper;     ///< Greatest upper bound; none: one has none.
    std::optional<std::string> no_upper;   ///< Why one has none.
    std::int64_t outside = 0;              ///< Executions outside their own bounds.
};

struct HeldThreadTrace {
    std::string folder;
    std::int64_t wavefronts = 0;
    std::int64_t longest = 0;                  ///< `Unit:` core cycles.
    std::string longest_file;                  ///< Of the longest wavefront.
    std::vector<HeldInstruction> instructions; ///< By address.
    std::int64_t held = 0;                     ///< Executions with a bound.
    std::int64_t outside = 0;
    std::string first_outside; ///< File, place and numbers; empty: none.
    std::int64_t begin = 0;    ///< Of the first wavefront. `Unit:` cycles.
    std::int64_t end = 0;      ///< Of the last one to end.
    std::vector<DrawnSlot> slots;
};

/// Why instructions have no upper bound, each reason once.
std::vector<std::string> reasons_of(const HeldThreadTrace& held);
/// The upper bound, or the number of the reason: "(1)". Empty: nothing was held.
std::string upper_text(const HeldInstruction& one, const std::vector<std::string>& reasons);

/// Holds the wavefronts of a kernel (an index into `ThreadTraceCode::kernels`). Requires: the trace
/// matches the code (`match_thread_trace`).
HeldThreadTrace hold(const harness::trace::ThreadTrace& trace, std::size_t traced,
                     const assembly::Function& function, analyzer::InstructionBounds& bounds);

} // namespace warpbound::certification
