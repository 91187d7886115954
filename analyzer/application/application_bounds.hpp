#pragma once
/// \file
/// Bounds on the time of an application under the rules of its servers (S64).

#include "analyzer/bound.hpp"
#include "models/application/plan.hpp"
#include "models/bounds.hpp"
#include "models/time/deadline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

struct ApplicationBounds {
    /// From the start of the application to the end of its last operation.
    models::Bounds<models::Nanoseconds> time;
    /// What every time of the plan claims at least: `time` bounds the application only when it is
    /// `Bounds`, else it bounds the model at the ends of the given ranges.
    models::application::Basis basis = models::application::Basis::Bounds;
    /// Servers at which an operation may wait for another one.
    std::vector<std::size_t> contended;
};

/// Side: lower is the longest path of precedences, or the work of a server over its capacity.
/// Side: upper is the work of all operations, or that of the contended servers, each over its
/// capacity c, and the longest path on which an operation of a contended server counts 1 - 1/c.
/// Sound when: each server takes operations in any order, or several at the same time, each slower,
/// but never leaves a place free while one waits, and the times hold. Source: Graham 1969; the
/// extension to several servers is S64. Requires: every time of the plan is found. Refuses ranks
/// that wait for ever and sums above 2^63 ns.
Result<ApplicationBounds> bound_application(const models::application::Plan& plan);

/// Whether the limits of the time meet the deadline of the plan; none without one. Where a time was
/// measured the verdict is as hybrid as they are; where one is an estimate, nothing is decided.
std::optional<models::DeadlineVerdict> verdict_on(const models::application::Plan& plan,
                                                  const ApplicationBounds& bounds);

/// What the bounds and the simulated times rest on.
std::vector<Assumption> application_assumptions(const models::application::Plan& plan);

} // namespace warpbound::analyzer
