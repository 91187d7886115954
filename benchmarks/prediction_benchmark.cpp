/// \file
/// What one prediction by each model costs for a warp of 1,000 executed instructions, and GPUMech
/// with profiling against simulating the same kernel at 48 warps.

#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/prediction.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <stdexcept>

namespace {

using namespace warpbound;
using models::prediction::Model;

template <typename Value> Value value_of(Result<Value> result) {
    if (!result) throw std::runtime_error{to_string(result.error())};
    return std::move(result).value();
}

/// Fifty turns of twenty instructions: arithmetic, a shared access, a load from DRAM and its use.
struct Kernel {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts;
    models::Architecture architecture;
    std::vector<std::size_t> path;

    Kernel() {
        std::string text = "!Arch sm_20\n!Kernel generated\nturn:\nLD R5, [R2];\nLDS R6, [R3];\n";
        for (int k = 0; k < 15; ++k)
            text += fmt::format("FADD R{0}, R{0}, R4;\n", 8 + k % 3);
        text += "FADD R6, R6, R4;\nFADD R5, R5, R6;\n@P0 BRA turn;\nEXIT;\n!EndKernel\n";
        program = value_of(assembly::read_program({.name = "generated", .text = text}));
        graph = value_of(assembly::build_control_flow_graph(program.functions.front()));
        facts.loops.push_back({0, 50, 50, {}});
        facts.memory.push_back(
            {0, models::CountRange{}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
        facts.memory.push_back(
            {8, std::nullopt, models::CountRange{}, models::MemoryLevel::Any, {}, {}});
        architecture = value_of(models::load_architecture("fermi-gtx470"));
        value_of(models::override_value(architecture, "geometry/multiprocessors", 1));
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

const Kernel& kernel() {
    static const Kernel one;
    return one;
}

void predict(benchmark::State& state, Model model) {
    const auto profile = kernel().profile();
    const auto setting = kernel().setting();
    for (auto step : state) {
        (void)step;
        const auto answer = models::prediction::predict(model, profile, setting,
                                                        models::prediction::Variant::Typical);
        if (answer.refused()) throw std::runtime_error{answer.why()};
        benchmark::DoNotOptimize(answer.time);
    }
    state.SetLabel(fmt::format("{} executed instructions", profile.steps.size()));
}
BENCHMARK_CAPTURE(predict, voudouris, Model::Voudouris)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, volkov, Model::Volkov)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, mwp_cwp, Model::MwpCwp)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, gpumech, Model::GpuMech)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, gpudiag, Model::GpuDiag)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, bsp, Model::Bsp)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, alu_fetch, Model::AluFetch)->Unit(benchmark::kMicrosecond);

/// Steps along the path, then the prediction for 48 warps.
void profile_and_predict_gpumech(benchmark::State& state) {
    const auto setting = kernel().setting();
    for (auto step : state) {
        (void)step;
        const auto answer = models::prediction::predict(Model::GpuMech, kernel().profile(), setting,
                                                        models::prediction::Variant::Typical);
        benchmark::DoNotOptimize(answer.time);
    }
}
BENCHMARK(profile_and_predict_gpumech)->Unit(benchmark::kMicrosecond);

/// One run of the same kernel with 48 warps on the simulated device.
void simulate_48_warps(benchmark::State& state) {
    const harness::Kernel launched{
        &kernel().program.functions.front(), &kernel().graph, &kernel().facts, {6, 256}};
    const auto machine =
        value_of(harness::simulator::Machine::prepare(kernel().architecture, launched));
    harness::RunOptions options;
    options.path = kernel().path;
    for (auto step : state) {
        (void)step;
        const auto observed = value_of(machine->run(options));
        benchmark::DoNotOptimize(observed.execution_time);
        ++options.seed;
    }
}
BENCHMARK(simulate_48_warps)->Unit(benchmark::kMicrosecond);

} // namespace
