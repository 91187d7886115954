#pragma once
/// \file
/// Expressions over named parameters, evaluated exactly.

#include "assembly/support/result.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models::application {

/// Exact: no operation rounds.
using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend,
                                               boost::multiprecision::et_off>;
using Values = std::map<std::string, Rational, std::less<>>;

/// "0.5", "400000000" or, where that is not short, a decimal number with 15 digits.
std::string to_string(const Rational& value);
/// The next whole number below, or above. None: outside 64 bits.
std::optional<std::int64_t> whole_below(const Rational& value);
std::optional<std::int64_t> whole_above(const Rational& value);

/// Numbers (0.5, 4e8), names, `+ - * /`, comparisons (1 or 0), parentheses and the functions
/// `min`, `max`, `floor`, `ceil` and `log2` (rounded up to a whole number).
class Expression {
public:
    /// Reads the longest expression at the begin of the text and sets `end` behind it. Refuses a
    /// text that begins with none, naming the column.
    static Result<Expression> read(std::string_view text, std::size_t& end);
    /// Reads the whole text.
    static Result<Expression> parse(std::string_view text);
    static Expression constant(std::int64_t value);

    /// Refuses names without a value, a division by 0 and log2 of what is not positive.
    [[nodiscard]] Result<Rational> value(const Values& values) const;
    /// Each once, in the order of use.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    friend class ExpressionReader;
    enum class Operator {
        Number,
        Name,
        Negate,
        Add,
        Subtract,
        Multiply,
        Divide,
        Less,
        AtMost,
        Greater,
        AtLeast,
        Equal,
        Differs,
        Min,
        Max,
        Floor,
        Ceil,
        Log2
    };
    struct Item {
        Operator what = Operator::Number;
        Rational number{};
        std::string name{};
    };
    /// Replaces the operands at the end of the stack by the result.
    static Result<void> apply(Operator what, std::vector<Rational>& stack);

    std::vector<Item> items_; ///< Operands before their operator.
};

} // namespace warpbound::models::application
