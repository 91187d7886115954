#pragma once
/// \file
/// 32-bit affine expressions: a constant plus multiples of unknown numbers.

#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// An unknown number; every occurrence of the same symbol stands for the same number.
using Symbol = std::uint64_t;

/// constant + sum of coefficient * symbol, modulo 2^32.
class AffineExpression {
public:
    AffineExpression() = default;
    explicit AffineExpression(std::uint32_t constant) : constant_{constant} {}
    static AffineExpression of(Symbol symbol);

    [[nodiscard]] std::uint32_t constant() const { return constant_; }
    /// Pairs (symbol, coefficient), sorted by symbol; no coefficient is 0.
    [[nodiscard]] const std::vector<std::pair<Symbol, std::uint32_t>>& terms() const {
        return terms_;
    }
    [[nodiscard]] bool is_constant() const { return terms_.empty(); }

    friend AffineExpression operator+(const AffineExpression& a, const AffineExpression& b);
    friend AffineExpression operator*(const AffineExpression& a, std::uint32_t factor);
    friend AffineExpression operator-(const AffineExpression& a, const AffineExpression& b);
    friend bool operator==(const AffineExpression&, const AffineExpression&) = default;
    /// An arbitrary total order, for look-ups.
    friend bool operator<(const AffineExpression& a, const AffineExpression& b) {
        return a.terms_ != b.terms_ ? a.terms_ < b.terms_ : a.constant_ < b.constant_;
    }

private:
    std::uint32_t constant_ = 0;
    std::vector<std::pair<Symbol, std::uint32_t>> terms_;
};

} // namespace warpbound::analyzer
