#include "models/formulas/atomics.hpp"

#include "models/facts/address_pattern.hpp"
#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::atomics {
namespace {

constexpr std::int64_t most_active = 1024;

} // namespace

Result<std::int64_t> multiplicity(std::span<const std::uint64_t> addresses) {
    if (const auto wrong =
            InputCheck{"atomics"}
                .count("lanes", static_cast<std::int64_t>(addresses.size()), 1, most_active)
                .failure())
        return *wrong;
    std::vector<std::uint64_t> sorted{addresses.begin(), addresses.end()};
    std::ranges::sort(sorted);
    return longest_run(sorted);
}

Result<Estimate<Cycles>> time_of(std::int64_t multiplicity, const Costs& costs) {
    if (const auto wrong = InputCheck{"atomics"}
                               .count("multiplicity", multiplicity, 1, most_active)
                               .not_negative("base time", costs.base)
                               .not_negative("time of a further operation", costs.per_operation)
                               .failure())
        return *wrong;
    return Estimate<Cycles>{costs.base + real(multiplicity - 1) * costs.per_operation};
}

Result<Costs> costs_from(std::int64_t few, double time_of_few, std::int64_t many,
                         double time_of_many) {
    if (const auto wrong =
            InputCheck{"atomics"}
                .count("multiplicity", few, 1, most_active)
                .count("larger multiplicity", many, few + 1, most_active)
                .not_negative("time", time_of_few)
                .require(time_of_many >= time_of_few, "the time falls with the multiplicity")
                .not_negative("time of the larger multiplicity", time_of_many)
                .failure())
        return *wrong;
    const double per_operation = (time_of_many - time_of_few) / real(many - few);
    return Costs{.base = time_of_few - real(few - 1) * per_operation,
                 .per_operation = per_operation};
}

std::vector<ExplainedSymbol> explain(std::int64_t multiplicity, const Costs& costs,
                                     Estimate<Cycles> result) {
    return {{"d", real(multiplicity), "lanes", "addresses"},
            {"T_base", costs.base, "cycles", "measured"},
            {"T_op", costs.per_operation, "cycles/lane", "measured"},
            {"T", result.value(), "cycles", "inferred"}};
}

} // namespace warpbound::models::atomics
