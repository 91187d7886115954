#pragma once
/// \file
/// Flow facts held against recorded executions. A trace can refute a fact; that it does not is no
/// proof.

#include "harness/device.hpp"
#include "harness/trace/sass_trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::trace {

/// A fact about paths and what the lanes of a trace did.
struct FactCheck {
    std::string fact;       ///< "loop 0x0100 1..128"
    std::int64_t line = 0;  ///< Of the flow-facts file.
    std::int64_t cases = 0; ///< Lanes that it was held against; of a loop entries of the loop.
    /// Cases that the trace leaves open, because blocks count that may leave no trace.
    std::int64_t open = 0;
    /// The first case that it does not hold for; none when it holds as far as the trace says.
    std::optional<std::string> refuted_by;
};

/// Loops, `never`, `exclusive` and linear facts, each against every lane of every warp, in this
/// order. Facts about memory and divergence are not held against traces. A recorded mask names the
/// lanes for which an instruction executed, so a lane shows in a block by what no predicate
/// switches off: a block in which every instruction has a guard may be passed without a trace, and
/// what follows from counting such blocks is left open. Refuses a trace of another kernel, of code
/// for another architecture, and instructions that the listing does not have at their addresses.
Result<std::vector<FactCheck>> check_facts(const SassTrace& trace, const Kernel& kernel);

} // namespace warpbound::harness::trace
