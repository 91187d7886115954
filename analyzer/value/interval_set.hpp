#pragma once
/// \file
/// Sets of 32-bit numbers as sorted intervals.

#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// A set of numbers 0 .. 2^32 - 1.
class ValueSet {
public:
    static constexpr std::uint64_t modulus = std::uint64_t{1} << 32U;

    ValueSet() = default; ///< Empty.
    /// first .. last; empty when last is below first.
    ValueSet(std::uint64_t first, std::uint64_t last);
    static ValueSet all() { return {0, modulus - 1}; }

    [[nodiscard]] bool empty() const { return parts_.empty(); }
    [[nodiscard]] ValueSet complement() const;
    [[nodiscard]] ValueSet intersect(const ValueSet& other) const;
    [[nodiscard]] ValueSet unite(const ValueSet& other) const;
    /// Every number plus `by`, modulo 2^32.
    [[nodiscard]] ValueSet shifted(std::uint32_t by) const;
    /// Every number times -1, modulo 2^32.
    [[nodiscard]] ValueSet negated() const;
    friend bool operator==(const ValueSet&, const ValueSet&) = default;

private:
    /// Inclusive intervals in increasing order; none touches the next.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts_;
};

} // namespace warpbound::analyzer
