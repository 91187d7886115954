#pragma once
/// \file
/// Loops of several warps whose accesses go through caches, for policies whose bounds depend on the
/// order of choices: strict round robin, time division, two-level.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>

namespace warpbound::tests {

/// One of: random, strided or bottleneck accesses, loops with two paths, or a loop on a machine
/// with few queue entries and fast or slow servers; with and without barriers. At least two warps.
harness::simulator::test::RandomAccesses mixed_accesses(std::uint64_t seed);

/// One block on one scheduler with L1 hits. Under `variable-rate:fast=0,every=2` the data of the
/// first line arrive whole periods after the time slot of the load, those of the last line just
/// after a time slot of the warp.
harness::simulator::test::RandomAccesses slot_aligned_accesses(std::uint64_t seed);

} // namespace warpbound::tests
