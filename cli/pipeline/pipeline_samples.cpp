#include "cli/pipeline/pipeline_samples.hpp"

#include "assembly/support/source_text.hpp"
#include "harness/campaign/campaign.hpp"
#include "harness/campaign/series_identity.hpp"
#include "harness/protocol/quantity.hpp"
#include "models/pipeline/sample_file.hpp"
#include "models/time/clock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>

namespace warpbound::cli {

namespace {

using models::Nanoseconds;
using models::PipelineStage;
using models::PipelineSystem;
using Bounded = std::optional<models::LaunchIdentity>;

class SampleLoader {
public:
    explicit SampleLoader(const PipelineSystem& system) : system_{system} {}

    [[nodiscard]] Result<std::vector<std::int64_t>>
    load(const models::Pipeline& pipeline, std::size_t place, const Bounded& bounded) {
        const PipelineStage& stage = pipeline.stages[place];
        own_ = {pipeline.name, stage.name};
        bounded_ = bounded;
        const auto times = stage.samples->file.empty() ? of_campaign(stage) : of_file(stage);
        if (!times) return times.as_failure();
        std::vector<std::int64_t> own;
        for (const Nanoseconds time : times.value()) {
            if (time < stage.time->lower() || time > stage.time->upper())
                return refuse(stage, fmt::format("sample {} is {}, outside its own times, {} to {}",
                                                 own.size() + 1, models::to_string(time),
                                                 models::to_string(stage.time->lower()),
                                                 models::to_string(stage.time->upper())));
            own.push_back(time.count());
        }
        return own;
    }

    std::vector<analyzer::PipelineAssumption> assumptions() { return std::move(assumptions_); }

private:
    [[nodiscard]] Failure refuse(const PipelineStage& stage, const std::string& what) const {
        return {fmt::format("<samples> of stage '{}': {}", stage.name, what), system_.name,
                stage.samples->line};
    }
    [[nodiscard]] std::string beside(const std::string& file) const {
        return (std::filesystem::path{system_.name}.parent_path() / file).string();
    }

    /// Whether the samples are of what was bounded; what cannot be told is assumed.
    Result<void> compare(const PipelineStage& stage, const models::LaunchIdentity& runs) {
        if (stage.kind != models::StageKind::Kernel) return boost::outcome_v2::success();
        const auto [differences, not_compared] =
            models::compare(bounded_.value_or(models::LaunchIdentity{}), runs);
        if (!differences.empty())
            return refuse(stage, fmt::format("its series is of another launch: {}",
                                             fmt::join(differences, "; ")));
        if (not_compared.empty()) return boost::outcome_v2::success();
        assumptions_.push_back(
            {{"",
              fmt::format("For the estimate of misses only: the samples of '{}' are of the stage's "
                          "own launch; not compared: {}.",
                          stage.name, fmt::join(not_compared, ", ")),
              analyzer::AssumptionStatus::Unchecked, analyzer::AssumptionSubject::User},
             {own_}});
        return boost::outcome_v2::success();
    }

    [[nodiscard]] Result<std::vector<Nanoseconds>> of_file(const PipelineStage& stage) {
        if (const auto same = compare(stage, {}); !same) return same.as_failure();
        const auto source = assembly::read_source(beside(stage.samples->file));
        if (!source) return refuse(stage, to_string(source.error()));
        return models::read_sample_file(source.value(), stage.samples->unit);
    }

    [[nodiscard]] Result<std::vector<Nanoseconds>> of_campaign(const PipelineStage& stage) {
        const auto campaign = harness::Campaign::open_existing(beside(stage.samples->campaign));
        if (!campaign) return refuse(stage, to_string(campaign.error()));
        const auto series = series_of(stage, *campaign.value());
        if (!series) return series.as_failure();
        if (const auto same = compare(stage, harness::identity_of(series.value().key)); !same)
            return same.as_failure();
        const bool in_cycles = harness::unit_of(series.value().key.quantity) == "cycles";
        if (in_cycles && !system_.clock)
            return refuse(stage, "times of a campaign are cycles and no clock is known; expected "
                                 "clock=\"1590MHz\" on <pipelines>");
        const auto samples = campaign.value()->samples(series.value().id);
        if (!samples) return refuse(stage, to_string(samples.error()));
        if (const auto counted = harness::check_anomalies(series.value().key, samples.value(),
                                                          harness::counted_runs);
            !counted)
            return refuse(stage, to_string(counted.error()));
        std::vector<Nanoseconds> times;
        // A campaign holds the execution alone: the launch takes its longest.
        const Nanoseconds launch = stage.cost ? stage.cost->upper() : Nanoseconds{};
        for (const auto& sample : samples.value())
            for (const std::int64_t time : sample.times)
                times.push_back((in_cycles
                                     ? models::longest_time(models::Cycles{time}, *system_.clock)
                                     : Nanoseconds{time}) +
                                launch);
        if (times.empty())
            return refuse(stage, fmt::format("series '{}' has no runs", stage.samples->series));
        return times;
    }

    /// The one series of execution times with the stated name.
    [[nodiscard]] Result<harness::SeriesInfo> series_of(const PipelineStage& stage,
                                                        harness::Campaign& campaign) const {
        const auto all = campaign.list();
        if (!all) return refuse(stage, to_string(all.error()));
        std::optional<harness::SeriesInfo> found;
        std::string names;
        for (const auto& one : all.value()) {
            if (one.key.quantity != to_string(harness::Quantity::ExecutionTime) &&
                one.key.quantity != harness::profiled_time &&
                one.key.quantity != harness::device_time)
                continue;
            names += (names.empty() ? "'" : ", '") + one.key.name + "'";
            if (one.key.name != stage.samples->series) continue;
            if (found)
                return refuse(stage, fmt::format("several series of execution times are named "
                                                 "'{}'; expected a campaign with one",
                                                 stage.samples->series));
            found = one;
        }
        if (!found)
            return refuse(stage,
                          fmt::format("no series of execution times is named '{}'; "
                                      "expected one of {}",
                                      stage.samples->series,
                                      names.empty() ? "none: the campaign has none" : names));
        return *found;
    }

    const PipelineSystem& system_;
    // Of the stage whose samples are loaded.
    analyzer::StageName own_;
    Bounded bounded_;
    std::vector<analyzer::PipelineAssumption> assumptions_;
};

} // namespace

Result<LoadedSamples> load_samples(const PipelineSystem& system, const CompletedTimes& completed) {
    SampleLoader loader{system};
    LoadedSamples all;
    for (std::size_t p = 0; p < system.pipelines.size(); ++p) {
        const auto& pipeline = system.pipelines[p];
        analyzer::ObservedOwnTimes samples(pipeline.stages.size());
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
            if (!pipeline.stages[i].samples) continue;
            auto times = loader.load(pipeline, i, completed.bounded[p][i]);
            if (!times) return times.as_failure();
            samples[i] = std::move(times).value();
        }
        all.times.push_back(std::move(samples));
    }
    all.assumptions = loader.assumptions();
    return all;
}

} // namespace warpbound::cli
