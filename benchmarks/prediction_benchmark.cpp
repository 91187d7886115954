/// \file
/// Cost of one prediction by each model for a warp of 1,000 executed instructions; GPUMech with
/// profiling compared with simulation of the same kernel at 48 warps, as a loop and as
/// straight-line code; and the additional cost of estimating the hits of an address pattern.

#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/prediction.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace {

using namespace warpbound;
using models::prediction::Model;

template <typename Value> Value value_of(Result<Value> result) {
    if (!result) throw std::runtime_error{to_string(result.error())};
    return std::move(result).value();
}

/// The form of the fifty iterations.
enum class Shape {
    Loop,     ///< As a loop.
    Straight, ///< Unrolled fifty times, without branches.
    Shuffled, ///< Unrolled, each addition with three random registers: nothing repeats.
    Pattern   ///< As a loop; the load goes through caches by its address pattern.
};

/// Caches of the GTX 480 in GPGPU-Sim, with one of 12 slices of the L2.
constexpr std::pair<const char*, std::int64_t> caches[] = {{"classes/load-global/pass-cost", 2},
                                                           {"memories/l1/line", 128},
                                                           {"memories/l1/sector", 128},
                                                           {"memories/l1/sets", 32},
                                                           {"memories/l1/ways", 4},
                                                           {"memories/l1/latency", 45},
                                                           {"memories/l2/line", 128},
                                                           {"memories/l2/sector", 32},
                                                           {"memories/l2/sets", 64},
                                                           {"memories/l2/ways", 8},
                                                           {"memories/l2/slices", 1},
                                                           {"memories/l2/latency", 310}};

/// Fifty iterations of twenty instructions: arithmetic, a shared access, a load from DRAM and its
/// use.
struct Kernel {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts;
    models::Architecture architecture;
    std::vector<std::size_t> path;

