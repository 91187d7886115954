#pragma once
/// \file
/// Recorded experiments: observed workloads of a device in a file, to be judged without it.

#include "assembly/support/source_text.hpp"
#include "harness/hypotheses/judgement.hpp"

#include <string>
#include <vector>

namespace warpbound::harness::hypotheses {

struct Recording {
    std::string device{}; ///< "simulated:turing-t4", "cuda:0"
    std::string detail{}; ///< Name of the card, driver.
    std::vector<std::string> notes{};
    std::vector<ObservedWorkload> runs{};
    std::vector<NotRun> not_run{};
};

/// Times in a file: at most this much before or after its instant 0.
inline constexpr std::int64_t largest_time = std::int64_t{1} << 59U;
/// Operations of a run in a file.
inline constexpr std::size_t most_operations = 1024;

/// JSON that reads back to an equal recording.
std::string write_recording(const Recording& recording);
/// Refuses other forms, values out of range, more than `most_operations`, and what `complete`
/// refuses, with the path in the document.
Result<Recording> read_recording(const assembly::SourceText& source);

} // namespace warpbound::harness::hypotheses
