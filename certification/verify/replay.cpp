#include "certification/verify/replay.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "certification/verify/worker_threads.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/protocol/measure.hpp"
#include "models/statistics/resampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <set>

namespace warpbound::certification::verify {

namespace {

/// Nothing for a protocol that a series on the simulated device does not have.
std::optional<harness::Draw> draw_of_protocol(const std::string& protocol) {
    using enum harness::Draw;
    for (const auto draw : {Uniform, Extremes, AllLow, AllHigh, Adversarial})
        if (protocol.find(fmt::format(", draw {}, seed ", to_string(draw))) != std::string::npos)
            return draw;
    return std::nullopt;
}

/// Core cycles between the end of the last warp and that of a run.
constexpr std::int64_t slack = 100'000;

/// Core cycles of one check, without `--replay`: some seconds.
constexpr std::int64_t most_cycles = 200'000'000;

/// A series with what runs it.
struct Replayed {
    const Series* series = nullptr;
    const harness::PreparedKernel* code = nullptr;
    harness::Quantity quantity = harness::Quantity::ExecutionTime;
    harness::Draw draw = harness::Draw::Uniform;
    /// Core cycles that no run exceeds, if its samples are right. No value where only the run's own
    /// times say it.
    std::optional<std::int64_t> longest;
};

/// Refuses a series of another machine or of other flow facts than those of the kernel.
void check_device(const KernelCase& kernel, const Series& series,
                  const harness::DeviceIdentity& device) {
    const harness::SeriesKey& key = series.key;
    const auto differs = [&](const char* field, const std::string& stated,
                             const std::string& expected) {
        refuted(fmt::format("{}: {} '{}'; expected '{}', that of {}: only runs on the "
                            "simulated device of the bundle's inputs are evidence",
                            series.path, field, stated, expected, kernel.id));
    };
    if (key.device != device.name) differs("device", key.device, device.name);
    if (key.device_detail != device.detail)
        differs("device-detail", key.device_detail, device.detail);
    if (key.facts_digest != kernel.facts.digest)
        differs("facts-digest", key.facts_digest, kernel.facts.digest);
}

/// The claimed bound on the execution time, of quantities that are a part of it.
std::optional<std::int64_t> longest_run(const KernelCase& kernel, harness::Quantity quantity) {
    if (quantity == harness::Quantity::ExecutionTime) return std::nullopt;
    for (const ClaimRow& claim : kernel.claims)
        if (claim.upper && claim.quantity == "execution-time") return claim.value;
    return std::nullopt;
}

Replayed replayed(const KernelCase& kernel, const Series& series,
                  const harness::PreparedKernel& code) {
    const harness::SeriesKey& key = series.key;
    const auto draw = draw_of_protocol(key.protocol);
    if (!draw)
        refuted(fmt::format("{}: protocol '{}' names no draw of the simulated device", series.path,
                            key.protocol));
    const auto quantity = harness::parse_quantity(key.quantity, series.path);
    if (!quantity) refuted(to_string(quantity.error()));
    if (auto supported = code.supports(quantity.value()); !supported)
        refuted(series.path + ": " + to_string(supported.error()));
    return {&series, &code, quantity.value(), *draw, longest_run(kernel, quantity.value())};
}

/// Core cycles after which a run cannot take the recorded times any more.
std::int64_t longest_replay(const Replayed& one, std::size_t run) {
    const auto times = one.series->samples[run].times;
    const std::int64_t recorded = *std::max_element(times.begin(), times.end());
    return std::min(one.longest.value_or(recorded), std::int64_t{1} << 60U) + slack;
}

/// What is wrong with a run; empty: it takes the recorded times again.
std::string difference_in(const Replayed& one, std::size_t run) {
    const harness::PackedSamples::Run sample = one.series->samples[run];
    harness::RunOptions options;
    options.seed = sample.seed;
    options.draw = one.draw;
    options.longest = longest_replay(one, run);
    const auto outcome = one.code->run(options);
    const auto where = [&] {
        return fmt::format("{}: run {} (seed {})", one.series->path, run, sample.seed);
    };
    if (!outcome) return where() + " cannot be simulated: " + to_string(outcome.error());
    const auto times = harness::times_of(outcome.value().observation, one.quantity);
    if (!times) return where() + " has no times: " + to_string(times.error());
    if (std::equal(times.value().begin(), times.value().end(), sample.times.begin(),
                   sample.times.end()))
        return {};
    if (times.value().size() != sample.times.size())
        return fmt::format("{} has {} times, and simulated again {}", where(), sample.times.size(),
                           times.value().size());
    const auto [stated, made] =
        std::mismatch(sample.times.begin(), sample.times.end(), times.value().begin());
    return fmt::format("{} says {} cycles, and simulated again it takes {}", where(), *stated,
                       *made);
}

/// The first difference in order of the runs; the number of threads does not change it.
std::string first_difference_in(const Replayed& one, const std::vector<std::size_t>& runs,
                                unsigned threads) {
    std::vector<std::string> differences(runs.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> found{false};
    const auto work = [&] {
        // Runs are begun in order, and those begun are ended: none before one that differs is
        // left out.
        while (!found) {
            const std::size_t i = next++;
            if (i >= runs.size()) break;
            try {
                differences[i] = difference_in(one, runs[i]);
            } catch (const std::exception& error) { // values that no certify writes
                differences[i] =
                    fmt::format("{}: run {}: {}", one.series->path, runs[i], error.what());
            }
            if (!differences[i].empty()) found = true;
        }
    };
    run_in_threads(threads, work);
    const auto first = std::find_if(differences.begin(), differences.end(),
                                    [](const auto& text) { return !text.empty(); });
    return first == differences.end() ? std::string{} : *first;
}

struct Amount {
    std::size_t series = 0;
    std::size_t runs = 0;
    std::size_t replayed = 0;
    std::int64_t cycles = 0; ///< Of the runs, at most.
};

void replay_kernel(const KernelCase& kernel, const ReplayChoice& choice, unsigned threads,
                   Amount& amount) {
    if (kernel.series.empty()) return;
    const auto graph = assembly::build_control_flow_graph(*kernel.function);
    if (!graph) incomplete(kernel.id + ": " + to_string(graph.error()));
    const auto device =
        harness::simulated_device(kernel.architecture, kernel.policy, kernel.multiprocessors);
    for (const Series& series : kernel.series)
        check_device(kernel, series, device->identity());
    const harness::Kernel launched{kernel.function, &graph.value(), &kernel.facts, kernel.launch};
    const auto code = device->prepare(launched);
    if (!code)
        refuted(fmt::format("{}: {} cannot be simulated: {}", kernel.series.front().path, kernel.id,
                            to_string(code.error())));
    for (const Series& series : kernel.series) {
        const std::vector<std::size_t> runs = chosen_runs(series, choice);
        const Replayed one = replayed(kernel, series, *code.value());
        if (!choice.all)
            for (const std::size_t run : runs) {
                amount.cycles += std::min(longest_replay(one, run) - slack, most_cycles);
                if (amount.cycles > most_cycles)
                    throw Finding{Verdict::Undecided,
                                  fmt::format("{}: the runs to be simulated again take more than "
                                              "{} core cycles; --replay simulates them however "
                                              "long it takes",
                                              series.path, most_cycles)};
            }
        const auto wrong = first_difference_in(one, runs, threads);
        if (!wrong.empty()) refuted(wrong);
        ++amount.series;
        amount.runs += series.samples.size();
        amount.replayed += runs.size();
    }
}

} // namespace

std::vector<std::size_t> chosen_runs(const Series& series, const ReplayChoice& choice) {
    constexpr std::size_t fewest = 16;
    constexpr std::size_t most_chosen = 256;
    const auto& samples = series.samples;
    std::set<std::size_t> runs;
    const std::size_t wanted =
        choice.all ? samples.size()
                   : std::min(samples.size(), std::clamp(samples.size() / 16, fewest, most_chosen));
    if (wanted == samples.size()) {
        std::vector<std::size_t> all(samples.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        return all;
    }
    models::Resampling random{choice.seed, series.path, 0};
    while (runs.size() < wanted)
        runs.insert(static_cast<std::size_t>(random.below(samples.size())));
    std::size_t longest = 0;
    std::size_t shortest = 0;
    const auto most = [&](std::size_t run) { return std::ranges::max(samples[run].times); };
    const auto least = [&](std::size_t run) { return std::ranges::min(samples[run].times); };
    for (std::size_t run = 1; run < samples.size(); ++run) {
        if (most(run) > most(longest)) longest = run;
        if (least(run) < least(shortest)) shortest = run;
    }
    runs.insert({longest, shortest});
    return {runs.begin(), runs.end()};
}

StepResult check_replay(const Evidence& evidence, const ReplayChoice& choice, unsigned threads) {
    try {
        Amount amount;
        for (const auto& kernel : evidence.kernels)
            replay_kernel(*kernel, choice, threads, amount);
        if (amount.series == 0)
            return {"replay", Verdict::NotApplicable, "the bundle holds no recorded runs"};
        const std::string choice_text =
            amount.replayed == amount.runs
                ? std::string{}
                : fmt::format("; chosen with --replay-seed {}, --replay takes all", choice.seed);
        return {"replay", Verdict::Holds,
                fmt::format("{} of {} runs in {} series simulated again, each took the recorded "
                            "times{}",
                            amount.replayed, amount.runs, amount.series, choice_text)};
    } catch (const Finding& finding) {
        return {"replay", finding.verdict, finding.what()};
    } catch (const std::exception& error) { // values that no certify writes
        return {"replay", Verdict::Incomplete, error.what()};
    }
}

} // namespace warpbound::certification::verify
