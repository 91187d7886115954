#include "models/application/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::models::application {

namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr int deepest = 64;
constexpr std::size_t longest_number = 40;
constexpr std::int64_t largest_exponent = 30;

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}
bool begins_name(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           character == '_';
}

Integer floor_of(const Rational& value) {
    const Integer above = boost::multiprecision::numerator(value);
    const Integer below = boost::multiprecision::denominator(value);
    const Integer quotient = above / below; // Towards 0.
    return above % below != 0 && above < 0 ? Integer{quotient - 1} : quotient;
}

std::optional<std::int64_t> narrowed(const Integer& value) {
    if (value < std::numeric_limits<std::int64_t>::min() ||
        value > std::numeric_limits<std::int64_t>::max())
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

} // namespace

std::string to_string(const Rational& value) {
    if (boost::multiprecision::denominator(value) == 1)
        return boost::multiprecision::numerator(value).str();
    return fmt::format("{:.15g}", static_cast<double>(value));
}

std::optional<std::int64_t> whole_below(const Rational& value) {
    return narrowed(floor_of(value));
}

std::optional<std::int64_t> whole_above(const Rational& value) {
    return narrowed(Integer{-floor_of(-value)});
}

/// Recursive descent over one text.
class ExpressionReader {
public:
    explicit ExpressionReader(std::string_view text) : text_{text} {}

    Result<Expression> read(std::size_t& end) {
        if (auto done = comparison(); !done) return done.as_failure();
        end = at_;
        return std::move(expression_);
    }

private:
    using Operator = Expression::Operator;
    using Rule = Result<void> (ExpressionReader::*)();

    Failure refuse(std::string what) const {
        return {std::move(what), {}, 0, static_cast<std::int64_t>(at_) + 1};
    }
    static Result<void> success() { return boost::outcome_v2::success(); }

    /// The position behind spaces, without taking them.
    [[nodiscard]] std::size_t next() const {
        const std::size_t found = text_.find_first_not_of(' ', at_);
        return found == std::string_view::npos ? text_.size() : found;
    }
    bool take(std::string_view token) {
        if (text_.substr(next(), token.size()) != token) return false;
        at_ = next() + token.size();
        return true;
    }
    void add(Operator what) { expression_.items_.push_back({what, {}, {}}); }

    template <std::size_t Count>
    Result<void> chain(Rule operand,
                       const std::array<std::pair<std::string_view, Operator>, Count>& operators,
                       bool repeats) {
        if (auto done = (this->*operand)(); !done) return done;
        for (bool found = true; found;) {
            found = false;
            for (const auto& [token, what] : operators) {
                if (!take(token)) continue;
                if (auto done = (this->*operand)(); !done) return done;
                add(what);
                found = repeats;
                break;
            }
        }
        return success();
    }

    Result<void> comparison() {
        static constexpr std::array<std::pair<std::string_view, Operator>, 6> operators{
            {{"<=", Operator::AtMost},
             {">=", Operator::AtLeast},
             {"==", Operator::Equal},
             {"!=", Operator::Differs},
             {"<", Operator::Less},
             {">", Operator::Greater}}};
        return chain(&ExpressionReader::sum, operators, false);
    }
    Result<void> sum() {
        static constexpr std::array<std::pair<std::string_view, Operator>, 2> operators{
            {{"+", Operator::Add}, {"-", Operator::Subtract}}};
        return chain(&ExpressionReader::product, operators, true);
    }
    Result<void> product() {
        static constexpr std::array<std::pair<std::string_view, Operator>, 2> operators{
            {{"*", Operator::Multiply}, {"/", Operator::Divide}}};
        return chain(&ExpressionReader::factor, operators, true);
    }

    Result<void> factor() {
        if (++depth_ > deepest) return refuse("an expression nested more than 64 deep");
        auto done = operand();
        --depth_;
        return done;
    }

    Result<void> operand() {
        if (take("-")) {
            if (auto done = factor(); !done) return done;
            add(Operator::Negate);
            return success();
        }
        if (take("(")) {
            if (auto done = comparison(); !done) return done;
            return take(")") ? success() : refuse("')' is missing");
        }
        at_ = next();
        if (at_ < text_.size() && is_digit(text_[at_])) return number();
        if (at_ < text_.size() && begins_name(text_[at_])) return name();
        return refuse(at_ == text_.size()
                          ? "the expression ends where a number or a name is expected"
                          : fmt::format("'{}' where a number or a name is expected", text_[at_]));
    }

