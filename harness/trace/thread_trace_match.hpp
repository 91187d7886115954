#pragma once
/// \file
/// Times of the instructions in a thread trace, and the check of flow facts against its wavefronts.

#include "harness/device.hpp"
#include "harness/trace/fact_check.hpp"
#include "harness/trace/thread_trace.hpp"
#include "harness/trace/trace_mix.hpp"

#include <string>
#include <vector>

namespace warpbound::harness::trace {

/// All executions of one instruction of a kernel in a thread trace.
struct InstructionTimes {
    std::int64_t address = 0; ///< From the first instruction of the kernel.
    std::string text;         ///< As `code.json` has it.
    std::string source;       ///< Empty: not known.
    CountSummary duration;    ///< `Unit:` cycles.
    CountSummary stall;       ///< `Unit:` cycles.
};

/// The executed instructions of a kernel (an index into `ThreadTraceCode::kernels`) by address.
std::vector<InstructionTimes> instruction_times(const ThreadTrace& trace, std::size_t kernel);

/// The number of the kernel in the trace with this name. Refuses a trace without it, with the names
/// that it has.
Result<std::size_t> find_traced_kernel(const ThreadTrace& trace, const std::string& name);

/// Refuses the trace of another build: instructions of `code.json` whose opcode is another one in
/// the code, or executed ones for which the code has none.
Result<void> match_thread_trace(const ThreadTrace& trace, std::size_t traced,
                                const assembly::Function& function);

/// Checks loop, `never` and `exclusive` facts against each wavefront of the kernel. They count
/// executions by the wavefront. Where the recorded instructions do not follow each other in the
/// code, instructions are missing: the loop traversals and blocks around such a gap are left open.
/// Needs a trace that matches (`match_thread_trace`).
std::vector<FactCheck> check_facts(const ThreadTrace& trace, std::size_t traced,
                                   const Kernel& kernel);

} // namespace warpbound::harness::trace
