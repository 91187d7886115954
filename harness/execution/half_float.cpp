#include "harness/execution/half_float.hpp"

#include <bit>
#include <cmath>

namespace warpbound::harness::execution {

std::uint32_t half_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16U) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return 0x7fffU;
    constexpr std::uint32_t overflows = 0x477ff000U; // 65520, which rounds to infinity.
    if (magnitude >= overflows) return sign | 0x7c00U;
    constexpr std::uint32_t smallest_normal = 0x38800000U; // 2^-14
    if (magnitude < smallest_normal) { // In units of 2^-24; nearbyint rounds ties to even.
        const float scaled = std::bit_cast<float>(magnitude) * 16777216.0F;
        return sign | static_cast<std::uint32_t>(std::nearbyint(scaled));
    }
    const std::uint32_t rebased = magnitude - 0x38000000U;
    const std::uint32_t odd = (rebased >> 13U) & 1U;
    return sign | ((rebased + 0xfffU + odd) >> 13U);
}

float float_of_half(std::uint32_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16U;
    const std::uint32_t exponent = (half >> 10U) & 0x1fU;
    const std::uint32_t fraction = half & 0x3ffU;
    if (exponent == 0x1fU) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13U));
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) / 16777216.0F;
        return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
}

std::uint32_t bfloat_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fffU;
    return (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
}

float float_of_bfloat(std::uint32_t bfloat) {
    return std::bit_cast<float>(bfloat << 16U);
}

} // namespace warpbound::harness::execution
