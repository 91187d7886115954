#include "cli/pipeline_times.hpp"

#include "cli/code_bounds.hpp"
#include "cli/command.hpp"
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
        if (needs_machine || !system_.machine.empty())
            if (const auto loaded = load(); !loaded) return loaded.as_failure();
        if (needs_machine)
            if (const auto known = know_clock(); !known) return known.as_failure();
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
        return check_partitions();
    }

    /// A partition is SMs of its own.
    Result<void> check_partitions() const {
        const auto described =
            models::require(*machine_, machine_->geometry, "geometry", "multiprocessors");
        if (!described) return boost::outcome_v2::success();
        std::int64_t sum = 0;
        for (const auto& server : system_.servers)
            sum += server.multiprocessors;
        if (sum <= described.value().hi) return boost::outcome_v2::success();
        return Failure{
            fmt::format("the partitions have {} multiprocessors, and {} has {}; expected "
                        "partitions that share none",
                        sum, system_.machine, described.value().hi),
            system_.name};
    }

    Result<void> know_clock() {
        if (system_.clock) return boost::outcome_v2::success();
        const auto described = models::described_clock(*machine_);
        if (!described)
            return Failure{"no clock is known; expected clock=\"1590MHz\" on <pipelines>",
                           system_.name};
        system_.clock = described->range;
        return boost::outcome_v2::success();
    }

    Result<void> bound_kernel(PipelineStage& stage) {
        const auto beside = [&](const std::string& file) {
            return (std::filesystem::path{system_.name}.parent_path() / file).string();
        };
        const auto bounded = bound_code(
            {.file = beside(stage.code->file),
             .kernel = stage.code->kernel,
             .flow_facts =
                 stage.code->flow_facts.empty() ? std::string{} : beside(stage.code->flow_facts),
             .policy = stage.code->policy,
             .machine = system_.machine,
             .launch = models::to_string(stage.code->launch),
             .multiprocessors = fmt::format("{}", system_.servers[*stage.server].multiprocessors)},
            time_limit_);
        if (!bounded) return refuse(stage, to_string(bounded.error()));
        const auto cycles = models::with_launch(*machine_, stage, bounded.value().cycles);
        if (!cycles) return refuse(stage, cycles.error().what);
        stage.cycles = cycles.value();
        for (const auto& assumption : bounded.value().assumptions)
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
