#pragma once
/// \file
/// A 32-bit number as linear combination of numbers that are not known.

#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// A number that is not known but the same wherever it occurs.
using Symbol = std::uint64_t;

/// constant + sum of coefficient * symbol, modulo 2^32.
class Linear {
public:
    Linear() = default;
    explicit Linear(std::uint32_t constant) : constant_{constant} {}
    static Linear of(Symbol symbol);

    [[nodiscard]] std::uint32_t constant() const { return constant_; }
    /// (symbol, coefficient) by symbol; no coefficient is 0.
    [[nodiscard]] const std::vector<std::pair<Symbol, std::uint32_t>>& terms() const {
        return terms_;
    }
    [[nodiscard]] bool is_constant() const { return terms_.empty(); }

    friend Linear operator+(const Linear& a, const Linear& b);
    friend Linear operator*(const Linear& a, std::uint32_t factor);
    friend Linear operator-(const Linear& a, const Linear& b);
    friend bool operator==(const Linear&, const Linear&) = default;
    /// Some order, for look-ups.
    friend bool operator<(const Linear& a, const Linear& b) {
        return a.terms_ != b.terms_ ? a.terms_ < b.terms_ : a.constant_ < b.constant_;
    }

private:
    std::uint32_t constant_ = 0;
    std::vector<std::pair<Symbol, std::uint32_t>> terms_;
};

} // namespace warpbound::analyzer
