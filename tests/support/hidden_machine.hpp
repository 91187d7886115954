#pragma once
/// \file
/// Random machines whose values only the simulated device knows.

#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

struct HiddenMachine {
    models::Architecture machine;
    std::string policy;
};

/// A random machine with hardware interlocks. The same seed gives the same machine.
HiddenMachine hidden_machine(std::uint64_t seed);

} // namespace warpbound::tests
