#pragma once
/// \file
/// Requirements on the time of a kernel, and whether the claims meet them.

#include "assembly/support/source_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// Every run of the kernel takes at most `at_most`. `Unit:` core cycles.
struct Requirement {
    std::string id; ///< "R1"
    std::string text;
    std::string kernel;                ///< Name.
    std::optional<std::string> launch; ///< "2x128"; none: every launch of the kernel.
    std::string quantity;              ///< "execution-time" or "measured-time"
    std::int64_t at_most = 0;
};

/// Reads `<requirements> <requirement id kernel [launch] [quantity] at-most [text]/>
/// </requirements>`. Refuses unknown elements and attributes, a number below 1, two requirements
/// with one id.
Result<std::vector<Requirement>> read_requirements(const assembly::SourceText& source);

/// Result of checking a requirement.
enum class RequirementVerdict {
    Met,      ///< the upper bound is at most the budget
    Violated, ///< a lower bound or an observation is above the budget
    Undecided ///< neither, or no claim on the quantity
};
std::string to_string(RequirementVerdict verdict);

/// Bounds and the worst observed time of the required quantity.
struct KnownTimes {
    std::optional<std::int64_t> lower; ///< Proved.
    std::optional<std::int64_t> upper; ///< Proved.
    std::optional<std::int64_t> worst; ///< Observed.
};
RequirementVerdict verdict_on(const Requirement& requirement, const KnownTimes& known);

} // namespace warpbound::certification
