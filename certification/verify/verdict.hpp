#pragma once
/// \file
/// What a check of a bundle says: one verdict per step.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

enum class Verdict {
    Holds,
    NotApplicable, ///< the bundle has nothing that the step is about
    Claimed,       ///< the bundle says something that nothing here confirms or denies
    Undecided,     ///< a limit was reached
    LimitReached,  ///< incomplete, since the run was cut off at its limit of time or memory
    Incomplete,    ///< evidence is missing or malformed
    Violated,      ///< what was required is not so; the evidence shows it
    Failed,        ///< a claim does not follow from its evidence
    Tampered,      ///< the files are not those that were written
    NotRun,        ///< an earlier step forbids it
    Estimated      ///< what was required is so by times of which one was measured, not proved
};
std::string to_string(Verdict verdict);

struct StepResult {
    std::string step; ///< "digests", "schema", ...
    Verdict verdict = Verdict::Holds;
    std::string detail; ///< What was checked, or the first thing that is wrong.
};

/// Files of a bundle by path.
using Files = std::map<std::string, std::string>;

/// What ends a step: its verdict and why. Internal to this folder.
struct Finding : std::runtime_error {
    Finding(Verdict verdict_, const std::string& what)
        : std::runtime_error{what}, verdict{verdict_} {}
    Verdict verdict;
};

[[noreturn]] inline void refuted(const std::string& what) {
    throw Finding{Verdict::Failed, what};
}
[[noreturn]] inline void incomplete(const std::string& what) {
    throw Finding{Verdict::Incomplete, what};
}

} // namespace warpbound::certification::verify
