/// \file
/// Comparisons that write predicates, and floating-point minimum, maximum and selection.

#include "harness/execution/comparison.hpp"
#include "harness/execution/half_float.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <bit>
#include <cmath>

namespace warpbound::harness::execution {

void write_comparison(Step& step, Lanes holds, const Source* combined) {
    const Lanes other = combined != nullptr ? step.predicate(*combined) : all_lanes;
    const auto combine = [&](Lanes value) {
        return step.has(Modifier::OR)    ? value | other
               : step.has(Modifier::XOR) ? value ^ other
                                         : value & other;
    };
    const auto& written = step.operation->leading;
    const Lanes first = combine(holds);
    const Lanes second = combine(~holds);
    if (!written.empty()) step.set_predicate(written[0], first);
    if (written.size() > 1) step.set_predicate(written[1], second);
}

namespace {

const Source* combined_of(const Step& step) {
    const auto& trailing = step.operation->trailing;
    return trailing.empty() ? nullptr : &trailing[0];
}

/// .EX compares the upper words: where they are equal, the lower words' result holds.
void compare_integers(Step& step) {
    const Words& a = step.word(0);
    const Words& b = step.word(1);
    const Comparison comparison = comparison_of(*step.operation);
    const bool is_unsigned = step.has(Modifier::U32);
    Lanes holds = lanes_where([&](std::size_t lane) {
        return is_unsigned ? compare(comparison, a[lane], b[lane])
                           : compare(comparison, static_cast<std::int32_t>(a[lane]),
                                     static_cast<std::int32_t>(b[lane]));
    });
    if (step.has(Modifier::EX)) {
        const auto& trailing = step.operation->trailing;
        if (trailing.size() < 2) return step.fail("expected the result of the lower words");
        const Lanes lower = step.predicate(trailing[1]);
        const Lanes equal = lanes_where([&](std::size_t lane) { return a[lane] == b[lane]; });
        holds = (equal & lower) | (~equal & holds);
    }
    write_comparison(step, holds, combined_of(step));
}

void compare_floats(Step& step) {
    const Words& a = step.real(0);
    const Words& b = step.real(1);
    const Comparison comparison = comparison_of(*step.operation);
    const bool flushes = step.has(Modifier::FTZ);
    write_comparison(step, lanes_where([&](std::size_t lane) {
                         return compare(comparison, flushed(a[lane], flushes),
                                        flushed(b[lane], flushes));
                     }),
                     combined_of(step));
}

void compare_doubles(Step& step) {
    const Wides& a = step.wide_real(0);
    const Wides& b = step.wide_real(1);
    const Comparison comparison = comparison_of(*step.operation);
    write_comparison(step, lanes_where([&](std::size_t lane) {
                         return compare(comparison, std::bit_cast<double>(a[lane]),
                                        std::bit_cast<double>(b[lane]));
                     }),
                     combined_of(step));
}

/// All ones or 1.0 where the comparison holds, else 0.
void set_by_floats(Step& step) {
    const Words& a = step.real(0);
    const Words& b = step.real(1);
    const Comparison comparison = comparison_of(*step.operation);
    const std::uint32_t one = step.has(Modifier::BF) ? 0x3f800000U : ~std::uint32_t{0};
    const Source* const combined = combined_of(step);
    const Lanes other = combined != nullptr ? step.predicate(*combined) : all_lanes;
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const bool holds = compare(comparison, flushed(a[lane], step.has(Modifier::FTZ)),
                                   flushed(b[lane], step.has(Modifier::FTZ)));
        const bool with = has_lane(other, lane);
        out[lane] = (step.has(Modifier::OR) ? holds || with : holds && with) ? one : 0;
    }
    step.write(out);
}

/// A number wins over NaN; -0 is below +0. With .NAN a NaN wins.
void minimum_maximum_float(Step& step) {
    const Words& a = step.real(0);
    const Words& b = step.real(1);
    const Lanes least = step.predicate(step.operation->trailing.at(0));
    const bool flushes = step.has(Modifier::FTZ);
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const float x = flushed(a[lane], flushes);
        const float y = flushed(b[lane], flushes);
        if (std::isnan(x) || std::isnan(y)) {
            const bool is_nan = step.has(Modifier::IsNan) || (std::isnan(x) && std::isnan(y));
            out[lane] = is_nan ? 0x7fffffffU : std::bit_cast<std::uint32_t>(std::isnan(x) ? y : x);
            continue;
        }
        const bool below = x == y ? std::signbit(x) && !std::signbit(y) : x < y;
        out[lane] = std::bit_cast<std::uint32_t>(below == has_lane(least, lane) ? x : y);
    }
    step.write(out);
}

void select_float(Step& step) {
    const Lanes first = step.predicate(step.operation->trailing.at(0));
    const Words& a = step.real(0);
    const Words& b = step.real(1);
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = has_lane(first, lane) ? a[lane] : b[lane];
    step.write(out);
}

} // namespace

std::span<const SemanticsRow> compare_semantics() {
    constexpr std::string_view integers = "LT LE GT GE EQ NE T F U32 S32 AND OR XOR EX";
    constexpr std::string_view reals =
        "LT LE GT GE EQ NE LTU LEU GTU GEU EQU NEU NUM NAN T F AND OR XOR FTZ";
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"ISETP UISETP", compare_integers, integers, NumberType::Integer, false},
        {"FSETP", compare_floats, reals, NumberType::Float, false},
        {"DSETP", compare_doubles, reals, NumberType::Double, false},
        {"FSET", set_by_floats, "LT LE GT GE EQ NE LTU LEU GTU GEU EQU NEU NUM NAN AND OR FTZ BF",
         NumberType::Float},
        {"FMNMX", minimum_maximum_float, "FTZ NAN", NumberType::Float},
        {"FSEL", select_float, "FTZ", NumberType::Float},
    });
    return rows;
}

} // namespace warpbound::harness::execution
