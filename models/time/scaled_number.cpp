#include "models/time/scaled_number.hpp"

#include <algorithm>

namespace warpbound::models {
namespace {

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

/// value * 10 + digit; false on overflow.
bool append_digit(std::int64_t& value, int digit) {
    return !__builtin_mul_overflow(value, std::int64_t{10}, &value) &&
           !__builtin_add_overflow(value, std::int64_t{digit}, &value);
}

} // namespace

std::size_t begin_of_unit(std::string_view text) {
    return std::min(text.find_first_not_of("0123456789. "), text.size());
}

ScaledNumber read_scaled(std::string_view text, std::span<const DecimalUnit> units) {
    const std::size_t unit_begin = begin_of_unit(text);
    std::string_view digits = text.substr(0, unit_begin);
    while (!digits.empty() && digits.back() == ' ')
        digits.remove_suffix(1);
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::string_view whole = digits.substr(0, point);
    std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
    const bool has_fraction = point < digits.size();
    if (whole.empty() || (has_fraction && fraction.empty()) ||
        !std::all_of(whole.begin(), whole.end(), is_decimal) ||
        !std::all_of(fraction.begin(), fraction.end(), is_decimal))
        return {.value = 0, .defect = NumberDefect::NotANumber};
    const auto unit = std::find_if(units.begin(), units.end(), [&](const DecimalUnit& candidate) {
        return candidate.name == text.substr(unit_begin);
    });
    if (unit == units.end()) return {.value = 0, .defect = NumberDefect::UnknownUnit};
    while (!fraction.empty() && fraction.back() == '0')
        fraction.remove_suffix(1);
    if (fraction.size() > static_cast<std::size_t>(unit->exponent))
        return {.value = 0, .defect = NumberDefect::NotWhole};
    ScaledNumber number;
    bool fits = true;
    for (const char digit : whole)
        fits = fits && append_digit(number.value, digit - '0');
    for (std::size_t i = 0; i < static_cast<std::size_t>(unit->exponent); ++i)
        fits = fits && append_digit(number.value, i < fraction.size() ? fraction[i] - '0' : 0);
    if (!fits) number.defect = NumberDefect::TooLarge;
    return number;
}

} // namespace warpbound::models
