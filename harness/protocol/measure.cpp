#include "harness/protocol/measure.hpp"

#include "harness/protocol/crew.hpp"
#include "harness/protocol/resampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>

namespace warpbound::harness {

namespace {

/// Runs between two commits. A commit costs a few flushes of the disk however much it holds, so a
/// long series takes larger steps; what a kill loses stays below a sixteenth of the series, or 256.
std::int64_t batch_runs(std::int64_t done) {
    return std::clamp<std::int64_t>(done / 16, 256, 8192);
}

Result<Sample> one_run(const PreparedKernel& kernel, const Protocol& protocol, Quantity quantity,
                       std::int64_t run) {
    Sample sample{run, seed_of_run(protocol.seed, run), {}, {}};
    RunOptions options;
    options.seed = sample.seed;
    options.draw = protocol.draw;
    auto outcome = kernel.run(options);
    if (!outcome) return outcome.as_failure();
    sample.remark = std::move(outcome.value().remark);
    if (!gives_times(sample.remark.trouble)) return sample;
    auto times = times_of(outcome.value().observation, quantity);
    if (!times) return times.as_failure();
    sample.times = std::move(times).value();
    return sample;
}

/// Whether the series says of itself what is about to be run.
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

/// Whether recorded samples are those that the protocol would have given: the seed of each run
/// follows from the protocol's, and a sample has at least one time or says why not.
Result<void> check_recorded(const std::vector<Sample>& samples, const SeriesKey& key,
                            const Protocol& protocol, Quantity quantity) {
    for (const Sample& sample : samples) {
        const std::uint64_t seed = seed_of_run(protocol.seed, sample.run);
        if (sample.seed != seed)
            return Failure{fmt::format("cannot be resumed: run {} was recorded with seed {}, and "
                                       "with '{}' it has seed {}",
                                       sample.run, sample.seed, key.protocol, seed),
                           key.name};
        if (!gives_times(sample.remark.trouble)) continue;
        const bool one = quantity == Quantity::ExecutionTime;
        if (sample.times.empty() || (one && sample.times.size() != 1))
            return Failure{fmt::format("cannot be resumed: run {} was recorded with {} times, and "
                                       "{} was expected",
                                       sample.run, sample.times.size(),
                                       one ? "one" : "at least one"),
                           key.name};
    }
    return boost::outcome_v2::success();
}

/// Requires: a run that lost the device.
Failure lost_at(const std::vector<Sample>& samples, const SeriesKey& key) {
    const auto lost = std::find_if(samples.rbegin(), samples.rend(), [](const Sample& sample) {
        return sample.remark.trouble == Trouble::DeviceLost;
    });
    return Failure{fmt::format("the device was lost in run {}: {}", lost->run, lost->remark.text),
                   key.name};
}

} // namespace

std::string to_string(const Protocol& protocol) {
    return fmt::format("warm-up {}, draw {}, seed {}", protocol.warm_up, to_string(protocol.draw),
                       protocol.seed);
}

std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run) {
    return mix(mix(seed) ^ static_cast<std::uint64_t>(run));
}

Result<Measured> measure(const Device& device, const Kernel& kernel, SeriesKey key,
                         const Protocol& protocol, Quantity quantity, Campaign* campaign,
                         unsigned threads, const Progress& progress,
                         const std::function<bool()>& stop) {
    const auto prepared = device.prepare(kernel);
    if (!prepared) return prepared.as_failure();
    Measured measured;
    measured.series.key = std::move(key);
    if (campaign != nullptr) {
        const auto same = check_key(device, kernel, measured.series.key, protocol, quantity);
        if (!same) return same.as_failure();
        auto series = campaign->series(measured.series.key);
        if (!series) return series.as_failure();
        measured.series = std::move(series).value();
        auto recorded = campaign->samples(measured.series.id);
        if (!recorded) return recorded.as_failure();
        measured.samples = std::move(recorded).value();
        const auto belongs =
            check_recorded(measured.samples, measured.series.key, protocol, quantity);
        if (!belongs) return belongs.as_failure();
    }
    const auto done = [&] { return static_cast<std::int64_t>(measured.samples.size()); };
    measured.series.runs = done();
    measured.complete = true;
    if (done() >= protocol.repetitions) return measured;
    threads = std::min(threads, device.runs_at_once());
    if (campaign != nullptr) {
        Conditions conditions = device.conditions();
        const Conditions of_code = prepared.value()->conditions();
        conditions.insert(conditions.end(), of_code.begin(), of_code.end());
        const auto noted = campaign->note_conditions(measured.series.id, done(), conditions);
        if (!noted) return noted.as_failure();
    }
    // Negative run numbers: no recorded run has their seeds.
    for (std::int64_t run = 1; run <= protocol.warm_up; ++run)
        if (auto warm = one_run(*prepared.value(), protocol, quantity, -run); !warm)
            return warm.as_failure();
    std::atomic<bool> lost = false;
    const auto stops = [&] { return lost || (stop && stop()); };
    while (done() < protocol.repetitions) {
        const std::int64_t count = std::min(batch_runs(done()), protocol.repetitions - done());
        const auto run = [&](std::int64_t number) {
            auto sample = one_run(*prepared.value(), protocol, quantity, number);
            if (sample && sample.value().remark.trouble == Trouble::DeviceLost) lost = true;
            return sample;
        };
        Batch<Sample> batch = Crew<Sample>{run, done(), count, stops}.run(threads);
        // What succeeded before a failure is recorded like any other run.
        if (campaign != nullptr) {
            const auto appended = campaign->append(measured.series.id, batch.done);
            if (!appended && !batch.exception) return appended.as_failure();
        }
        if (batch.exception) std::rethrow_exception(batch.exception);
        if (batch.failure) return *batch.failure;
        measured.samples.insert(measured.samples.end(), std::make_move_iterator(batch.done.begin()),
                                std::make_move_iterator(batch.done.end()));
        measured.series.runs = done();
        if (lost) return lost_at(measured.samples, measured.series.key);
        const bool stopped = stop && stop();
        if ((progress && !progress(done(), protocol.repetitions)) || stopped) {
            measured.complete = done() >= protocol.repetitions;
            break;
        }
    }
    return measured;
}

} // namespace warpbound::harness
