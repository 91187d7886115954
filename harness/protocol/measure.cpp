#include "harness/protocol/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace warpbound::harness {

namespace {

constexpr std::int64_t batch_runs = 256;

/// splitmix64's finalizer: every bit of the input reaches every bit of the output.
std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31U);
}

Result<Sample> one_run(const PreparedKernel& kernel, const Protocol& protocol, Quantity quantity,
                       std::int64_t run) {
    Sample sample{run, seed_of_run(protocol.seed, run), {}};
    RunOptions options;
    options.seed = sample.seed;
    options.draw = protocol.draw;
    const auto observed = kernel.run(options);
    if (!observed) return observed.as_failure();
    if (quantity == Quantity::ExecutionTime) {
        sample.times.push_back(observed.value().execution_time.count());
        return sample;
    }
    for (const auto& warp : observed.value().warps) {
        const auto region = warp.region();
        if (!region)
            return Failure{fmt::format("warp {} of block {} read the clock fewer than two times; a "
                                       "timed region needs two reads",
                                       warp.warp, warp.block),
                           "measure"};
        sample.times.push_back(region->count());
    }
    return sample;
}

/// Runs `first` .. `first + count - 1`, divided among threads; in run order whatever their number.
Result<std::vector<Sample>> run_batch(const PreparedKernel& kernel, const Protocol& protocol,
                                      Quantity quantity, std::int64_t first, std::int64_t count,
                                      unsigned threads) {
    std::vector<Sample> samples(static_cast<std::size_t>(count));
    std::atomic<std::int64_t> next{0};
    std::mutex mutex;
    std::optional<std::pair<std::int64_t, Failure>> failure; // of the earliest run that failed
    const auto work = [&] {
        for (std::int64_t i = next++; i < count; i = next++) {
            auto sample = one_run(kernel, protocol, quantity, first + i);
            if (sample) {
                samples[static_cast<std::size_t>(i)] = std::move(sample).value();
                continue;
            }
            const std::lock_guard lock{mutex};
            if (!failure || i < failure->first) failure.emplace(i, sample.error());
        }
    };
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < std::min<unsigned>(threads, static_cast<unsigned>(count)); ++i)
        workers.emplace_back(work);
    work();
    for (auto& worker : workers)
        worker.join();
    if (failure) return failure->second;
    return samples;
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
                         unsigned threads, const Progress& progress) {
    const auto prepared = device.prepare(kernel);
    if (!prepared) return prepared.as_failure();
    Measured measured;
    measured.series.key = std::move(key);
    if (campaign != nullptr) {
        auto series = campaign->series(measured.series.key);
        if (!series) return series.as_failure();
        measured.series = std::move(series).value();
        auto recorded = campaign->samples(measured.series.id);
        if (!recorded) return recorded.as_failure();
        measured.samples = std::move(recorded).value();
    }
    const auto done = [&] { return static_cast<std::int64_t>(measured.samples.size()); };
    measured.complete = true;
    if (done() < protocol.repetitions)
        // Negative run numbers: no recorded run has their seeds.
        for (std::int64_t run = 1; run <= protocol.warm_up; ++run)
            if (auto warm = one_run(*prepared.value(), protocol, quantity, -run); !warm)
                return warm.as_failure();
    while (done() < protocol.repetitions) {
        const std::int64_t count = std::min(batch_runs, protocol.repetitions - done());
        auto batch =
            run_batch(*prepared.value(), protocol, quantity, done(), count, std::max(1U, threads));
        if (!batch) return batch.as_failure();
        if (campaign != nullptr)
            if (auto appended = campaign->append(measured.series.id, batch.value()); !appended)
                return appended.as_failure();
        measured.samples.insert(measured.samples.end(),
                                std::make_move_iterator(batch.value().begin()),
                                std::make_move_iterator(batch.value().end()));
        if (progress && !progress(done(), protocol.repetitions)) {
            measured.complete = done() >= protocol.repetitions;
            break;
        }
    }
    measured.series.runs = done();
    return measured;
}

} // namespace warpbound::harness
