/// \file
/// Cost of recording: repetitions per second with recording, and a campaign of 10 million samples
/// opened, listed and summarised.

#include "harness/campaign/exchange.hpp"
#include "harness/protocol/run_order.hpp"
#include "harness/suite/emission/emission.hpp"
#include "harness/suite/measure_point.hpp"
#include "tests/support/temporary_folder.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace warpbound::harness {
namespace {

template <typename Value> Value value_of(Result<Value> result) {
    if (!result) throw std::runtime_error{to_string(result.error())};
    return std::move(result).value();
}

/// 100 independent additions between two clock reads, one warp.
BenchmarkPoint hundred_additions(const models::Architecture& architecture) {
    using assembly::OpcodeClass;
    std::vector<Operation> operations;
    operations.push_back({"S2R R0, SR_ClockLo", OpcodeClass::ClockRead, 0, {}});
    for (int i = 0; i < 100; ++i)
        operations.push_back({fmt::format("FADD R{}, R2, R3", 8 + i % 40),
                              OpcodeClass::FloatAdd,
                              8 + i % 40,
                              {2, 3}});
    operations.push_back({"S2R R1, SR_ClockLo", OpcodeClass::ClockRead, 1, {}});
    operations.push_back({"EXIT", OpcodeClass::Exit, -1, {}});
    BenchmarkPoint point;
    point.name = point.benchmark = "hundred-additions";
    point.text = value_of(emit("timed_region", operations, architecture)).text;
    point.facts.kernel = "timed_region";
    point.facts.program_digest = assembly::digest_of(point.text);
    point.launch = {1, 32};
    return point;
}

/// The argument: repetitions of a series. Each iteration records a separate campaign.
void record(benchmark::State& state, unsigned threads) {
    const auto architecture = value_of(models::load_architecture("fermi-gtx470"));
    const auto point = hundred_additions(architecture);
    const auto device = value_of(open_device("simulated:fermi-gtx470"));
    const tests::TemporaryFolder folder;
    int files = 0;
    Protocol protocol;
    protocol.repetitions = state.range(0);
    for (auto _ : state) {
        const auto campaign =
            value_of(Campaign::open(folder.path() / fmt::format("{}.db", files++)));
        const auto measured =
            value_of(measure_point(*device, point, protocol, campaign.get(), threads));
        benchmark::DoNotOptimize(measured.samples.size());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetLabel("items are repetitions, recorded");
}
BENCHMARK_CAPTURE(record, one_thread, 1U)->Arg(500)->Arg(20'000)->UseRealTime();
BENCHMARK_CAPTURE(record, two_threads, 2U)->Arg(500)->Arg(20'000)->UseRealTime();

/// 1000 series of 10,000 runs, created once.
const std::filesystem::path& ten_million_samples() {
    static const tests::TemporaryFolder folder;
    static const std::filesystem::path file = [] {
        const auto path = folder.path() / "ten-million.db";
        const auto campaign = value_of(Campaign::open(path));
        for (int series = 0; series < 1000; ++series) {
            const auto info = value_of(
                campaign->series({fmt::format("point/n={}", series), "simulated:fermi-gtx470",
                                  "sha256:0", "warm-up 10, draw uniform, seed 1",
                                  fmt::format("sha256:{}", series), "", "1x32", "region"}));
            std::vector<Sample> samples;
            for (std::int64_t run = 0; run < 10'000; ++run) {
                const std::uint64_t seed = seed_of_run(static_cast<std::uint64_t>(series), run);
                samples.push_back({run, seed, {400 + static_cast<std::int64_t>(seed % 150)}, {}});
            }
            if (auto done = campaign->append(info.id, samples); !done)
                throw std::runtime_error{to_string(done.error())};
        }
        return path;
    }();
    return file;
}

void open_and_list(benchmark::State& state) {
    const auto& file = ten_million_samples();
    for (auto _ : state) {
        const auto campaign = value_of(Campaign::open_existing(file));
        const auto list = value_of(campaign->list());
        if (list.size() != 1000) throw std::runtime_error{"series are missing"};
    }
}
BENCHMARK(open_and_list)->Unit(benchmark::kMillisecond);

/// Best to worst, modes and the order tests of every series.
void summarise_all(benchmark::State& state) {
    const auto& file = ten_million_samples();
    for (auto _ : state) {
        const auto campaign = value_of(Campaign::open_existing(file));
        const auto list = value_of(campaign->list());
        for (const auto& info : list) {
            const auto times = run_times(value_of(campaign->samples(info.id)));
            benchmark::DoNotOptimize(summarise(times).worst);
            benchmark::DoNotOptimize(examine(times).drift());
        }
    }
    state.SetItemsProcessed(state.iterations() * 10'000'000);
    state.SetLabel("items are samples");
}
BENCHMARK(summarise_all)->Unit(benchmark::kSecond)->Iterations(1);

/// Export as CSV, which is discarded.
void export_all(benchmark::State& state) {
    const auto& file = ten_million_samples();
    for (auto _ : state) {
        const auto campaign = value_of(Campaign::open_existing(file));
        std::size_t bytes = 0;
        const auto written = write_campaign(*campaign, CampaignFormat::Csv,
                                            [&](std::string_view text) { bytes += text.size(); });
        if (!written) throw std::runtime_error{to_string(written.error())};
        benchmark::DoNotOptimize(bytes);
    }
    state.SetItemsProcessed(state.iterations() * 10'000'000);
    state.SetLabel("items are samples");
}
BENCHMARK(export_all)->Unit(benchmark::kSecond)->Iterations(1);

} // namespace
} // namespace warpbound::harness
