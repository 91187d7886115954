#pragma once
/// \file
/// The line of an instruction in a recorded trace.

#include "harness/trace/sass_trace.hpp"
#include "harness/trace/trace_text.hpp"

#include <cstdint>

namespace warpbound::harness::trace {

/// What the header of a trace says of the lines of instructions.
struct IssueForm {
    std::int64_t tracer_version = 0;
    bool has_source_line = false;
    bool has_immediate = false;
};

/// From the source line, or the address where there is none, to the end of the line. Refuses what
/// `read_sass_trace` refuses of an instruction.
Result<TracedIssue> read_issue(Line& line, const IssueForm& form);

} // namespace warpbound::harness::trace
