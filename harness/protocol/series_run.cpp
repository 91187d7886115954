#include "harness/protocol/series_run.hpp"

#include "harness/protocol/run_order.hpp"
#include "harness/protocol/worker_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

/// Checks that the key of the series matches the run that is about to be made.
Result<void> check_key(const Device& device, const Kernel& kernel, const SeriesKey& key,
                       const Protocol& protocol, Quantity quantity) {
    const auto differs = [&](std::string_view field, const std::string& series,
                             const std::string& run) {
        return Failure{fmt::format("the series is of {} '{}', the run of '{}'", field, series, run),
                       key.name};
    };
    const DeviceIdentity identity = device.identity();
    if (key.device != identity.name) return differs("device", key.device, identity.name);
    if (key.device_detail != identity.detail)
        return differs("machine", key.device_detail, identity.detail);
    if (key.protocol != to_string(protocol))
        return differs("protocol", key.protocol, to_string(protocol));
    if (key.launch != models::to_string(kernel.launch))
        return differs("launch", key.launch, models::to_string(kernel.launch));
    if (key.quantity != to_string(quantity))
        return differs("quantity", key.quantity, std::string{to_string(quantity)});
    if (kernel.facts != nullptr && !kernel.facts->program_digest.empty() &&
        key.kernel_digest != kernel.facts->program_digest)
        return differs("kernel", key.kernel_digest, kernel.facts->program_digest);
    return boost::outcome_v2::success();
}

/// Checks that the recorded samples are consistent with the protocol: the seed of each run is
/// derived from the protocol's, and a quantity with one value per run has a value that the launch
/// can give.
Result<void> check_recorded(const std::vector<Sample>& samples, const SeriesKey& key,
                            const Protocol& protocol, Quantity quantity,
                            const models::Launch& launch) {
    for (const Sample& sample : samples) {
        const std::uint64_t seed = seed_of_run(protocol.seed, sample.run);
        if (sample.seed != seed)
            return Failure{fmt::format("cannot be resumed: run {} was recorded with seed {}, and "
                                       "with '{}' it has seed {}",
                                       sample.run, sample.seed, key.protocol, seed),
                           key.name};
        if (!gives_times(sample.remark.anomaly) || !is_one_number(quantity)) continue;
        if (auto wrong = contradiction_in(sample.times, quantity, launch); !wrong.empty())
            return Failure{fmt::format("cannot be resumed: run {} {}", sample.run, wrong),
                           key.name};
    }
    return boost::outcome_v2::success();
}

} // namespace

Result<std::unique_ptr<SeriesRun>> SeriesRun::begin(const Device& device, const Kernel& kernel,
                                                    const PreparedKernel& prepared, SeriesKey key,
                                                    const Protocol& protocol, Quantity quantity,
                                                    Campaign* campaign) {
    std::unique_ptr<SeriesRun> series{
        new SeriesRun{device, prepared, protocol, quantity, campaign}};
    series->measured_.series.key = std::move(key);
    if (auto supported = prepared.supports(quantity); !supported) return supported.as_failure();
    if (campaign == nullptr) return series;
    const auto same = check_key(device, kernel, series->measured_.series.key, protocol, quantity);
    if (!same) return same.as_failure();
    auto info = campaign->series(series->measured_.series.key);
    if (!info) return info.as_failure();
    series->measured_.series = std::move(info).value();
    auto recorded = campaign->samples(series->measured_.series.id);
    if (!recorded) return recorded.as_failure();
    const auto belongs = check_recorded(recorded.value(), series->measured_.series.key, protocol,
                                        quantity, kernel.launch);
    if (!belongs) return belongs.as_failure();
    series->recorded_ = static_cast<std::int64_t>(recorded.value().size());
    for (auto& sample : recorded.value()) {
        series->rule_->observe(run_time(sample));
        series->measured_.samples.push_back(std::move(sample));
    }
    return series;
}

bool SeriesRun::wants_more() const {
    return !rule_->has_enough() && !time_is_up_ && runs() < protocol_.repetitions;
}

bool SeriesRun::loses_device(const Sample& sample) const {
    // A replayed loss of the device is in the past: later runs were made.
    return sample.remark.anomaly == RunAnomaly::DeviceLost && !device_->replays();
}

