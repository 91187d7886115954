#pragma once
/// \file
/// Interference between warps that share multiprocessors, as terms of an upper bound
/// (docs/theory, S11 to S15, S20 and S74).

#include "analyzer/bound.hpp"
#include "analyzer/interference/interference.hpp"
#include "analyzer/launch/launch_geometry.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Whether the critical path may change to a warp of another scheduler, in a launch whose blocks
/// execute `barriers` barriers.
bool changes_scheduler(const LaunchGeometry& shape, std::int64_t barriers);

/// Several sums, of which each is a bound. Side: upper. Sound when: the policy is work-conserving,
/// or work-conserving within an active set. Throws `std::overflow_error` beyond 2^63.
BoundExpression upper_bound_of(const LaunchGeometry& shape, const Interference& cost);

/// Whether it is the sum that counts each warp by the indices of its threads (S85).
bool counts_by_warp(const BoundExpression& sum);

} // namespace warpbound::analyzer
