#pragma once
/// \file
/// `inspect` on a thread trace of AMD's `rocprofv3 --att`: times of instructions, and the check of
/// flow facts.

#include "cli/command.hpp"
#include "harness/trace/fact_check.hpp"

#include <cstdint>
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

/// Times of the wavefronts that a thread trace recorded of a kernel. No wavefront lasts longer than
/// its launch.
struct RecordedWavefronts {
    std::int64_t count = 0;
    std::int64_t longest = 0; ///< `Unit:` core cycles.
    std::string file;         ///< Of the longest.
};

/// Refuses a trace of another kernel or build.
Result<RecordedWavefronts> recorded_wavefronts(const std::string& folder,
                                               const LoadedKernel& kernel);

} // namespace warpbound::cli
