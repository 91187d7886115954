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
class AffineExpression {
public:
    AffineExpression() = default;
    explicit AffineExpression(std::uint32_t constant) : constant_{constant} {}
    static AffineExpression of(Symbol symbol);

    [[nodiscard]] std::uint32_t constant() const { return constant_; }
    /// (symbol, coefficient) by symbol; no coefficient is 0.
    [[nodiscard]] const std::vector<std::pair<Symbol, std::uint32_t>>& terms() const {
        return terms_;
    }
    [[nodiscard]] bool is_constant() const { return terms_.empty(); }

    friend AffineExpression operator+(const AffineExpression& a, const AffineExpression& b);
    friend AffineExpression operator*(const AffineExpression& a, std::uint32_t factor);
    friend AffineExpression operator-(const AffineExpression& a, const AffineExpression& b);
    friend bool operator==(const AffineExpression&, const AffineExpression&) = default;
    /// Some order, for look-ups.
    friend bool operator<(const AffineExpression& a, const AffineExpression& b) {
        return a.terms_ != b.terms_ ? a.terms_ < b.terms_ : a.constant_ < b.constant_;
    }

private:
    std::uint32_t constant_ = 0;
    std::vector<std::pair<Symbol, std::uint32_t>> terms_;
};

} // namespace warpbound::analyzer
