/// \file
/// Pairs of 16-bit floating-point numbers: HADD2, HMUL2, HFMA2, HMNMX2.

#include "harness/execution/half_float.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpbound::harness::execution {

namespace {

/// Rounded such that a second rounding to 16 bits equals one rounding (to odd).
float rounded_to_odd(double exact) {
    const auto nearest = static_cast<float>(exact);
    if (!std::isfinite(nearest) || double{nearest} == exact) return nearest;
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (std::fabs(double{nearest}) > std::fabs(exact)) --bits;
    return std::bit_cast<float>(bits | 1U);
}

/// One operand of every lane: the numbers of both halves.
struct HalfPairs {
    PerLane<float> low{};
    PerLane<float> high{};
};

/// Reads operands one after the other: two literals next to each other are one, the upper half
/// first.
class HalfReader {
public:
    explicit HalfReader(Step& step)
        : step_{step}, is_bfloat_{step.has(Modifier::BF16_V2) || step.has(Modifier::BF16)} {}

    HalfPairs next() {
        const Source& form = step_.source(at_);
        Words words = step_.plain(at_++);
        const bool is_literal = form.kind == Source::Kind::Literal;
        if (is_literal && at_ < step_.source_count() &&
            step_.source(at_).kind == Source::Kind::Literal) {
            const auto low = static_cast<std::uint32_t>(step_.source(at_++).literal) & 0xffffU;
            words.fill((words[0] & 0xffff0000U) | low);
        }
        HalfPairs pairs;
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            std::uint32_t word = words[lane];
            if (form.absolute) word &= 0x7fff7fffU;
            if (form.negated && !is_literal) word ^= 0x80008000U;
            pairs.low[lane] = number(form.low_half ? word & 0xffffU : word >> 16U);
            pairs.high[lane] = number(form.high_half ? word >> 16U : word & 0xffffU);
        }
        return pairs;
    }
    [[nodiscard]] bool is_bfloat() const { return is_bfloat_; }

private:
    [[nodiscard]] float number(std::uint32_t bits) const {
        return is_bfloat_ ? float_of_bfloat(bits) : float_of_half(bits);
    }

    Step& step_;
    std::size_t at_ = 0;
    bool is_bfloat_;
};

template <typename Function> void write_halves(Step& step, bool is_bfloat, Function of_lane) {
    const bool saturates = step.has(Modifier::SAT);
    const auto bits = [&](double exact) {
        if (saturates) exact = exact > 0 ? std::min(exact, 1.0) : 0.0;
        const float value = rounded_to_odd(exact);
        return is_bfloat ? bfloat_of(value) : half_of(value);
    };
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const auto [low, high] = of_lane(lane);
        out[lane] = (bits(high) << 16U) | bits(low);
    }
    step.write(out);
}

void add_halves(Step& step) {
    HalfReader reader{step};
    const HalfPairs a = reader.next();
    const HalfPairs b = reader.next();
    if (step.has(Modifier::F32)) {
        Words out;
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = std::bit_cast<std::uint32_t>(a.low[lane] + b.low[lane]);
        return step.write(out);
    }
    write_halves(step, reader.is_bfloat(), [&](std::size_t lane) {
        return std::pair{double{a.low[lane]} + b.low[lane], double{a.high[lane]} + b.high[lane]};
    });
}

void multiply_halves(Step& step) {
    HalfReader reader{step};
    const HalfPairs a = reader.next();
    const HalfPairs b = reader.next();
    write_halves(step, reader.is_bfloat(), [&](std::size_t lane) {
        return std::pair{double{a.low[lane]} * b.low[lane], double{a.high[lane]} * b.high[lane]};
    });
}

void multiply_add_halves(Step& step) {
    HalfReader reader{step};
    const HalfPairs a = reader.next();
    const HalfPairs b = reader.next();
    const HalfPairs c = reader.next();
    write_halves(step, reader.is_bfloat(), [&](std::size_t lane) {
        return std::pair{
            std::fma(double{a.low[lane]}, double{b.low[lane]}, double{c.low[lane]}),
            std::fma(double{a.high[lane]}, double{b.high[lane]}, double{c.high[lane]})};
    });
}

void minimum_maximum_halves(Step& step) {
    HalfReader reader{step};
    const HalfPairs a = reader.next();
    const HalfPairs b = reader.next();
    const Lanes least = step.predicate(step.operation->trailing.at(0));
    const auto chosen = [](float x, float y, bool is_least) {
        return double{is_least ? std::fmin(x, y) : std::fmax(x, y)};
    };
    write_halves(step, reader.is_bfloat(), [&](std::size_t lane) {
        return std::pair{chosen(a.low[lane], b.low[lane], has_lane(least, lane)),
                         chosen(a.high[lane], b.high[lane], has_lane(least, lane))};
    });
}

} // namespace

std::span<const SemanticsRow> half_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"HADD2", add_halves, "F32 BF16_V2 BF16 SAT", NumberType::Half},
        {"HMUL2", multiply_halves, "BF16_V2 BF16 SAT", NumberType::Half},
        {"HFMA2", multiply_add_halves, "BF16_V2 BF16 SAT", NumberType::Half},
        {"HMNMX2", minimum_maximum_halves, "BF16_V2 BF16", NumberType::Half},
    });
    return rows;
}

} // namespace warpbound::harness::execution
