#include "harness/protocol/user_kernel_series.hpp"

#include "harness/protocol/quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace warpbound::harness {

namespace {

/// Of the runs so far.
constexpr std::string_view skipped_name = "periods-skipped";
constexpr std::size_t batch = 32;
constexpr std::int64_t batch_time = 1'000'000'000; ///< `Unit:` ns.

std::string output_name(const std::string& buffer) {
    return "output " + buffer;
}

std::string protocol_text(const UserKernelIdentity& identity, const UserKernelProtocol& protocol) {
    std::vector<std::string> checked;
    for (const std::size_t buffer : protocol.checked)
        checked.push_back(identity.buffers[buffer]);
    return fmt::format("user's kernel, release {}, warm-up {}, outputs {}, module {}{}{}",
                       to_string(protocol.release), protocol.warm_up,
                       checked.empty() ? "none" : fmt::format("{}", fmt::join(checked, "+")),
                       identity.module_digest, identity.co_runner.empty() ? "" : ", co-runner ",
                       identity.co_runner);
}

class UserKernelMeasurement {
public:
    UserKernelMeasurement(const UserKernelIdentity& identity, const UserKernelProtocol& protocol,
                          Campaign* campaign)
        : identity_{&identity}, protocol_{&protocol}, campaign_{campaign} {
        series_.key = identity.key;
        series_.key.protocol = protocol_text(identity, protocol);
        series_.key.quantity = device_time;
    }

    /// Reads what the campaign has.
    Result<void> begin() {
        if (campaign_ == nullptr) return boost::outcome_v2::success();
        auto id = recorded(series_.key, series_.device);
        if (!id) return id.as_failure();
        device_id_ = id.value();
        if (has_host_time(protocol_->release)) {
            SeriesKey key = series_.key;
            key.quantity = host_time;
            id = recorded(key, series_.host);
            if (!id) return id.as_failure();
            host_id_ = id.value();
        }
        auto conditions = campaign_->conditions(device_id_);
        if (!conditions) return conditions.as_failure();
        series_.conditions = std::move(conditions).value();
        noted_ = series_.conditions.size();
        kept_ = series_.device.size();
        skipped_ = series_.skipped();
        for (const auto& [first_run, conditions] : series_.conditions)
            if (reference_.empty() && has_outputs(conditions)) reference_ = conditions;
        return boost::outcome_v2::success();
    }

    [[nodiscard]] std::int64_t runs() const {
        return static_cast<std::int64_t>(series_.device.size());
    }

    void add(UserRun run) {
        check_outputs(run);
        Sample sample;
        sample.run = runs();
        sample.seed = static_cast<std::uint64_t>(sample.run);
        sample.remark = run.remark;
        const bool timed = gives_times(run.remark.anomaly);
        Conditions conditions = conditions_of(run);
        if (noted_ == series_.conditions.size() ||
            series_.conditions.back().conditions != conditions)
            series_.conditions.push_back({sample.run, std::move(conditions)});
        if (timed) sample.times = {run.device_time};
        series_.device.push_back(sample);
        if (!has_host_time(protocol_->release)) return;
        if (timed) sample.times = {run.host_time};
        series_.host.push_back(std::move(sample));
    }

    [[nodiscard]] std::size_t pending() const { return series_.device.size() - kept_; }

    /// Records what is not recorded yet.
    Result<void> record() {
        if (campaign_ == nullptr || pending() == 0) return boost::outcome_v2::success();
        const auto done = campaign_->in_one_transaction([this]() -> Result<void> {
            for (const auto& [id, samples] :
                 {std::pair{device_id_, &series_.device}, std::pair{host_id_, &series_.host}}) {
                if (samples->empty()) continue;
                for (std::size_t i = noted_; i < series_.conditions.size(); ++i)
                    if (auto noted = campaign_->note_conditions(id, series_.conditions[i].first_run,
                                                                series_.conditions[i].conditions);
                        !noted)
                        return noted;
                if (auto added = campaign_->append(
                        id,
                        {samples->begin() + static_cast<std::ptrdiff_t>(kept_), samples->end()});
                    !added)
                    return added;
            }
            return boost::outcome_v2::success();
        });
        if (!done) return done;
        kept_ = series_.device.size();
        noted_ = series_.conditions.size();
        return boost::outcome_v2::success();
    }

    UserKernelSeries take(Ending ending) {
        series_.ending = ending;
        return std::move(series_);
    }

private:
    Result<std::int64_t> recorded(const SeriesKey& key, std::vector<Sample>& samples) {
        const auto info = campaign_->series(key);
        if (!info) return info.as_failure();
        auto all = campaign_->samples(info.value().id);
        if (!all) return all.as_failure();
        samples = std::move(all).value();
        return info.value().id;
    }

