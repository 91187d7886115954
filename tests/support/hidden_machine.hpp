#pragma once
/// \file
/// Machines whose numbers only the simulated device knows.

#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

struct HiddenMachine {
    models::Architecture machine;
    std::string policy;
};

/// A random machine that makes instructions wait for their operands. The same seed gives the same.
HiddenMachine hidden_machine(std::uint64_t seed);

} // namespace warpbound::tests
