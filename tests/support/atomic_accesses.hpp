#pragma once
/// \file
/// Random accesses some of which are global atomics and reductions, on random slices of the L2.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>

namespace warpbound::tests {

/// Makes atomics of some accesses of the program: with a result or without, with their addresses or
/// with stated, or unstated, transactions. The machine gets their values.
harness::simulator::test::RandomAccesses with_atomics(harness::simulator::test::RandomAccesses made,
                                                      std::uint64_t seed);

} // namespace warpbound::tests