Result<Sample> SeriesRun::one_run(std::int64_t number, unsigned threads) const {
    Sample sample{number, seed_of_run(protocol_.seed, number), {}, {}};
    RunOptions options;
    options.seed = sample.seed;
    options.draw = protocol_.draw;
    options.threads = threads;
    auto outcome = prepared_->run(options);
    if (!outcome) return outcome.as_failure();
    sample.remark = std::move(outcome.value().remark);
    if (!gives_times(sample.remark.anomaly)) return sample;
    auto times = times_of(outcome.value().observation, quantity_);
    if (!times) return times.as_failure();
    sample.times = std::move(times).value();
    if (auto wrong = contradiction_in(sample); !wrong.empty())
        return Failure{std::move(wrong), measured_.series.key.name};
    return sample;
}

Result<void> SeriesRun::prepare_runs(const std::function<bool()>& stop) {
    warm_ = true;
    if (device_->replays()) {
        conditions_ = prepared_->recorded_conditions();
        return boost::outcome_v2::success();
    }
    Conditions conditions = device_->conditions();
    const Conditions of_code = prepared_->conditions();
    conditions.insert(conditions.end(), of_code.begin(), of_code.end());
    conditions_ = {{runs(), std::move(conditions)}};
    const auto time_of = [this](std::int64_t number) -> Result<std::optional<std::int64_t>> {
        // Warm-up runs have negative numbers: no recorded run has their seeds.
        const auto sample = one_run(-number, 1);
        if (!sample) return sample.as_failure();
        return run_time(sample.value());
    };
    auto warmed = harness::warm_up(protocol_.warm_up, time_of, stop);
    if (!warmed) return warmed.as_failure();
    measured_.warm_up = warmed.value();
    return boost::outcome_v2::success();
}

bool SeriesRun::add(Sample sample) {
    if (rule_->has_enough()) return false;
    rule_->observe(run_time(sample));
    measured_.samples.push_back(std::move(sample));
    return true;
}

Result<void> SeriesRun::advance(std::int64_t count, unsigned threads,
                                const std::function<bool()>& stop) {
    const auto began = std::chrono::steady_clock::now();
    if (!warm_)
        if (auto warmed = prepare_runs(stop); !warmed) return warmed;
    count = std::min(count, protocol_.repetitions - runs());
    const unsigned of_each = threads_of_each(threads, count);
    Batch<Sample> batch = WorkerPool<Sample>{
        [&](std::int64_t number) { return one_run(number, of_each); }, runs(), count, stop,
        [this](const Sample& sample) {
            return loses_device(sample);
        }}.run(std::min(threads, device_->runs_at_once()));
    bool lost = false;
    for (auto& sample : batch.done)
        lost = add(std::move(sample)) && loses_device(measured_.samples.back());
    spent_ += std::chrono::steady_clock::now() - began;
    time_is_up_ = protocol_.time_cap && spent_ >= *protocol_.time_cap;
    if (lost)
        return Failure{fmt::format("the device was lost in run {}: {}",
                                   measured_.samples.back().run,
                                   measured_.samples.back().remark.text),
                       measured_.series.key.name};
    // Failures after the last run that was needed are ignored.
    if (rule_->has_enough()) return boost::outcome_v2::success();
    if (batch.exception) std::rethrow_exception(batch.exception);
    if (batch.failure) return *batch.failure;
    return boost::outcome_v2::success();
}

Result<void> SeriesRun::record() {
    if (campaign_ == nullptr || recorded_ == runs()) return boost::outcome_v2::success();
    const std::vector<Sample> fresh{measured_.samples.begin() + recorded_, measured_.samples.end()};
    // In one transaction, so that conditions are never recorded without the runs made under them.
    auto recorded = campaign_->in_one_transaction([&]() -> Result<void> {
        for (const auto& noted : conditions_) {
            if (noted.first_run < recorded_ || noted.first_run >= runs()) continue;
            auto done =
                campaign_->note_conditions(measured_.series.id, noted.first_run, noted.conditions);
            if (!done) return done;
        }
        return campaign_->append(measured_.series.id, fresh);
    });
    if (recorded) recorded_ = runs();
    return recorded;
}

Measured SeriesRun::take() {
    measured_.series.runs = runs();
    const bool tested = protocol_.stop.kind != StopKind::Fixed;
    if (tested) measured_.converged = rule_->has_enough() ? Converged::Yes : Converged::No;
    if (measured_.converged == Converged::Yes)
        measured_.ending = Ending::Enough;
    else if (runs() >= protocol_.repetitions)
        measured_.ending = Ending::AllRuns;
    else
        measured_.ending = time_is_up_ ? Ending::TimeCap : Ending::Interrupted;
    return std::move(measured_);
}

} // namespace warpbound::harness
