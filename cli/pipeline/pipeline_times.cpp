#include "cli/pipeline/pipeline_times.hpp"

#include "cli/bounds/code_bounds.hpp"
#include "cli/program/command.hpp"
#include "models/pipeline/described_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace warpbound::cli {

namespace {

using models::PipelineStage;
using models::PipelineSystem;

class StageTimes {
public:
    StageTimes(PipelineSystem& system, double work_after)
        : system_{system}, work_left_{work_after} {}

    Result<CompletedTimes> complete() {
        bool needs_machine = false;
        for (const auto& pipeline : system_.pipelines)
            for (const auto& stage : pipeline.stages) {
                needs_machine = needs_machine || !stage.time;
                if (stage.code) work_left_ += 1;
            }
        if (needs_machine || !system_.machine.empty())
            if (const auto loaded = load(); !loaded) return loaded.as_failure();
        if (needs_machine)
            if (const auto known = know_clock(); !known) return known.as_failure();
        for (auto& pipeline : system_.pipelines) {
            done_.bounded.emplace_back();
            for (auto& stage : pipeline.stages) {
                done_.bounded.back().emplace_back();
                if (!stage.time)
                    if (const auto done =
                            stage.code ? bound_kernel(pipeline.name, stage) : bound_copy(stage);
                        !done)
                        return done.as_failure();
            }
        }
        try {
            if (system_.clock) models::use_clock(system_, *system_.clock);
        } catch (const std::overflow_error&) {
            return Failure{"a kernel takes 2^63 ns or more at the lowest clock", system_.name};
        }
        return std::move(done_);
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

    Result<void> bound_kernel(const std::string& pipeline, PipelineStage& stage) {
        const auto beside = [&](const std::string& file) {
            return (std::filesystem::path{system_.name}.parent_path() / file).string();
        };
        const StopScope scope{current_stop().with_share(1 / work_left_)};
        work_left_ -= 1;
        const auto bounded = bound_code(
            {.file = beside(stage.code->file),
             .kernel = stage.code->kernel,
             .flow_facts =
                 stage.code->flow_facts.empty() ? std::string{} : beside(stage.code->flow_facts),
             .policy = stage.code->policy,
             .machine = system_.machine,
             .launch = models::to_string(stage.code->launch),
             .multiprocessors = fmt::format("{}", system_.servers[*stage.server].multiprocessors),
             .bounds_traffic = models::needs_derived_traffic(system_, stage)});
        if (!bounded) return refuse(stage, to_string(bounded.error()));
        for (const std::string& step : scope.dropped())
            say("warpbound: stage '{}': a limit stopped {}; its bounds are sound without it\n",
                stage.name, step);
        done_.bounded.back().back() = bounded.value().launched;
        const auto cycles = models::with_launch(*machine_, stage, bounded.value().cycles);
        if (!cycles) return refuse(stage, cycles.error().what);
        stage.cycles = cycles.value();
        if (const auto& traffic = bounded.value().traffic) {
            if (*traffic)
                models::take_derived_traffic(stage, traffic->value());
            else
                stage.traffic_refusal = to_string(traffic->error());
        }
        for (const auto& assumption : bounded.value().assumptions)
            add(assumption, {pipeline, stage.name});
        return boost::outcome_v2::success();
    }

    /// One row for each text, with the stages whose bounds rest on it.
    void add(const analyzer::Assumption& assumption, const analyzer::StageName& of) {
        const auto [row, is_new] = rows_.emplace(assumption.text, done_.assumptions.size());
        if (is_new) done_.assumptions.push_back({assumption, {}});
        done_.assumptions[row->second].stages.push_back(of);
    }

    Result<void> bound_copy(PipelineStage& stage) {
        const auto time = models::described_copy(*machine_, stage);
        if (!time) return refuse(stage, time.error().what);
        stage.basis = models::TimeBasis::Bounded;
        stage.time = time.value();
        return boost::outcome_v2::success();
    }

    PipelineSystem& system_;
    double work_left_; ///< In kernels, this one and what follows all of them included.
    std::optional<models::Architecture> machine_;
    CompletedTimes done_;
    std::map<std::string, std::size_t> rows_; ///< Of the assumptions, by text.
};

} // namespace

Result<CompletedTimes> complete_times(PipelineSystem& system, double work_after) {
    return StageTimes{system, work_after}.complete();
}

} // namespace warpbound::cli
