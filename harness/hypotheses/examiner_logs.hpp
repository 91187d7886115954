#pragma once
/// \file
/// Logs of cuda_scheduling_examiner as observed workloads. `Source:` the "Output File Format" of
/// its README (Otterness et al., RTAS 2017; Amert et al., RTSS 2017).

#include "assembly/support/source_text.hpp"
#include "harness/hypotheses/observed_workload.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::hypotheses {

/// What the logs do not say.
struct ExaminerOptions {
    std::int64_t resolution = 100'000; ///< Error of times of the host against times of blocks.
    std::int64_t latency = 1'000'000;  ///< See `ObservedWorkload`. Both `Unit:` ns.
    std::optional<std::int64_t> multiprocessors{};
    std::map<std::string, int> priorities{}; ///< Of the streams, by label of the log.
};

/// One workload per scenario; each log is one stream. A kernel is every entry of `times` with
/// `block_times`. Refuses what is no such log, logs of several processes in a scenario (the rules
/// are about one address space), kernels without the times of their calls, and numbers of blocks
/// that disagree, each with its path in the document.
Result<std::vector<ObservedWorkload>>
read_examiner_logs(const std::vector<assembly::SourceText>& logs, const ExaminerOptions& options);

} // namespace warpbound::harness::hypotheses