    explicit Kernel(Shape shape) {
        const bool straight = shape == Shape::Straight || shape == Shape::Shuffled;
        const int written = straight ? 50 : 1;
        std::uint64_t random = 1;
        std::string text = "!Arch sm_20\n!Kernel generated\nturn:\n";
        std::int64_t address = 0;
        for (int iteration = 0; iteration < written; ++iteration) {
            text += "LD R5, [R2];\nLDS R6, [R3];\n";
            facts.memory.push_back(
                {address, models::CountRange{}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
            facts.memory.push_back({address + 8,
                                    std::nullopt,
                                    models::CountRange{},
                                    models::MemoryLevel::Any,
                                    {},
                                    {}});
            for (std::uint64_t k = 0; k < 15; ++k) {
                random = random * 6364136223846793005U + 1442695040888963407U;
                const std::uint64_t register_index = shape == Shape::Shuffled ? random >> 33U : k;
                text += fmt::format("FADD R{0}, R{0}, R4;\n", 8 + register_index % 3);
            }
            text += "FADD R6, R6, R4;\nFADD R5, R5, R6;\n";
            if (straight) text += "FADD R7, R7, R4;\n";
            address += 20 * 8;
        }
        if (!straight) text += "@P0 BRA iteration;\n";
        text += "EXIT;\n!EndKernel\n";
        program = value_of(assembly::read_program({.name = "generated", .text = text}));
        graph = value_of(assembly::build_control_flow_graph(program.functions.front()));
        architecture = value_of(models::load_architecture("fermi-gtx470"));
        value_of(models::override_value(architecture, "geometry/multiprocessors", 1));
        path.push_back(0);
        if (straight) return;
        if (shape == Shape::Pattern) {
            for (const auto& [value, number] : caches)
                value_of(models::override_value(architecture, value, number));
            facts.memory.front() = {0, {}, {}, models::MemoryLevel::Any, {}, {}};
            facts.memory.front().pattern = models::AddressPattern{.thread_stride = 4,
                                                                  .warp_stride = 128,
                                                                  .block_stride = 1024,
                                                                  .iteration_stride = 6144,
                                                                  .random = {}};
        }
        facts.loops.push_back({0, 50, 50, {}});
        path.assign(50, 0);
        path.push_back(1);
    }

    [[nodiscard]] models::NamedProfile profile() const {
        models::NamedProfile made;
        made.steps = value_of(models::steps_along(program.functions.front(), graph, path, facts));
        made.counts = models::counts_of(made.steps);
        return made;
    }

    [[nodiscard]] models::prediction::Setting setting() const {
        models::prediction::Setting made{.architecture = architecture, .launch = {6, 256}};
        const std::pair<const char*, double> stated[] = {{"miss-registers", 64},
                                                         {"line-bytes", 128},
                                                         {"registers", 16},
                                                         {"shared-memory", 0},
                                                         {"bsp-lambda", 1},
                                                         {"simd-engines", 1},
                                                         {"transactions-per-fetch", 1.0},
                                                         {"output-cost", 100.0}};
        for (const auto& [name, value] : stated)
            value_of(made.stated.set(name, value));
        return made;
    }
};

const Kernel& kernel(Shape shape = Shape::Loop) {
    static const std::array kernels{Kernel{Shape::Loop}, Kernel{Shape::Straight},
                                    Kernel{Shape::Shuffled}, Kernel{Shape::Pattern}};
    return kernels.at(static_cast<std::size_t>(shape));
}

void predict(benchmark::State& state, Model model, Shape shape) {
    const auto profile = kernel(shape).profile();
    const auto setting = kernel(shape).setting();
    for (auto step : state) {
        (void)step;
        const auto answer = models::prediction::predict(model, profile, setting,
                                                        models::prediction::Variant::Typical);
        if (answer.refused()) throw std::runtime_error{answer.why()};
        benchmark::DoNotOptimize(answer.time);
    }
    state.SetLabel(fmt::format("{} executed instructions", profile.steps.size()));
}
BENCHMARK_CAPTURE(predict, voudouris, Model::Voudouris, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, volkov, Model::Volkov, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, mwp_cwp, Model::MwpCwp, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, gpumech, Model::GpuMech, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, gpudiag, Model::GpuDiag, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, bsp, Model::Bsp, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, alu_fetch, Model::AluFetch, Shape::Loop)->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(predict, volkov_straight, Model::Volkov, Shape::Straight)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, gpumech_straight, Model::GpuMech, Shape::Straight)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(predict, gpumech_shuffled, Model::GpuMech, Shape::Shuffled)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, gpumech_pattern, Model::GpuMech, Shape::Pattern)
    ->Unit(benchmark::kMicrosecond);

/// Steps along the path, then the prediction for 48 warps.
void profile_and_predict_gpumech(benchmark::State& state, Shape shape) {
    const auto setting = kernel(shape).setting();
    for (auto step : state) {
        (void)step;
        const auto answer = models::prediction::predict(
            Model::GpuMech, kernel(shape).profile(), setting, models::prediction::Variant::Typical);
        benchmark::DoNotOptimize(answer.time);
    }
}
BENCHMARK_CAPTURE(profile_and_predict_gpumech, loop, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_and_predict_gpumech, straight, Shape::Straight)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_and_predict_gpumech, shuffled, Shape::Shuffled)
    ->Unit(benchmark::kMicrosecond);

/// The same kernel with 48 warps on the simulated device: prepared, and run once.
void simulate_48_warps(benchmark::State& state, Shape shape) {
    const Kernel& one = kernel(shape);
    const harness::Kernel launched{
        &one.program.functions.front(), &one.graph, &one.facts, {6, 256}};
    harness::RunOptions options;
    options.path = one.path;
    for (auto step : state) {
        (void)step;
        const auto machine =
            value_of(harness::simulator::Machine::prepare(one.architecture, launched));
        const auto observed = value_of(machine->run(options));
        benchmark::DoNotOptimize(observed.execution_time);
        ++options.seed;
    }
}
BENCHMARK_CAPTURE(simulate_48_warps, loop, Shape::Loop)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulate_48_warps, straight, Shape::Straight)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulate_48_warps, shuffled, Shape::Shuffled)->Unit(benchmark::kMicrosecond);

} // namespace
