#pragma once
/// \file
/// Checks flow facts against recorded executions. A trace can refute a fact; a trace that does not
/// refute it is no proof.

#include "harness/device.hpp"
#include "harness/trace/sass_trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::trace {

/// The result of checking a path fact against the lanes of a trace.
struct FactCheck {
    std::string fact;       ///< "loop 0x0100 1..128"
    std::int64_t line = 0;  ///< Of the flow-facts file.
    std::int64_t cases = 0; ///< Lanes that were checked; for a loop: its entries.
    /// Cases that the trace leaves open, because the fact counts blocks that may leave no trace.
    std::int64_t open = 0;
    /// The first case that refutes the fact; empty if the trace does not refute it.
    std::optional<std::string> refuted_by;
};

/// An entry for each loop, `never` and `exclusive` fact, in this order, that nothing was held
/// against yet.
std::vector<FactCheck> unchecked_path_facts(const models::FlowFacts& facts);

/// Checks loop, `never`, `exclusive` and linear facts, in this order, against every lane of every
/// warp. Facts about memory and divergence are not checked. A recorded mask contains the lanes for
/// which an instruction executed, so only unguarded instructions reliably show that a lane executed
/// a block. A block in which every instruction is guarded may leave no trace (a silent block);
/// conclusions that need its count are left open. Refuses a trace of another kernel or of code for
/// another architecture, and instructions that the listing does not have at their addresses.
Result<std::vector<FactCheck>> check_facts(const SassTrace& trace, const Kernel& kernel);

} // namespace warpbound::harness::trace
