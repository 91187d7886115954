#pragma once
/// \file
/// Matches recorded instructions against the listing of their kernel.

#include "assembly/isa/program.hpp"
#include "harness/trace/sass_trace.hpp"

#include <optional>
#include <string_view>

namespace warpbound::harness::trace {

/// Refuses a trace of another kernel or of code for another architecture, if the tracer recorded
/// it. `file` names the listing in messages, here and below.
Result<void> match_kernel(const assembly::Function& listing, std::string_view file,
                          const SassTrace& trace);

/// The general register that a listed instruction writes first, as traces name it (255: RZ).
std::optional<int> destination_of(const assembly::Instruction& instruction);

/// The index of the recorded instruction in the listing. Refuses an address without an instruction,
/// and another opcode or destination there.
Result<std::size_t> match_issue(const assembly::Function& listing, std::string_view file,
                                const TracedIssue& issue);

} // namespace warpbound::harness::trace