    /// Marks a run whose outputs differ from those of the first run.
    void check_outputs(UserRun& run) {
        if (run.outputs.size() != identity_->buffers.size()) return;
        for (const std::size_t i : protocol_->checked) {
            const std::string* const first =
                find_condition(reference_, output_name(identity_->buffers[i]));
            if (first == nullptr || *first == run.outputs[i] || !counts(run.remark.anomaly))
                continue;
            run.remark = {RunAnomaly::Output,
                          fmt::format("buffer '{}' has {}; the first run left {}",
                                      identity_->buffers[i], run.outputs[i], *first)};
        }
    }

    [[nodiscard]] bool has_outputs(const Conditions& conditions) const {
        return std::all_of(identity_->buffers.begin(), identity_->buffers.end(),
                           [&](const auto& buffer) {
                               return find_condition(conditions, output_name(buffer)) != nullptr;
                           });
    }

    Conditions conditions_of(const UserRun& run) {
        Conditions all = identity_->conditions;
        all.insert(all.end(), run.state.begin(), run.state.end());
        for (std::size_t i = 0; i < run.outputs.size(); ++i)
            all.emplace_back(output_name(identity_->buffers[i]), run.outputs[i]);
        skipped_ += run.skipped;
        if (skipped_ > 0) all.emplace_back(skipped_name, std::to_string(skipped_));
        std::sort(all.begin(), all.end());
        if (reference_.empty() && has_outputs(all)) reference_ = all;
        return all;
    }

    const UserKernelIdentity* identity_;
    const UserKernelProtocol* protocol_;
    Campaign* campaign_;
    UserKernelSeries series_;
    std::int64_t device_id_ = 0;
    std::int64_t host_id_ = 0;
    std::size_t kept_ = 0;  ///< Runs that are recorded.
    std::size_t noted_ = 0; ///< Conditions that are.
    Conditions reference_;  ///< Of the first run with outputs.
    std::int64_t skipped_ = 0;
};

} // namespace

const std::string* find_condition(const Conditions& conditions, std::string_view name) {
    const auto found = std::find_if(conditions.begin(), conditions.end(),
                                    [&](const auto& one) { return one.first == name; });
    return found == conditions.end() ? nullptr : &found->second;
}

std::int64_t UserKernelSeries::wrong_outputs() const {
    return std::count_if(device.begin(), device.end(), [](const Sample& sample) {
        return sample.remark.anomaly == RunAnomaly::Output;
    });
}

std::int64_t UserKernelSeries::skipped() const {
    if (conditions.empty()) return 0;
    const auto* const value = find_condition(conditions.back().conditions, skipped_name);
    return value == nullptr ? 0 : std::strtoll(value->c_str(), nullptr, 10);
}

Result<UserKernelSeries>
measure_user_kernel(const std::function<Result<UserRun>(const ReleasePattern&)>& run,
                    const UserKernelIdentity& identity, const UserKernelProtocol& protocol,
                    const HostClock& clock, Campaign* campaign, const Progress& progress) {
    UserKernelMeasurement measurement{identity, protocol, campaign};
    if (auto begun = measurement.begin(); !begun) return begun.as_failure();
    const std::int64_t began = clock.now();
    std::int64_t last_record = began;
    Ending ending = Ending::AllRuns;
    std::int64_t warm_up = measurement.runs() < protocol.repetitions ? protocol.warm_up : 0;
    while (measurement.runs() < protocol.repetitions) {
        if (protocol.time_cap && clock.now() - began > *protocol.time_cap) ending = Ending::TimeCap;
        if (progress && !progress(measurement.runs(), protocol.repetitions))
            ending = Ending::Interrupted;
        if (ending != Ending::AllRuns) break;
        auto made = run(protocol.release);
        if (!made) return made.as_failure();
        const Remark remark = made.value().remark;
        const bool is_lost =
            remark.anomaly == RunAnomaly::DeviceLost || remark.anomaly == RunAnomaly::TimeOut;
        if (warm_up > 0 && !is_lost) {
            --warm_up;
            continue;
        }
        const std::int64_t number = measurement.runs();
        measurement.add(std::move(made).value());
        if (is_lost || measurement.pending() >= batch || clock.now() - last_record > batch_time) {
            if (auto recorded = measurement.record(); !recorded) return recorded.as_failure();
            last_record = clock.now();
        }
        if (is_lost)
            return Failure{fmt::format("the device was lost in run {}: {}", number, remark.text),
                           identity.key.name};
    }
    if (auto recorded = measurement.record(); !recorded) return recorded.as_failure();
    return measurement.take(ending);
}

} // namespace warpbound::harness
