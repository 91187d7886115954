#pragma once
/// \file
/// Bytes that a launch moves at the memories that all SMs share (step S65 of docs/theory), from
/// listing, description and launch.

#include "certification/verify/evidence.hpp"
#include "models/pipeline/system.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// `Side:` upper. `Unit:` bytes. Throws `Finding` where S65 claims nothing of the kernel, or where
/// control flow or description do not hold.
models::PerMemory<std::int64_t> most_shared_bytes(const KernelCase& kernel);

} // namespace warpbound::certification::verify
