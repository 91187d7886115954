/// \file
/// Single precision: FADD, FMUL, FFMA, special functions.

#include "harness/execution/comparison.hpp"
#include "harness/execution/rounding.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace warpbound::harness::execution {

namespace {

/// A result as the modifiers ask for it: NaN is one value, subnormal results flushed, saturated.
std::uint32_t finished_float(float value, bool flushes, bool saturates) {
    constexpr std::uint32_t quiet_nan_bits = 0x7fffffffU;
    if (std::isnan(value)) return saturates ? 0 : quiet_nan_bits;
    if (saturates) value = value > 0 ? std::min(value, 1.0F) : 0.0F;
    return std::bit_cast<std::uint32_t>(flushed(std::bit_cast<std::uint32_t>(value), flushes));
}

template <std::size_t Count, typename Function>
void each_float(Step& step, std::size_t first, Function function) {
    const bool flushes = step.has(Modifier::FTZ);
    const bool saturates = step.has(Modifier::SAT);
    const int direction = rounding_of(*step.operation);
    const Words& a = step.real(first);
    const Words& b = step.real(first + (Count > 1 ? 1 : 0));
    const Words& c = step.real(first + (Count > 2 ? 2 : 0));
    Words out;
    const auto compute = [&](auto round) {
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = finished_float(round(flushed(a[lane], flushes), flushed(b[lane], flushes),
                                             flushed(c[lane], flushes)),
                                       flushes, saturates);
    };
    if (direction == FE_TONEAREST) {
        compute(function);
    } else {
        const RoundingScope scope{direction};
        compute([&](float x, float y, float z) {
            const volatile float first_value = x;
            const volatile float second_value = y;
            const volatile float third_value = z;
            const volatile float result = function(first_value, second_value, third_value);
            return float{result};
        });
    }
    step.write(out);
}

void add_floats(Step& step) {
    each_float<2>(step, 0, [](float a, float b, float) { return a + b; });
}

void multiply_floats(Step& step) {
    each_float<2>(step, 0, [](float a, float b, float) { return a * b; });
}

void multiply_add_floats(Step& step) {
    each_float<3>(step, 0, [](float a, float b, float c) { return std::fma(a, b, c); });
}

float special_function(const Operation& operation, float x) {
    using enum Modifier;
    if (operation.has(RCP)) return 1.0F / x;
    if (operation.has(RSQ)) return static_cast<float>(1.0 / std::sqrt(double{x}));
    if (operation.has(SQRT)) return std::sqrt(x);
    if (operation.has(EX2)) return static_cast<float>(std::exp2(double{x}));
    if (operation.has(LG2)) return static_cast<float>(std::log2(double{x}));
    if (operation.has(TANH)) return static_cast<float>(std::tanh(double{x}));
    // The argument is in units of full turns, as RRO or a multiplication before it gives it.
    constexpr double turn = 6.283185307179586476925286766559;
    const double angle = double{x} * turn;
    return static_cast<float>(operation.has(SIN) ? std::sin(angle) : std::cos(angle));
}

/// The upper word of the reciprocal (or of the inverse root) of a double given by its upper word.
std::uint32_t special_of_double(const Operation& operation, std::uint32_t high) {
    const auto x = std::bit_cast<double>(std::uint64_t{high} << 32U);
    const double value = operation.has(Modifier::RCP64H) ? 1.0 / x : 1.0 / std::sqrt(x);
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32U);
}

void special(Step& step) {
    const Operation& operation = *step.operation;
    const Words& a = step.real(0);
    Words out;
    const bool is_double = operation.has(Modifier::RCP64H) || operation.has(Modifier::RSQ64H);
    // Without .FTZ too, the function units read subnormal arguments as zeros.
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = is_double ? special_of_double(operation, a[lane])
                              : finished_float(special_function(operation, flushed(a[lane], true)),
                                               true, false);
    step.write(out);
}

/// Whether a division needs the slow path: a quotient, or an intermediate result of the fast path,
/// may leave the normal numbers.
void check_division(Step& step) {
    const Words& a = step.real(0);
    const Words& b = step.real(1);
    const auto exponent = [](std::uint32_t bits) {
        return static_cast<std::int32_t>((bits >> 23U) & 0xffU);
    };
    const Lanes holds = lanes_where([&](std::size_t lane) {
        const std::int32_t dividend = exponent(a[lane]);
        const std::int32_t divisor = exponent(b[lane]);
        return dividend <= 24 || dividend == 255 || divisor <= 1 || divisor >= 253 ||
               dividend - divisor >= 126 || dividend - divisor <= -125;
    });
    write_comparison(step, holds, nullptr);
}

} // namespace

std::span<const SemanticsRow> float_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"FADD", add_floats, "FTZ SAT RN RZ RM RP", NumberType::Float},
        {"FMUL", multiply_floats, "FTZ SAT RN RZ RM RP", NumberType::Float},
        {"FFMA", multiply_add_floats, "FTZ SAT RN RZ RM RP", NumberType::Float},
        {"MUFU", special, "RCP RSQ SQRT SIN COS EX2 LG2 TANH RCP64H RSQ64H", NumberType::Float},
        {"FCHK", check_division, "", NumberType::Float, false},
    });
    return rows;
}

} // namespace warpbound::harness::execution
