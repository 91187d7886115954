#pragma once
/// \file
/// What the program does with one kernel of the set, found through its commands alone.

#include "tests/coverage/kernel_table.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpbound::coverage {

/// How many of something there are, and how many were derived from the code.
struct Derived {
    std::int64_t all = 0;
    std::int64_t derived = 0;
};

struct Score {
    bool read = false;
    bool bounded = false;
    bool certified = false;
    bool verified = false;  ///< Within ten seconds.
    std::int64_t facts = 0; ///< What the user must state beside launch and arguments.
    Derived loops;
    Derived transactions;              ///< Of global accesses.
    Derived conflicts;                 ///< Bank-conflict degrees of shared accesses.
    std::optional<std::int64_t> upper; ///< Unit: core cycles.
    std::optional<std::int64_t> lower;
    std::optional<std::int64_t> longest; ///< Of the simulated runs.
    std::optional<std::int64_t> shortest;
    bool outside = false; ///< A simulated run lies outside the bounds.
    std::string cause;    ///< Why it is not read, bounded, certified or verified.
};

struct Limits {
    unsigned seconds = 20; ///< Processor time of a command.
    unsigned runs = 3;     ///< Simulated runs of a kernel.
};

/// Sound when: nothing else writes into `scratch`, an empty folder.
Score score_of(const KernelCase& kernel, const std::string& program,
               const std::filesystem::path& sources, const std::filesystem::path& scratch,
               const Limits& limits);

} // namespace warpbound::coverage
