/// \file
/// Exchanges between the lanes of a warp: votes, shuffles, matches, reductions.

#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>

namespace warpbound::harness::execution {

namespace {

Words same_for_all(std::uint32_t value) {
    Words out;
    out.fill(value);
    return out;
}

/// The lanes whose predicate holds; and whether any, all, or equally all or none of them do.
void vote(Step& step) {
    std::vector<Source> predicates = step.operation->leading;
    const auto& after = step.operation->carries;
    predicates.insert(predicates.end(), after.begin(), after.end());
    if (predicates.size() != 2) return step.fail("expected a predicate written and one read");
    const Lanes holds = step.predicate(predicates[1]) & step.lanes;
    const bool result = step.has(Modifier::ANY)   ? holds != 0
                        : step.has(Modifier::ALL) ? holds == step.lanes
                                                  : holds == 0 || holds == step.lanes;
    step.set_predicate(predicates[0], result ? all_lanes : 0);
    step.write(same_for_all(holds));
}

/// The lane that a lane reads from, and whether that lies in its segment.
void shuffle(Step& step) {
    const Words values = step.word(0);
    const Words& by = step.word(1);
    const Words& limits = step.word(2);
    Words out;
    Lanes inside = 0;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const auto own = static_cast<std::int32_t>(lane);
        const auto segment = static_cast<std::int32_t>((limits[lane] >> 8U) & 0x1fU);
        const auto clamp = static_cast<std::int32_t>(limits[lane] & 0x1fU);
        const std::int32_t most = (own & segment) | (clamp & ~segment);
        const std::int32_t least = own & segment;
        const auto distance = static_cast<std::int32_t>(by[lane] & 0x1fU);
        std::int32_t from = 0;
        bool reads = false;
        if (step.has(Modifier::UP)) {
            from = own - distance;
            reads = from >= most;
        } else if (step.has(Modifier::DOWN)) {
            from = own + distance;
            reads = from <= most;
        } else if (step.has(Modifier::BFLY)) {
            from = own ^ distance;
            reads = from <= most;
        } else {
            from = least | (distance & ~segment);
            reads = from <= most;
        }
        if (!reads) from = own;
        out[lane] = values[static_cast<std::size_t>(from) % lane_count];
        inside |= Lanes{reads} << lane;
    }
    if (!step.operation->leading.empty()) step.set_predicate(step.operation->leading[0], inside);
    step.write(out);
}

/// MOVM.16.MT88: a matrix of 8 x 8 numbers of 16 bits is transposed. Four lanes hold a row, each of
/// them two neighbours (PTX ISA, movmatrix).
void transpose(Step& step) {
    constexpr std::size_t size = 8;
    constexpr std::size_t lanes_of_row = size / 2;
    if (!step.has(Modifier::Bits16) || !step.has(Modifier::MT88))
        return step.fail("expected .16 and .MT88");
    const Words rows = step.word(0);
    const auto element = [&](std::size_t row, std::size_t column) {
        return rows[row * lanes_of_row + column / 2] >> 16U * (column % 2) & 0xffffU;
    };
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const std::size_t row = lane / lanes_of_row;
        const std::size_t column = lane % lanes_of_row * 2;
        out[lane] = element(column, row) | element(column + 1, row) << 16U;
    }
    step.write(out);
}

/// The executing lanes with the same value.
void match(Step& step) {
    const bool is_wide = step.has(Modifier::U64);
    Wides values{};
    if (is_wide) {
        values = step.wide(0);
    } else {
        const Words& words = step.word(0);
        std::copy(words.begin(), words.end(), values.begin());
    }
    Words out{};
    for_each_lane(step.lanes, [&](std::size_t lane) {
        out[lane] = step.lanes &
                    lanes_where([&](std::size_t other) { return values[other] == values[lane]; });
    });
    if (step.has(Modifier::ALL)) {
        const bool all_equal = out[first_lane(step.lanes)] == step.lanes;
        if (!all_equal) out.fill(0);
        if (!step.operation->leading.empty())
            step.set_predicate(step.operation->leading[0], all_equal ? all_lanes : 0);
    }
    step.write(out);
}

/// One value of all executing lanes.
void reduce(Step& step) {
    const Words& values = step.word(0);
    const bool is_signed = step.has(Modifier::S32);
    std::uint32_t out = values[first_lane(step.lanes)];
    for_each_lane(step.lanes & (step.lanes - 1), [&](std::size_t lane) {
        const std::uint32_t value = values[lane];
        const bool below = is_signed
                               ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(out)
                               : value < out;
        if (step.has(Modifier::SUM))
            out += value;
        else if (step.has(Modifier::OR))
            out |= value;
        else if (step.has(Modifier::XOR))
            out ^= value;
        else if (step.has(Modifier::MIN) || step.has(Modifier::MAX))
            out = below == step.has(Modifier::MIN) ? value : out;
        else
            out &= value;
    });
    step.write(same_for_all(out));
}

/// The lowest executing lane.
void elect(Step& step) {
    const Lanes lowest = step.lanes & (~step.lanes + 1);
    if (!step.operation->leading.empty()) step.set_predicate(step.operation->leading[0], lowest);
    step.write(same_for_all(static_cast<std::uint32_t>(first_lane(step.lanes))));
}

} // namespace

std::span<const SemanticsRow> warp_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"VOTE VOTEU", vote, "ANY ALL EQ"},
        {"SHFL", shuffle, "IDX UP DOWN BFLY"},
        {"MATCH", match, "ANY ALL U32 U64"},
        {"REDUX", reduce, "SUM MIN MAX OR XOR AND S32 U32"},
        {"ELECT", elect, ""},
        {"MOVM", transpose, "16 MT88"},
    });
    return rows;
}

} // namespace warpbound::harness::execution
