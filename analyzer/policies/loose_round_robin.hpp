#pragma once
/// \file
/// Loose round robin (`lrr`): a work-conserving policy in which every other warp takes at most one
/// turn before a warp that may issue (docs/theory, S27).

#include "analyzer/policies/policy.hpp"

namespace warpbound::analyzer {

const Policy& loose_round_robin();

} // namespace warpbound::analyzer
