#include "certification/verify/memory/charges.hpp"

#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

void Charges::charge(std::int64_t count, std::int64_t cycles) {
    if (count > 0 && cycles > 0) terms_.push_back({count, cycles, ""});
}

void Charges::append(const Charges& others) {
    terms_.insert(terms_.end(), others.terms_.begin(), others.terms_.end());
}

std::int64_t Charges::sum() const {
    std::int64_t sum = 0;
    for (const Term& term : terms_)
        sum = models::plus(sum, models::times(term.count, term.cycles));
    return sum;
}

const Charges& least_of(const std::vector<Charges>& alternatives) {
    return *std::min_element(
        alternatives.begin(), alternatives.end(),
        [](const Charges& one, const Charges& other) { return one.sum() < other.sum(); });
}

} // namespace warpbound::certification::verify
