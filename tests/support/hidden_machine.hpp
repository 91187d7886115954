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

/// A random machine with encoded issue control: values, scopes of units and policy are drawn, and
/// which of caches, read ports, instruction caches, late counters, a memory queue and passes of
/// several lines it has.
HiddenMachine hidden_encoded_machine(std::uint64_t seed);

} // namespace warpbound::tests
