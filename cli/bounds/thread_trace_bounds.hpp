#pragma once
/// \file
/// Thread traces of AMD's `rocprofv3 --att` held against bounds on single instructions.

#include "analyzer/request.hpp"
#include "certification/thread_trace/held_thread_trace.hpp"
#include "cli/program/command.hpp"

#include <string>

namespace warpbound::cli {

/// The wavefronts of the kernel held against the bounds of a launch's single instructions. Refuses
/// a trace of another kernel or build.
Result<certification::HeldThreadTrace> held_thread_trace(const std::string& folder,
                                                         const LoadedKernel& kernel,
                                                         const analyzer::Request& request);

/// A row for each instruction, with its bounds.
std::string text_of(const certification::HeldThreadTrace& held);
/// The same as JSON text of an object: docs/reference/json.md.
std::string json_of(const certification::HeldThreadTrace& held);

} // namespace warpbound::cli
