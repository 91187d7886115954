/// \file
/// How many warp instructions per second the simulator runs.

#include "harness/simulator/machine.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace warpbound::harness::simulator {
namespace {

using namespace test;

/// A loop of eight instructions of an arithmetic mix, 500 turns.
TestProgram arithmetic_mix(bool encoded) {
    using enum assembly::EdgeKind;
    auto program = program_of({{add(1, 0, 2)},
                               {float_add(3, 1, 2), add(4, 0, 2), add(5, 4, 2), float_add(6, 0, 2),
                                float_add(7, 6, 2), add(1, 1, 2), add(8, 5, 7), branch()},
                               {exit()}},
                              {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}});
    add_loop(program, 1, {1}, 500, 500);
    if (!encoded) return program;
    for (auto& instruction : program.function.instructions)
        instruction.control = stall(2);
    return program;
}

void simulate(benchmark::State& state, models::IssueControl control) {
    const auto program = arithmetic_mix(control == models::IssueControl::Encoded);
    auto machine = small_machine(control);
    set(machine.schedulers, "count", control == models::IssueControl::Encoded ? 4 : 2);
    const auto warps = state.range(0);
    const auto prepared = Machine::prepare(machine, program.kernel({1, 32 * warps}));
    if (!prepared) throw std::runtime_error{prepared.error().what};
    RunOptions options;
    for (auto _ : state) {
        const auto observation = prepared.value()->run(options);
        if (!observation) throw std::runtime_error{observation.error().what};
        benchmark::DoNotOptimize(observation.value().execution_time);
        ++options.seed;
    }
    state.SetItemsProcessed(state.iterations() * warps * (500 * 8 + 2));
    state.SetLabel("items are warp instructions");
}
/// Independent multiply-adds, 16 warps on each of so many SMs: the items a second should not depend
/// on their number.
void simulate_grid(benchmark::State& state) {
    using enum assembly::EdgeKind;
    std::vector<assembly::Instruction> body;
    for (int result = 1; result <= 8; ++result)
        body.push_back(float_add(result, 0, 9));
    body.push_back(branch());
    auto program = program_of({{add(1, 0, 2)}, body, {exit()}},
                              {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}});
    add_loop(program, 1, {1}, 500, 500);
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", 15);
    const auto multiprocessors = state.range(0);
    set(machine.limits, "max-blocks", 1);
    const auto prepared = Machine::prepare(
        machine, program.kernel({multiprocessors, std::int64_t{512}}), {}, multiprocessors);
    if (!prepared) throw std::runtime_error{prepared.error().what};
    RunOptions options;
    for (auto _ : state) {
        const auto observation = prepared.value()->run(options);
        if (!observation) throw std::runtime_error{observation.error().what};
        benchmark::DoNotOptimize(observation.value().execution_time);
        ++options.seed;
    }
    state.SetItemsProcessed(state.iterations() * multiprocessors * 16 * (500 * 9 + 2));
    state.SetLabel("items are warp instructions");
}
BENCHMARK(simulate_grid)->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Arg(15);

BENCHMARK_CAPTURE(simulate, interlocked, models::IssueControl::Interlocked)
    ->Arg(1)
    ->Arg(16)
    ->Arg(32);
BENCHMARK_CAPTURE(simulate, encoded, models::IssueControl::Encoded)->Arg(1)->Arg(16)->Arg(32);

} // namespace
} // namespace warpbound::harness::simulator
