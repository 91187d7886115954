#include "models/formulas/input_check.hpp"

#include <fmt/core.h>

namespace warpbound::models {

InputCheck& InputCheck::not_positive(std::string_view name, double value) {
    return require(false, fmt::format("{} is {}; expected a number above 0", name, value));
}

InputCheck& InputCheck::negative(std::string_view name, double value) {
    return require(false, fmt::format("{} is {}; expected a number not below 0", name, value));
}

InputCheck& InputCheck::outside(std::string_view name, double value, double lo, double hi) {
    return require(false, fmt::format("{} is {}; expected {} to {}", name, value, lo, hi));
}

InputCheck& InputCheck::outside(std::string_view name, std::int64_t value, std::int64_t least,
                                std::int64_t most) {
    return require(false, fmt::format("{} is {}; expected {} to {}", name, value, least, most));
}

InputCheck& InputCheck::require(bool holds, std::string_view what) {
    if (!holds && !failure_)
        failure_ = Failure{.what = fmt::format("{}: {}", formula_, what), .where = {}};
    return *this;
}

} // namespace warpbound::models
