/// \file
/// Double precision: DADD, DMUL, DFMA.

#include "harness/execution/rounding.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <bit>
#include <cmath>

namespace warpbound::harness::execution {

namespace {

template <std::size_t Count, typename Function> void each_double(Step& step, Function function) {
    const Wides& a = step.wide_real(0);
    const Wides& b = step.wide_real(1);
    const Wides& c = step.wide_real(Count > 2 ? 2 : 1);
    Wides out{};
    const RoundingScope scope{rounding_of(*step.operation)};
    for_each_lane(step.lanes, [&](std::size_t lane) {
        const volatile double x = std::bit_cast<double>(a[lane]);
        const volatile double y = std::bit_cast<double>(b[lane]);
        const volatile double z = std::bit_cast<double>(c[lane]);
        const volatile double result = function(x, y, z);
        constexpr std::uint64_t quiet_nan_bits = 0x7fffffffffffffffU;
        out[lane] =
            std::isnan(result) ? quiet_nan_bits : std::bit_cast<std::uint64_t>(double{result});
    });
    step.write_wide(out);
}

void add_doubles(Step& step) {
    each_double<2>(step, [](double a, double b, double) { return a + b; });
}

void multiply_doubles(Step& step) {
    each_double<2>(step, [](double a, double b, double) { return a * b; });
}

void multiply_add_doubles(Step& step) {
    each_double<3>(step, [](double a, double b, double c) { return std::fma(a, b, c); });
}

} // namespace

std::span<const SemanticsRow> double_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"DADD", add_doubles, "RN RZ RM RP", NumberType::Double},
        {"DMUL", multiply_doubles, "RN RZ RM RP", NumberType::Double},
        {"DFMA", multiply_add_doubles, "RN RZ RM RP", NumberType::Double},
    });
    return rows;
}

} // namespace warpbound::harness::execution
