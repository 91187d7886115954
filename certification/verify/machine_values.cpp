#include "certification/verify/machine_values.hpp"

#include <fmt/format.h>

namespace warpbound::certification::verify {

models::Interval known_value(const KernelCase& kernel, const models::ValueGroup& group,
                             const char* path, const char* name) {
    const auto interval = models::require(kernel.architecture, group, path, name);
    if (!interval) refuted(kernel.id + ": " + to_string(interval.error()));
    return interval.value();
}

std::int64_t exact_number(const KernelCase& kernel, const models::ValueGroup& group,
                          const char* path, const char* name, std::int64_t least) {
    const models::Interval interval = known_value(kernel, group, path, name);
    const auto lo = interval.lo;
    const auto hi = interval.hi;
    if (lo != hi || lo < least || lo > largest_exact_number)
        refuted(fmt::format("{}: {}/{} is {}..{}; one number from {} to 2^40 was expected",
                            kernel.id, path, name, lo, hi, least));
    return lo;
}

} // namespace warpbound::certification::verify
