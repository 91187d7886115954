#pragma once
/// \file
/// Recorded instructions held against the listing that they are said to be of.

#include "assembly/isa/program.hpp"
#include "harness/trace/sass_trace.hpp"

namespace warpbound::harness::trace {

/// Refuses a trace of another kernel or of code for another architecture, where the tracer knew it.
Result<void> match_kernel(const assembly::Function& listing, const SassTrace& trace);

/// The instruction of the listing that was recorded, by its index. Refuses an address at which the
/// listing has none, and another opcode there.
Result<std::size_t> match_issue(const assembly::Function& listing, const TracedIssue& issue);

} // namespace warpbound::harness::trace
