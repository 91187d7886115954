#include "models/profile_summary.hpp"

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

void count_access(const ProfileStep& step, std::vector<AccessCount>& accesses) {
    for (auto& access : accesses)
        if (access.opcode_class == step.opcode_class && access.passes == step.passes &&
            access.level == step.level && access.bytes_per_lane == step.bytes_per_lane) {
            ++access.count;
            return;
        }
    accesses.push_back({step.opcode_class, step.passes, step.level, step.bytes_per_lane, 1});
}

} // namespace

ProfileSummary summary_of(std::span<const ProfileStep> steps) {
    ProfileSummary summary;
    std::array<std::int64_t, assembly::opcode_class_count> counts{};
    for (const auto& step : steps) {
        ++counts.at(static_cast<std::size_t>(step.opcode_class));
        ++summary.distances.at(range_of(step));
        if (is_memory_access(step.opcode_class)) count_access(step, summary.accesses);
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
