#include "models/kernel/profile_summary.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models {
namespace {

/// Position in `distance_ranges`.
std::size_t range_of(const ProfileStep& step) {
    constexpr std::array<std::int64_t, 5> last{1, 2, 4, 8, 16};
    if (step.distances.empty()) return 0;
    const auto* const found = std::ranges::lower_bound(last, step.distances.front());
    return 1 + static_cast<std::size_t>(found - last.begin());
}

void count_access(const ProfileStep& step, std::int64_t executions,
                  std::vector<AccessCount>& accesses) {
    for (auto& access : accesses)
        if (access.opcode_class == step.opcode_class && access.passes == step.passes &&
            access.level == step.level && access.bytes_per_lane == step.bytes_per_lane) {
            access.count += executions;
            return;
        }
    accesses.push_back(
        {step.opcode_class, step.passes, step.level, step.bytes_per_lane, executions});
}

} // namespace

ProfileSummary summary_of(const Steps& steps) {
    ProfileSummary summary;
    std::array<std::int64_t, assembly::opcode_class_count> counts{};
    for (std::size_t kind = 0; kind < steps.kinds().size(); ++kind) {
        const ProfileStep& step = steps.kinds()[kind];
        const std::int64_t executions = steps.executions()[kind];
        if (executions == 0) continue;
        counts.at(static_cast<std::size_t>(step.opcode_class)) += executions;
        summary.distances.at(range_of(step)) += executions;
        if (is_memory_access(step.opcode_class)) count_access(step, executions, summary.accesses);
    }
    for (std::size_t index = 0; index < counts.size(); ++index)
        if (counts.at(index) > 0)
            summary.mix.push_back({static_cast<assembly::OpcodeClass>(index), counts.at(index)});
    return summary;
}

std::string to_string(const std::optional<CountRange>& passes) {
    if (!passes) return "not stated";
    return passes->min == passes->max ? fmt::format("{}", passes->min)
                                      : fmt::format("{}..{}", passes->min, passes->max);
}

} // namespace warpbound::models
