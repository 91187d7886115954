#pragma once
/// \file
/// A measured number held against the interval of a described value.

#include "tests/silicon/mapping.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::silicon {

enum class Outcome {
    Holds,
    Below,        ///< The measured number is below the interval.
    Above,        ///< The measured number is above it.
    Unknown,      ///< The description has no number there.
    NotDescribed, ///< The description does not have the value.
};

struct Comparison {
    const Row* row = nullptr;
    const Machine* machine = nullptr;
    Scope shared = Scope::Core; ///< What device and machine share.
    std::string path;           ///< Of the value; for a latency by footprint that of its level.
    double measured = 0;        ///< In the unit of the value.
    double lo = 0;              ///< Interval expected for the number, without tolerance.
    double hi = 0;
    std::optional<double> typical;
    Outcome outcome = Outcome::Holds;
    const Tolerance* tolerance = nullptr;
    const Exception* exception = nullptr; ///< The reason why it may lie outside.

    [[nodiscard]] bool is_outside() const {
        return outcome == Outcome::Below || outcome == Outcome::Above;
    }
    /// How far outside, as a ratio of at least 1.
    [[nodiscard]] double ratio() const;
};

/// The number of a row against one of the machines of its match.
///
/// The form of the rule says how: tests/data/silicon/README.md lists the forms.
/// `Sound when:` passes of an access come from `models::passes_of`, so that this page follows C22.
Comparison compare(const Mapping& mapping, const Row& row, const Match& match,
                   const Machine& machine);

} // namespace warpbound::silicon
