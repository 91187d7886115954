#pragma once
/// \file
/// Random accesses on machines with random small caches.

#include "models/architecture/architecture.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <cstdint>

namespace warpbound::harness::simulator::test {

/// A loop of loads and stores with random patterns.
struct RandomAccesses {
    TestProgram program;
    models::Architecture machine;
    models::Launch launch;
};

RandomAccesses random_accesses(std::uint64_t seed);
/// The same with a register file and operand collectors of random size before every unit.
RandomAccesses random_collected_accesses(std::uint64_t seed);
/// The same behind memory queues of random size, with all accesses to the memory path.
RandomAccesses random_queued_accesses(std::uint64_t seed);

} // namespace warpbound::harness::simulator::test
