#pragma once
/// \file
/// Thread traces of AMD's `rocprofv3 --att`: times of instructions, and the check of flow facts.

#include "cli/output/json.hpp"
#include "cli/program/command.hpp"
#include "harness/trace/fact_check.hpp"
#include "harness/trace/thread_trace.hpp"
#include "harness/trace/trace_mix.hpp"

#include <cstddef>
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

/// A trace, and which of its kernels the code is.
struct MatchedTrace {
    harness::trace::ThreadTrace trace;
    std::size_t kernel = 0;
};

/// The trace in `folder` as one of `kernel`. Refuses a trace of another kernel or build.
Result<MatchedTrace> matched_trace(const std::string& folder, const LoadedKernel& kernel);

/// Least, mean and most.
Json summary_json(const harness::trace::CountSummary& counts);

} // namespace warpbound::cli
