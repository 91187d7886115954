/// \file
/// Conversions between integers and floating point.

#include "harness/execution/comparison.hpp"
#include "harness/execution/half_float.hpp"
#include "harness/execution/rounding.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpbound::harness::execution {

namespace {

/// An integer type among the modifiers; S32 without one.
struct IntegerType {
    unsigned bits = 32;
    bool is_signed = true;
};

IntegerType integer_type_of(const Operation& operation) {
    using enum Modifier;
    struct Named {
        Modifier modifier;
        IntegerType type;
    };
    for (const Named& named : {Named{U8, {8, false}}, Named{S8, {8, true}}, Named{U16, {16, false}},
                               Named{S16, {16, true}}, Named{U32, {32, false}},
                               Named{U64, {64, false}}, Named{S64, {64, true}}})
        if (operation.has(named.modifier)) return named.type;
    return {};
}

/// The floating-point types in the order written: result, then argument; F32 without one.
std::pair<std::string_view, std::string_view> real_types_of(const Operation& operation) {
    std::array<std::string_view, 2> found{"F32", "F32"};
    std::size_t count = 0;
    for (const std::string& modifier : operation.instruction->modifiers)
        if (count < 2 &&
            (modifier == "F16" || modifier == "F32" || modifier == "F64" || modifier == "BF16"))
            found[count++] = modifier;
    return {found[0], found[1]};
}

double rounded_to_integer(const Operation& operation, double value) {
    if (operation.has(Modifier::TRUNC)) return std::trunc(value);
    if (operation.has(Modifier::FLOOR)) return std::floor(value);
    if (operation.has(Modifier::CEIL)) return std::ceil(value);
    return std::nearbyint(value);
}

void integer_to_real(Step& step) {
    const IntegerType type = integer_type_of(*step.operation);
    const bool is_double = step.has(Modifier::F64);
    const bool is_half = step.has(Modifier::F16);
    Wides in;
    if (type.bits == 64) {
        in = step.wide(0);
    } else {
        const Words& words = step.word(0);
        const unsigned unused = 64 - type.bits;
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            const std::uint64_t moved = std::uint64_t{words[lane]} << unused;
            in[lane] = type.is_signed
                           ? static_cast<std::uint64_t>(static_cast<std::int64_t>(moved) >> unused)
                           : moved >> unused;
        }
    }
    Wides out{};
    const RoundingScope scope{rounding_of(*step.operation)};
    for_each_lane(step.lanes, [&](std::size_t lane) {
        const volatile std::uint64_t bits = in[lane];
        if (is_double) {
            const volatile double value = type.is_signed
                                              ? static_cast<double>(static_cast<std::int64_t>(bits))
                                              : static_cast<double>(bits);
            out[lane] = std::bit_cast<std::uint64_t>(double{value});
            return;
        }
        const volatile float value = type.is_signed
                                         ? static_cast<float>(static_cast<std::int64_t>(bits))
                                         : static_cast<float>(bits);
        out[lane] = is_half ? half_of(value) : std::bit_cast<std::uint32_t>(float{value});
    });
    if (is_double) return step.write_wide(out);
    Words words;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        words[lane] = static_cast<std::uint32_t>(out[lane]);
    step.write(words);
}

