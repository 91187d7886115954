#include "cli/pipeline_times.hpp"

#include "analyzer/launch/needs.hpp"
#include "cli/command.hpp"
#include "cli/launch_analysis.hpp"
#include "models/pipeline/described_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace warpbound::cli {

namespace {

using models::PipelineStage;
using models::PipelineSystem;

class StageTimes {
public:
    StageTimes(PipelineSystem& system, double time_limit)
        : system_{system}, time_limit_{time_limit} {}

    Result<std::vector<analyzer::Assumption>> complete() {
        bool needs_machine = false;
        for (const auto& pipeline : system_.pipelines)
            for (const auto& stage : pipeline.stages)
                needs_machine = needs_machine || !stage.time;
        if (needs_machine)
            if (const auto loaded = load(); !loaded) return loaded.as_failure();
        for (auto& pipeline : system_.pipelines)
            for (auto& stage : pipeline.stages)
                if (!stage.time)
                    if (const auto done = stage.code ? bound_kernel(stage) : bound_copy(stage);
                        !done)
                        return done.as_failure();
        if (system_.clock) models::use_clock(system_, *system_.clock);
        return std::move(assumptions_);
    }

private:
    Failure refuse(const PipelineStage& stage, const std::string& what) const {
        return {fmt::format("stage '{}': {}", stage.name, what), system_.name, stage.line};
    }

    Result<void> load() {
        if (system_.machine.empty())
            for (const auto& pipeline : system_.pipelines)
                for (const auto& stage : pipeline.stages)
                    if (!stage.time)
                        return refuse(
                            stage, stage.code ? "its code needs machine=\"turing-t4\" or another "
                                                "description on <pipelines>, or its time "
                                                "at-most=\"2ms\" instead of the code"
                                              : "its time is not stated; expected "
                                                "at-most=\"2ms\", or a machine that describes "
                                                "copies on <pipelines>");
        auto machine = load_machine({.architecture = system_.machine, .assumed = {}});
        if (!machine) return machine.as_failure();
        machine_ = std::move(machine).value();
        if (system_.clock) return boost::outcome_v2::success();
        const auto described = models::described_clock(*machine_);
        if (!described)
            return Failure{"no clock is known; expected clock=\"1590MHz\" on <pipelines>",
                           system_.name};
        system_.clock = described->range;
        return boost::outcome_v2::success();
    }

    Result<void> bound_kernel(PipelineStage& stage) {
        AnalysisOptions options;
        const auto beside = [&](const std::string& file) {
            return (std::filesystem::path{system_.name}.parent_path() / file).string();
        };
        options.launch.kernel.file = beside(stage.code->file);
        options.launch.kernel.kernel = stage.code->kernel;
        options.launch.kernel.takes_facts = true;
        if (!stage.code->flow_facts.empty())
            options.launch.kernel.flow_facts = beside(stage.code->flow_facts);
        options.launch.machine.architecture = system_.machine;
        options.launch.launch.launch = models::to_string(stage.code->launch);
        options.policy = stage.code->policy;
        options.multiprocessors = fmt::format("{}", system_.servers[*stage.server].multiprocessors);
        const StopScope scope = watch_for_interrupt(time_limit_);
        const auto inputs = load_launch(options.launch);
        if (!inputs) return refuse(stage, to_string(inputs.error()));
        auto planned = analysis_of(options, inputs.value());
        if (!planned) return refuse(stage, to_string(planned.error()));
        planned.value().request.follow_branches = true;
        const auto needs = analyzer::needs_of(planned.value().request);
        if (!needs) return refuse(stage, to_string(needs.error()));
        if (!needs.value().empty())
            return refuse(stage, fmt::format("{}; `warpbound bound {} --gpu {} --launch {}` lists "
                                             "what to state",
                                             needs.value().front().what, options.launch.kernel.file,
                                             system_.machine, options.launch.launch.launch));
        const auto analysis = analyzer::analyze(planned.value().request);
        if (!analysis) return refuse(stage, to_string(analysis.error()));
        const auto cycles =
            models::with_launch(*machine_, stage, analysis.value().execution_time.bounds());
        if (!cycles) return refuse(stage, cycles.error().what);
        stage.cycles = cycles.value();
        for (const auto& assumption : analysis.value().assumptions)
            if (texts_.insert(assumption.text).second) assumptions_.push_back(assumption);
        return boost::outcome_v2::success();
    }

    Result<void> bound_copy(PipelineStage& stage) {
        const auto time = models::described_copy(*machine_, stage);
        if (!time) return refuse(stage, time.error().what);
        stage.basis = models::TimeBasis::Bounded;
        stage.time = time.value();
        return boost::outcome_v2::success();
    }

    PipelineSystem& system_;
    double time_limit_;
    std::optional<models::Architecture> machine_;
    std::vector<analyzer::Assumption> assumptions_;
    std::set<std::string> texts_;
};

} // namespace

Result<std::vector<analyzer::Assumption>> complete_times(PipelineSystem& system,
                                                         double time_limit) {
    return StageTimes{system, time_limit}.complete();
}

} // namespace warpbound::cli
