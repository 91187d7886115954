#pragma once
/// \file
/// Sets of 32-bit numbers as sorted intervals.

#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// A set of numbers from 0 to 2^32 - 1.
class IntervalSet {
public:
    static constexpr std::uint64_t modulus = std::uint64_t{1} << 32U;

    IntervalSet() = default; ///< Empty.
    /// The interval from first to last, inclusive; empty when last is below first.
    IntervalSet(std::uint64_t first, std::uint64_t last);
    static IntervalSet all() { return {0, modulus - 1}; }

    [[nodiscard]] bool empty() const { return intervals_.empty(); }
    /// Least and greatest number. Requires: not empty.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> ends() const {
        return {intervals_.front().first, intervals_.back().second};
    }
    [[nodiscard]] IntervalSet complement() const;
    [[nodiscard]] IntervalSet intersect(const IntervalSet& other) const;
    /// Whether the intersection is empty.
    [[nodiscard]] bool disjoint(const IntervalSet& other) const;
    [[nodiscard]] IntervalSet unite(const IntervalSet& other) const;
    /// Every number plus `by`, modulo 2^32.
    [[nodiscard]] IntervalSet shifted(std::uint32_t by) const;
    /// Every number times -1, modulo 2^32.
    [[nodiscard]] IntervalSet negated() const;
    friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

private:
    /// Inclusive intervals in increasing order; no two are adjacent or overlap.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals_;
};

} // namespace warpbound::analyzer
