#include "models/formulas/prediction/representative.hpp"

#include "models/formulas/prediction/predictors.hpp"

#include <fmt/format.h>

#include <vector>

namespace warpbound::models::prediction {

Result<Representative> representative_of(std::span<const NamedProfile> warps,
                                         const Setting& setting, Variant variant) {
    Inputs inputs{setting.architecture, setting.stated, variant};
    const auto slot = inputs.described("schedulers/issue-slot");
    std::vector<gpumech::WarpPerformance> performances;
    for (const NamedProfile& warp : warps) {
        const Question question{warp, setting};
        const auto timed = timed_steps_of(question, inputs);
        if (!inputs.missing().empty())
            return Failure{fmt::format("to choose among several warps: needs {}",
                                       fmt::join(inputs.missing(), "; ")),
                           warp.name};
        const auto alone = single_warp(question, timed, static_cast<std::int64_t>(*slot));
        if (!alone) return alone.as_failure();
        const auto performance = gpumech::performance_of(alone.value().intervals, 1);
        if (!performance) return performance.as_failure();
        performances.push_back(performance.value());
    }
    const auto found = gpumech::representative(performances);
    if (!found) return found.as_failure();
    return Representative{.warp = found.value().warp, .cluster_size = found.value().cluster_size};
}

} // namespace warpbound::models::prediction