/// The nearest value of the type; NaN becomes 0, or the lowest number in 64 bits.
std::uint64_t saturated(double value, const IntegerType& type) {
    const unsigned shift = 64 - type.bits;
    const std::uint64_t most =
        type.is_signed ? (~std::uint64_t{0} >> shift) >> 1U : ~std::uint64_t{0} >> shift;
    const double above = std::ldexp(1.0, static_cast<int>(type.bits) - (type.is_signed ? 1 : 0));
    if (std::isnan(value)) return type.bits == 64 ? std::uint64_t{1} << 63U : 0;
    if (value >= above) return most;
    if (!type.is_signed) return value <= 0 ? 0 : static_cast<std::uint64_t>(value);
    if (value < -above) return ~most;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// The argument of a conversion from floating point.
PerLane<double> real_argument(Step& step, std::string_view type) {
    PerLane<double> values{};
    if (type == "F64") {
        const Wides& in = step.wide_real(0);
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            values[lane] = std::bit_cast<double>(in[lane]);
        return values;
    }
    const bool takes_high = !step.source(0).low_half;
    const Words& in = type == "F32" ? step.real(0) : step.plain(0);
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const std::uint32_t half = takes_high ? in[lane] >> 16U : in[lane] & 0xffffU;
        const float value = type == "F32"   ? flushed(in[lane], step.has(Modifier::FTZ))
                            : type == "F16" ? float_of_half(half)
                                            : float_of_bfloat(half);
        const bool negates = type != "F32" && step.source(0).negated;
        values[lane] = double{negates ? -value : value};
    }
    return values;
}

void real_to_integer(Step& step) {
    const IntegerType type = integer_type_of(*step.operation);
    const auto values = real_argument(step, real_types_of(*step.operation).first);
    Wides out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = saturated(rounded_to_integer(*step.operation, values[lane]), type);
    if (type.bits == 64) return step.write_wide(out);
    Words words;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        words[lane] = static_cast<std::uint32_t>(out[lane]);
    step.write(words);
}

void write_reals(Step& step, const PerLane<double>& values, std::string_view type) {
    if (type == "F64") {
        Wides out;
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = std::bit_cast<std::uint64_t>(values[lane]);
        return step.write_wide(out);
    }
    Words out{};
    const RoundingScope scope{rounding_of(*step.operation)};
    for_each_lane(step.lanes, [&](std::size_t lane) {
        const volatile double exact = values[lane];
        const volatile float rounded = static_cast<float>(exact);
        const float value = rounded;
        out[lane] = type == "F16" ? half_of(value)
                    : type == "BF16"
                        ? bfloat_of(value)
                        : std::bit_cast<std::uint32_t>(flushed(std::bit_cast<std::uint32_t>(value),
                                                               step.has(Modifier::FTZ)));
    });
    step.write(out);
}

void real_to_real(Step& step) {
    const auto [to, from] = real_types_of(*step.operation);
    write_reals(step, real_argument(step, from), to);
}

void round_real(Step& step) {
    const auto type = real_types_of(*step.operation).first;
    auto values = real_argument(step, type);
    for (double& value : values)
        value = rounded_to_integer(*step.operation, value);
    write_reals(step, values, type);
}

/// Two floats as a pair of 16-bit numbers, the first one in the upper half.
void pack_reals(Step& step) {
    const Words& high = step.real(0);
    const Words& low = step.real(1);
    const bool is_bfloat = step.has(Modifier::BF16);
    const auto bits = [is_bfloat](std::uint32_t word) {
        const auto value = std::bit_cast<float>(word);
        return is_bfloat ? bfloat_of(value) : half_of(value);
    };
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = (bits(high[lane]) << 16U) | bits(low[lane]);
    step.write(out);
}

} // namespace

std::span<const SemanticsRow> conversion_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"I2F I2FP", integer_to_real, "U8 S8 U16 S16 U32 S32 U64 S64 F16 F32 F64 RN RZ RM RP"},
        {"F2I", real_to_integer, "U8 S8 U16 S16 U32 S32 U64 S64 F16 F32 F64 FTZ TRUNC FLOOR CEIL",
         NumberType::Float},
        {"F2F", real_to_real, "F16 BF16 F32 F64 FTZ RN RZ RM RP", NumberType::Float},
        {"FRND", round_real, "F16 F32 F64 FTZ TRUNC FLOOR CEIL", NumberType::Float},
        {"F2FP", pack_reals, "F16 BF16 F32 PACK_AB", NumberType::Float},
    });
    return rows;
}

} // namespace warpbound::harness::execution
