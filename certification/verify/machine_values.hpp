#pragma once
/// \file
/// Values of the machine description that a check cannot do without.

#include "certification/verify/evidence.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// No number of a description that has to be exact is larger.
inline constexpr std::int64_t largest_exact_number = std::int64_t{1} << 40U;

/// Throws `Finding` when the value is unknown.
models::Interval known_value(const KernelCase& kernel, const models::ValueGroup& group,
                             const char* path, const char* name);

/// A value that has to be one number. Throws `Finding` when it is unknown, an interval, or outside
/// `least` .. 2^40.
std::int64_t exact_number(const KernelCase& kernel, const models::ValueGroup& group,
                          const char* path, const char* name, std::int64_t least = 1);

} // namespace warpbound::certification::verify
