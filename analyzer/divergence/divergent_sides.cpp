#include "analyzer/divergence/divergent_sides.hpp"

#include "analyzer/divergence/serialized_executions.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/launch/single_path.hpp"
#include "analyzer/value/kernel_parameters.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr int most_branches_named = 4;

/// What the user can state where divergence is assumed and not bounded.
Failure with_advice(Failure refusal, const TimedKernel& kernel, const models::Launch& launch) {
    std::string facts;
    int branches = 0;
    for (const models::DivergentFact& fact : kernel.stated->divergents) {
        const auto index = kernel.function->index_of(fact.at);
        if (!index) continue;
        const auto flow = kernel.function->instructions[*index].control_flow;
        if (flow == assembly::ControlFlow::None || flow == assembly::ControlFlow::Exit) continue;
        if (++branches <= most_branches_named)
            facts +=
                fmt::format("{}<uniform at=\"0x{:04x}\"/>", branches == 1 ? "" : ", ", fact.at);
    }
    if (branches == 0) return refusal;
    if (branches > most_branches_named)
        facts += fmt::format(" and {} more", branches - most_branches_named);
    refusal.what += fmt::format("; where the lanes of a warp always agree at a branch, state so in "
                                "the flow facts: {}",
                                facts);
    if (!launch.shape && reads_block_shape(*kernel.function))
        refusal.what += fmt::format("; the launch leaves the extents of the block open, by which "
                                    "branches may be uniform: {}x{},block={} if it has one row",
                                    launch.blocks, launch.threads, launch.threads);
    return refusal;
}

} // namespace

Result<Sides> sides_of(const AnalysisContext& context, const models::Launch& launch) {
    auto representatives = representative_paths(context.kernel, context.launch.policy);
    AnalysisContext lower =
        representatives ? representative_context(context, *representatives) : context;
    if (!has_divergent_branch(*context.kernel.function, *context.kernel.stated) ||
        lanes_share_one_path(context.kernel))
        return Sides{std::move(lower), context, nullptr, std::move(representatives)};
    auto serialized = serialized_cfg(context.kernel);
    if (!serialized) return with_advice(serialized.error(), context.kernel, launch);
    auto cfg = std::make_unique<const SerializedCfg>(std::move(serialized).value());
    lower.kernel = single_lane_kernel(lower.kernel);
    AnalysisContext upper = context;
    upper.kernel = serialized_kernel(context.kernel, *cfg);
    upper.launch.executions =
        on_serialized_paths(context.kernel, *cfg, std::move(upper.launch.executions));
    return Sides{std::move(lower), std::move(upper), std::move(cfg), std::move(representatives)};
}

} // namespace warpbound::analyzer
