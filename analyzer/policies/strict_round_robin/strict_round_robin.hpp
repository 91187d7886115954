#pragma once
/// \file
/// Strict round robin (`srr`), which is not work-conserving: a warp that may not issue yet blocks
/// all others of its scheduler (docs/theory, S25 and S25a).

#include "analyzer/policies/policy.hpp"

namespace warpbound::analyzer {

/// Refuses what `barriers_without_early_ends` refuses, and contradictory facts. Alternatives from
/// above: rotations, or warps one after another, which have certificates (docs/theory, S25, S28
/// and S77), and for warps with a single path the simulated schedule. From below: the simulated
/// schedule.
const Policy& strict_round_robin();

} // namespace warpbound::analyzer
