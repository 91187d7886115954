#include "models/application/plan.hpp"

#include <array>

namespace warpbound::models::application {

std::string_view to_string(ServerKind kind) {
    constexpr std::array<std::string_view, 3> names{"cores", "device", "link"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(OperationKind kind) {
    constexpr std::array<std::string_view, operation_kinds> names{
        "computation", "kernel", "host-to-device", "device-to-host", "message"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(Collective collective) {
    constexpr std::array<std::string_view, 5> names{
        "broadcast by a binomial tree", "reduction by a binomial tree",
        "allreduce by recursive doubling", "allreduce on a ring", "barrier by dissemination"};
    return names.at(static_cast<std::size_t>(collective));
}

TimeRange Plan::time_of(const Operation& operation) const {
    TimeRange range = times.at(operation.time).time.value();
    if (!operation.extra) return range;
    const TimeRange more = times.at(*operation.extra).time.value();
    return {range.lo + more.lo, range.typical + more.typical, range.hi + more.hi};
}

} // namespace warpbound::models::application
