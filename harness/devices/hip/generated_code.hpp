#pragma once
/// \file
/// Kernels of the HIP device's own, as assembly.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <string>

namespace warpbound::harness::hip {

/// Reads clock and timer, waits until the timer has advanced by the second parameter, a number of
/// 64 bits, reads both again and stores first clock, last clock, first and last time at the
/// address that the first parameter holds. Stores nothing if the timer does not advance. Refuses
/// as `amd_dialect` does.
Result<std::string> clock_rate_code(assembly::Target target, const std::string& entry);

/// A kernel without parameters that does nothing.
Result<std::string> empty_code(assembly::Target target, const std::string& entry);

} // namespace warpbound::harness::hip
