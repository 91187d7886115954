#include "analyzer/value/affine_expression.hpp"

namespace warpbound::analyzer {

Linear Linear::of(Symbol symbol) {
    Linear linear;
    linear.terms_.emplace_back(symbol, 1U);
    return linear;
}

Linear operator+(const Linear& a, const Linear& b) {
    Linear sum{a.constant_ + b.constant_};
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

Linear operator*(const Linear& a, std::uint32_t factor) {
    Linear product{a.constant_ * factor};
    for (const auto& [symbol, coefficient] : a.terms_)
        if (coefficient * factor != 0) product.terms_.emplace_back(symbol, coefficient * factor);
    return product;
}

Linear operator-(const Linear& a, const Linear& b) {
    return a + b * ~std::uint32_t{0};
}

} // namespace warpbound::analyzer
