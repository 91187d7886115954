#pragma once
/// \file
/// Loops of several warps whose accesses go through caches, for policies under which the order of
/// choices counts.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>

namespace warpbound::tests {

/// Random, orderly or crowded accesses, loops with two ways, or a loop on a machine on which few
/// accesses fit and what serves them is fast or slow; with and without barriers. At least two
/// warps.
harness::simulator::test::RandomAccesses accesses_in_turn(std::uint64_t seed);

/// One block on one scheduler whose data are in the L1. Under `variable-rate:fast=0,every=2` those
/// of the first line come whole rounds of slots behind the load, those of the last one behind the
/// slot of their warp.
harness::simulator::test::RandomAccesses snug_accesses(std::uint64_t seed);

} // namespace warpbound::tests
