#pragma once
/// \file
/// Thread traces of AMD's `rocprofv3 --att`: times of instructions, the check of flow facts, and
/// bounds on single instructions.

#include "analyzer/request.hpp"
#include "certification/thread_trace/held_thread_trace.hpp"
#include "cli/command.hpp"
#include "harness/trace/fact_check.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

/// Wavefronts and times of all kernels in the folder, as text or JSON.
Result<std::string> inspect_thread_trace(const std::string& folder, const std::string& format);

/// A thread trace held against the code of its kernel.
struct CheckedThreadTrace {
    std::string text;                             ///< In the wanted format.
    std::vector<harness::trace::FactCheck> facts; ///< None without stated facts.

    [[nodiscard]] bool is_refuted() const;
};

/// Times of the kernel's instructions, and whether its flow facts hold in each wavefront. Refuses a
/// trace of another kernel or build.
Result<CheckedThreadTrace> check_thread_trace(const std::string& folder, const LoadedKernel& kernel,
                                              const std::string& format);

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
