#pragma once
/// \file
/// Loops with strided accesses through caches, for which footprint and queueing analyses apply.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>

namespace warpbound::tests {

/// Loops that load (and store) one array after the other and use the loaded values, on machines
/// whose caches may hold all of the data.
harness::simulator::test::RandomAccesses strided_accesses(std::uint64_t seed);

} // namespace warpbound::tests
