#pragma once
/// \file
/// Reads a recorded trace line by line, so that what was read can be put away.

#include "harness/trace/sass_trace.hpp"
#include "harness/trace/trace_text.hpp"

#include <memory>

namespace warpbound::harness::trace {

/// A warp whose last line was read, and the lines of the file that its issues stand in.
struct ReadWarp {
    TracedWarp* warp = nullptr;
    const std::vector<std::int64_t>* lines = nullptr;
};

/// Takes lines that are not blank. Copies go on from the same place. Refuses what
/// `read_sass_trace` refuses.
class SassTraceReader {
public:
    SassTraceReader();
    ~SassTraceReader();
    SassTraceReader(const SassTraceReader& other);
    SassTraceReader& operator=(const SassTraceReader&) = delete;

    Result<void> take(Line& line);
    /// What is missing when there are no more lines; nothing: the trace is whole.
    [[nodiscard]] std::optional<std::string> missing() const;
    /// What was read so far. Warps that were looked at, and blocks that ended, may be cleared.
    [[nodiscard]] SassTrace& trace();
    [[nodiscard]] bool in_block() const;
    /// The warp that became complete with the last line.
    [[nodiscard]] std::optional<ReadWarp> completed();

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace warpbound::harness::trace
