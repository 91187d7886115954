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
    /// The first case that it does not hold for; none when it holds.
    std::optional<std::string> refuted_by;
};

/// Loops, `never`, `exclusive` and linear facts, each against every lane of every warp, in this
/// order. Facts about memory and divergence are not held against traces. A lane passes a block when
/// it executes one of its instructions; what a predicate switches off everywhere in a block leaves
/// no trace there. Refuses a trace of another kernel and addresses that are no instruction of it.
Result<std::vector<FactCheck>> check_facts(const SassTrace& trace, const Kernel& kernel);

} // namespace warpbound::harness::trace
