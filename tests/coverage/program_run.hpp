#pragma once
/// \file
/// One run of the program, with a limit of its processor time.

#include <string>
#include <vector>

namespace warpbound::coverage {

struct ProgramRun {
    int code = -1;      ///< Exit code; -1: it ended by a signal, as at the limit.
    double seconds = 0; ///< Processor time, which other load of the machine does not change.
    std::string output; ///< Standard output.
    std::string errors; ///< Standard error.
};

/// Runs the program with these arguments; its own limit of processor time is `limit` seconds.
ProgramRun run_program(const std::string& program, const std::vector<std::string>& arguments,
                       unsigned limit);

} // namespace warpbound::coverage
