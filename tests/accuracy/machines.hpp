#pragma once
/// \file
/// The machines that models and simulated device are compared on.

#include "models/architecture/architecture.hpp"

#include <string>

namespace warpbound::tests {

/// The description with every value at its typical number (the middle where there is none), one
/// multiprocessor, and without limits that the timing contract does not have: DRAM bandwidth is the
/// largest that a description may state. Block start and replacement, which no description has, are
/// 0.
models::Architecture exact_machine(const std::string& name);

/// The same with caches, interconnect and DRAM for the kernels with address patterns: what one
/// multiprocessor of the machine has to itself. No description knows most of these numbers; they
/// stand in `machines.cpp` with where they come from.
models::Architecture cached_machine(const std::string& name);

} // namespace warpbound::tests
