#pragma once
/// \file
/// Incremental reader of recorded traces: line by line, so that completed parts can be freed.

#include "harness/trace/sass_trace.hpp"
#include "harness/trace/trace_text.hpp"

#include <memory>

namespace warpbound::harness::trace {

/// A completely read warp, and the line numbers of its issues in the file.
struct ReadWarp {
    TracedWarp* warp = nullptr;
    const std::vector<std::int64_t>* lines = nullptr;
};

/// Consumes lines that are not blank. A copy continues at the same position. Refuses what
/// `read_sass_trace` refuses.
class SassTraceReader {
public:
    SassTraceReader();
    ~SassTraceReader();
    SassTraceReader(const SassTraceReader& other);
    SassTraceReader& operator=(const SassTraceReader&) = delete;

    Result<void> take(Line& line);
    /// What is missing at the end of the file; empty: the trace is complete.
    [[nodiscard]] std::optional<std::string> missing() const;
    /// The trace read so far. The caller may clear completed warps and blocks.
    [[nodiscard]] SassTrace& trace();
    [[nodiscard]] bool in_block() const;
    /// The number of the last block has been read.
    [[nodiscard]] bool has_block_number() const;
    /// The warp that became complete with the last line.
    [[nodiscard]] std::optional<ReadWarp> completed();

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace warpbound::harness::trace