    Result<void> number() {
        const std::size_t begin = at_;
        Integer digits = 0;
        std::int64_t exponent = 0;
        bool in_fraction = false;
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == '.' && !in_fraction && at_ + 1 < text_.size() &&
                is_digit(text_[at_ + 1])) {
                in_fraction = true;
                continue;
            }
            if (!is_digit(text_[at_])) break;
            digits = digits * 10 + (text_[at_] - '0');
            if (in_fraction) --exponent;
        }
        if (at_ + 1 < text_.size() && text_[at_] == 'e' && is_digit(text_[at_ + 1])) {
            std::int64_t power = 0;
            for (++at_; at_ < text_.size() && is_digit(text_[at_]); ++at_)
                power = std::min(power * 10 + (text_[at_] - '0'), largest_exponent + 1);
            if (power > largest_exponent) return refuse("an exponent above 30");
            exponent += power;
        }
        if (at_ - begin > longest_number) return refuse("a number of more than 40 digits");
        Rational value{digits};
        for (; exponent > 0; --exponent)
            value *= 10;
        for (; exponent < 0; ++exponent)
            value /= 10;
        expression_.items_.push_back({Operator::Number, std::move(value), {}});
        return success();
    }

    Result<void> name() {
        std::size_t end = at_;
        while (end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end])))
            ++end;
        const std::string found{text_.substr(at_, end - at_)};
        at_ = end;
        if (!take("(")) {
            expression_.items_.push_back({Operator::Name, {}, found});
            return success();
        }
        struct Function {
            std::string_view name;
            Operator what;
            int operands;
        };
        static constexpr std::array<Function, 5> functions{{{"min", Operator::Min, 2},
                                                            {"max", Operator::Max, 2},
                                                            {"floor", Operator::Floor, 1},
                                                            {"ceil", Operator::Ceil, 1},
                                                            {"log2", Operator::Log2, 1}}};
        const auto* const function = std::ranges::find(functions, found, &Function::name);
        if (function == functions.end())
            return refuse(fmt::format("there is no function '{}'; expected min, max, floor, ceil "
                                      "or log2",
                                      found));
        for (int i = 0; i < function->operands; ++i) {
            if (i > 0 && !take(",")) return refuse(fmt::format("'{}' takes two operands", found));
            if (auto done = comparison(); !done) return done;
        }
        if (!take(")")) return refuse("')' is missing");
        add(function->what);
        return success();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Expression expression_;
};

Result<Expression> Expression::read(std::string_view text, std::size_t& end) {
    return ExpressionReader{text}.read(end);
}

Result<Expression> Expression::parse(std::string_view text) {
    std::size_t end = 0;
    auto read = Expression::read(text, end);
    if (!read) return read;
    const std::size_t rest = text.find_first_not_of(' ', end);
    if (rest != std::string_view::npos)
        return Failure{fmt::format("'{}' behind the expression", text.substr(rest)),
                       {},
                       0,
                       static_cast<std::int64_t>(rest) + 1};
    return read;
}

Expression Expression::constant(std::int64_t value) {
    Expression expression;
    expression.items_.push_back({Operator::Number, Rational{value}, {}});
    return expression;
}

Result<Rational> Expression::value(const Values& values) const {
    std::vector<Rational> stack;
    for (const Item& item : items_) {
        if (item.what == Operator::Number) {
            stack.push_back(item.number);
        } else if (item.what == Operator::Name) {
            const auto found = values.find(item.name);
            if (found == values.end()) return Failure{fmt::format("'{}' has no value", item.name)};
            stack.push_back(found->second);
        } else if (auto done = apply(item.what, stack); !done) {
            return done.as_failure();
        }
    }
    return std::move(stack.back());
}

Result<void> Expression::apply(Operator what, std::vector<Rational>& stack) {
    Rational b = std::move(stack.back());
    stack.pop_back();
    const auto push = [&](Rational result) {
        stack.push_back(std::move(result));
        return boost::outcome_v2::success();
    };
    if (what == Operator::Negate) return push(-b);
    if (what == Operator::Floor) return push(Rational{floor_of(b)});
    if (what == Operator::Ceil) return push(Rational{Integer{-floor_of(-b)}});
    if (what == Operator::Log2) {
        if (b < 1) return Failure{fmt::format("log2 of {}; expected at least 1", to_string(b))};
        const Integer above = -floor_of(-b) - 1; // log2 rounded up: the bits of ceil(b) - 1.
        return push(above == 0 ? Rational{0} : Rational{boost::multiprecision::msb(above) + 1});
    }
    Rational a = std::move(stack.back());
    stack.pop_back();
    switch (what) {
    case Operator::Add:
        return push(a + b);
    case Operator::Subtract:
        return push(a - b);
    case Operator::Multiply:
        return push(a * b);
    case Operator::Divide:
        if (b == 0) return Failure{"a division by 0"};
        return push(a / b);
    case Operator::Less:
        return push(a < b ? 1 : 0);
    case Operator::AtMost:
        return push(a <= b ? 1 : 0);
    case Operator::Greater:
        return push(a > b ? 1 : 0);
    case Operator::AtLeast:
        return push(a >= b ? 1 : 0);
    case Operator::Equal:
        return push(a == b ? 1 : 0);
    case Operator::Differs:
        return push(a != b ? 1 : 0);
    case Operator::Min:
        return push(std::min(a, b));
    default:
        return push(std::max(a, b));
    }
}

std::vector<std::string> Expression::names() const {
    std::vector<std::string> found;
    for (const Item& item : items_)
        if (item.what == Operator::Name && std::ranges::find(found, item.name) == found.end())
            found.push_back(item.name);
    return found;
}

} // namespace warpbound::models::application
