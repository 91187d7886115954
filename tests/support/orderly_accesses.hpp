#pragma once
/// \file
/// Loops whose accesses go through caches in ways that addresses and waiting say something of.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>

namespace warpbound::tests {

/// Loops that load (and store) array after array and wait for what they loaded, on machines whose
/// caches may hold it all.
harness::simulator::test::RandomAccesses orderly_accesses(std::uint64_t seed);

} // namespace warpbound::tests
