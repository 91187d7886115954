#include "models/formulas/input_check.hpp"

#include <fmt/core.h>

namespace warpbound::models {
namespace {

constexpr double smallest = 1e-30;
constexpr double largest = 1e30;

} // namespace

InputCheck& InputCheck::positive(std::string_view name, double value) {
    if (value >= smallest && value <= largest) return *this;
    return require(false, fmt::format("{} is {}; expected a number above 0", name, value));
}

InputCheck& InputCheck::not_negative(std::string_view name, double value) {
    if (value == 0 || (value >= smallest && value <= largest)) return *this;
    return require(false, fmt::format("{} is {}; expected a number not below 0", name, value));
}

InputCheck& InputCheck::within(std::string_view name, double value, double lo, double hi) {
    if (value >= lo && value <= hi) return *this;
    return require(false, fmt::format("{} is {}; expected {} to {}", name, value, lo, hi));
}

InputCheck& InputCheck::count(std::string_view name, std::int64_t value, std::int64_t least,
                              std::int64_t most) {
    if (value >= least && value <= most) return *this;
    return require(false, fmt::format("{} is {}; expected {} to {}", name, value, least, most));
}

InputCheck& InputCheck::require(bool holds, std::string_view what) {
    if (!holds && !failure_)
        failure_ = Failure{.what = fmt::format("{}: {}", formula_, what), .where = {}};
    return *this;
}

} // namespace warpbound::models
