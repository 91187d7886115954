#include "models/formulas/stack_distance.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::models::stack_distance {

Result<double> hit_probability(std::int64_t distance, std::int64_t lines, std::int64_t ways) {
    if (const auto wrong = InputCheck{"stack distance"}
                               .count("distance", distance, 0, std::int64_t{1} << 48)
                               .count("ways", ways, 1, std::int64_t{1} << 40)
                               .count("lines", lines, ways, std::int64_t{1} << 40)
                               .failure())
        return *wrong;
    if (distance < ways) return 1.0;
    if (lines == ways) return 0.0;
    // Each of the D lines falls on the set with probability A/B; hit with fewer than A of them.
    const double odds = real(ways) / real(lines - ways);
    double term = real(distance) * std::log1p(-real(ways) / real(lines)); // Logarithm, of a = 0.
    double sum = 0;
    for (std::int64_t a = 0; a < ways; ++a) {
        sum += std::exp(term);
        term += std::log(real(distance - a) / real(a + 1) * odds);
    }
    return std::min(1.0, sum);
}

} // namespace warpbound::models::stack_distance
