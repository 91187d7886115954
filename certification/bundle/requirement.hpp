#pragma once
/// \file
/// Requirements on the time of a kernel, and whether the claims meet them.

#include "assembly/support/source_text.hpp"
#include "models/time/deadline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// Every run of the kernel takes at most `at_most`.
struct Requirement {
    std::string id; ///< "R1"
    std::string text;
    std::string kernel;                ///< Name.
    std::optional<std::string> launch; ///< "2x128"; none: every launch of the kernel.
    std::string quantity;              ///< "execution-time" or "measured-time"
    models::Deadline at_most;          ///< In core cycles or in seconds.
};

/// Reads `<requirements> <requirement id kernel [launch] [quantity] at-most [text]/>
/// </requirements>`: at-most is a number of core cycles, or as `models::parse_deadline` reads it.
/// Refuses unknown elements and attributes, a number below 1, two requirements
/// with one id.
Result<std::vector<Requirement>> read_requirements(const assembly::SourceText& source);

/// Result of checking a requirement.
enum class RequirementVerdict {
    Met,      ///< the upper bound is at most the budget
    Violated, ///< a lower bound or an observation is above the budget
    Undecided ///< neither, or no claim on the quantity
};
std::string to_string(RequirementVerdict verdict);

/// "8000 core cycles", "10 ms"
std::string budget_text(const models::Deadline& budget);

/// Bounds and the worst observed time of the required quantity. `Unit:` core cycles.
struct KnownTimes {
    std::optional<std::int64_t> lower; ///< Proved.
    std::optional<std::int64_t> upper; ///< Proved.
    std::optional<std::int64_t> worst; ///< Observed.
};
/// Requires: a clock for a budget in seconds.
RequirementVerdict verdict_on(const Requirement& requirement, const KnownTimes& known,
                              const std::optional<models::ClockRange>& clock = std::nullopt);

} // namespace warpbound::certification
