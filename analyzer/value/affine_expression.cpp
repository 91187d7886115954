#include "analyzer/value/affine_expression.hpp"

namespace warpbound::analyzer {

AffineExpression AffineExpression::of(Symbol symbol) {
    AffineExpression expression;
    expression.terms_.emplace_back(symbol, 1U);
    return expression;
}

AffineExpression operator+(const AffineExpression& a, const AffineExpression& b) {
    AffineExpression sum{a.constant_ + b.constant_};
    auto left = a.terms_.begin();
    auto right = b.terms_.begin();
    while (left != a.terms_.end() || right != b.terms_.end()) {
        if (right == b.terms_.end() || (left != a.terms_.end() && left->first < right->first)) {
            sum.terms_.push_back(*left++);
        } else if (left == a.terms_.end() || right->first < left->first) {
            sum.terms_.push_back(*right++);
        } else {
            const std::uint32_t coefficient = left->second + right->second;
            if (coefficient != 0) sum.terms_.emplace_back(left->first, coefficient);
            ++left;
            ++right;
        }
    }
    return sum;
}

AffineExpression operator*(const AffineExpression& a, std::uint32_t factor) {
    AffineExpression product{a.constant_ * factor};
    for (const auto& [symbol, coefficient] : a.terms_)
        if (coefficient * factor != 0) product.terms_.emplace_back(symbol, coefficient * factor);
    return product;
}

AffineExpression operator-(const AffineExpression& a, const AffineExpression& b) {
    return a + b * ~std::uint32_t{0};
}

} // namespace warpbound::analyzer
