#pragma once
/// \file
/// Comparisons as modifiers name them.

#include "harness/execution/lane_values.hpp"
#include "harness/execution/operation.hpp"

#include <bit>
#include <cmath>

namespace warpbound::harness::execution {

/// Which outcomes of a comparison count.
struct Comparison {
    bool less = false;
    bool equal = false;
    bool greater = false;
    bool unordered = false;
};

inline Comparison comparison_of(const Operation& operation) {
    using enum Modifier;
    const auto any = [&](auto... modifiers) { return (operation.has(modifiers) || ...); };
    return {.less = any(LT, LE, NE, LTU, LEU, NEU, NUM, T),
            .equal = any(LE, EQ, GE, LEU, EQU, GEU, NUM, T),
            .greater = any(GT, GE, NE, GTU, GEU, NEU, NUM, T),
            .unordered = any(LTU, LEU, GTU, GEU, EQU, NEU, IsNan, T)};
}

template <typename Number> bool compare(const Comparison& comparison, Number a, Number b) {
    if (a < b) return comparison.less;
    if (a > b) return comparison.greater;
    return a == b ? comparison.equal : comparison.unordered;
}

/// The float with these bits; a subnormal one counts as zero of its sign where `flushes`.
inline float flushed(std::uint32_t bits, bool flushes) {
    const bool is_subnormal = (bits & 0x7f800000U) == 0;
    return std::bit_cast<float>(flushes && is_subnormal ? bits & 0x80000000U : bits);
}

class Step;
/// Writes the first predicate with the result, combined with another by .AND, .OR or .XOR, and the
/// second one with the negated result, combined likewise. `combined`: null: true.
void write_comparison(Step& step, Lanes holds, const Source* combined);

} // namespace warpbound::harness::execution
