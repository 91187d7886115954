#include "models/architecture/coverage.hpp"

#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

namespace warpbound::models {

namespace {

std::int64_t& count_of(Coverage& coverage, const SourcedValue& value) {
    if (value.grade == Grade::Unknown) return coverage.unknown;
    if (value.grade == Grade::Assumed) return coverage.assumed;
    if (value.measured == MeasuredOn::Card) return coverage.card;
    if (value.measured == MeasuredOn::Family) return coverage.family;
    return value.grade == Grade::Vendor ? coverage.vendor : coverage.derived;
}

} // namespace

Coverage coverage_of(const Architecture& machine) {
    Coverage coverage;
    for (const auto& [path, group] : value_groups(machine))
        for (const auto& value : group->values)
            ++count_of(coverage, value);
    coverage.whole_kernels = whole_kernels_of(machine);
    return coverage;
}

std::string to_string(const Coverage& coverage) {
    return fmt::format("{} of {} values measured on this card, {} on its family, {} stated by the "
                       "vendor, {} derived, {} assumed, {} unknown; {}",
                       coverage.card, coverage.total(), coverage.family, coverage.vendor,
                       coverage.derived, coverage.assumed, coverage.unknown,
                       to_string(coverage.whole_kernels));
}

} // namespace warpbound::models
