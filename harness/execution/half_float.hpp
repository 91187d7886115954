#pragma once
/// \file
/// 16-bit floating point: IEEE half precision and bfloat16.

#include <cstdint>

namespace warpbound::harness::execution {

/// Rounded to the nearest, ties to even.
std::uint32_t half_of(float value);
float float_of_half(std::uint32_t half);
std::uint32_t bfloat_of(float value);
float float_of_bfloat(std::uint32_t bfloat);

} // namespace warpbound::harness::execution
