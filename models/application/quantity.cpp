#include "models/application/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::models::application {

namespace {

constexpr std::array<DecimalUnit, 4> times{{{"s", 9}, {"ms", 6}, {"us", 3}, {"ns", 0}}};
constexpr std::array<DecimalUnit, 4> sizes{{{"B", 0}, {"kB", 3}, {"MB", 6}, {"GB", 9}}};
constexpr std::array<DecimalUnit, 4> rates{{{"B/s", 0}, {"kB/s", 3}, {"MB/s", 6}, {"GB/s", 9}}};
constexpr std::int64_t largest = 1'000'000'000'000'000'000;

std::string names_of(std::span<const DecimalUnit> units) {
    std::string text;
    for (const auto& unit : units)
        text += (text.empty() ? "" : ", ") + std::string{unit.name};
    return text;
}

} // namespace

const std::span<const DecimalUnit> time_units{times};
const std::span<const DecimalUnit> size_units{sizes};
const std::span<const DecimalUnit> rate_units{rates};

Result<Quantity> Quantity::parse(std::string_view text, std::span<const DecimalUnit> units) {
    Quantity quantity;
    std::vector<bool> has_unit;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find("..", begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        std::size_t behind = 0;
        auto expression = Expression::read(part, behind);
        if (!expression) return expression.as_failure();
        const std::size_t unit_at = std::min(part.find_first_not_of(' ', behind), part.size());
        std::string_view name = part.substr(unit_at);
        while (name.ends_with(' '))
            name.remove_suffix(1);
        const auto unit = std::ranges::find(units, name, &DecimalUnit::name);
        if (unit == units.end() && !name.empty())
            return Failure{fmt::format("'{}' is no unit; expected {}", name, names_of(units))};
        has_unit.push_back(unit != units.end());
        quantity.ends_.push_back(
            {std::move(expression).value(), has_unit.back() ? unit->exponent : 0});
        begin = end + 2;
    }
    if (quantity.ends_.size() > 3)
        return Failure{"more than three ends; expected LO..TYPICAL..HI at most"};
    if (!has_unit.back())
        return Failure{fmt::format("the unit is missing; expected {}", names_of(units))};
    for (std::size_t i = quantity.ends_.size() - 1; i-- > 0;)
        if (!has_unit[i]) quantity.ends_[i].exponent = quantity.ends_[i + 1].exponent;
    return quantity;
}

Result<Range<Rational>> Quantity::value(const Values& values) const {
    std::vector<Rational> found;
    for (const End& end : ends_) {
        auto value = end.expression.value(values);
        if (!value) return value.as_failure();
        found.push_back(std::move(value).value());
        for (int i = 0; i < end.exponent; ++i)
            found.back() *= 10;
        if (found.back() < 0) return Failure{"it is negative"};
        if (found.back() > largest) return Failure{"it is above 10^18"};
        if (found.size() > 1 && found.back() < found[found.size() - 2])
            return Failure{"an end is below the end before it"};
    }
    Range<Rational> range{found.front(), found.front(), found.back()};
    range.typical = found.size() == 3 ? found[1] : (range.lo + range.hi) / 2;
    return range;
}

std::vector<std::string> Quantity::names() const {
    std::vector<std::string> found;
    for (const End& end : ends_)
        for (auto& name : end.expression.names())
            found.push_back(std::move(name));
    return found;
}

TimeRange rounded(const Range<Rational>& nanoseconds) {
    const auto lo = Nanoseconds{whole_below(nanoseconds.lo).value()};
    const auto hi = Nanoseconds{whole_above(nanoseconds.hi).value()};
    const auto nearest = Nanoseconds{whole_below(nanoseconds.typical + Rational{1, 2}).value()};
    return {lo, std::clamp(nearest, lo, hi), hi};
}

} // namespace warpbound::models::application
