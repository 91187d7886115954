/// \file
/// Warp instructions per second of the simulator.

#include "harness/simulator/machine.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace warpbound::harness::simulator {
namespace {

using namespace test;

/// A loop of eight instructions of an arithmetic mix, 500 iterations.
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

/// `instructions`: per warp.
void run_launch(benchmark::State& state, const models::Architecture& machine,
                const TestProgram& program, models::Launch launch, std::int64_t instructions,
                std::int64_t multiprocessors = 1, unsigned threads = 1) {
    const auto prepared = Machine::prepare(machine, program.kernel(launch), {}, multiprocessors);
    if (!prepared) throw std::runtime_error{prepared.error().what};
    RunOptions options;
    options.threads = threads;
    for (auto _ : state) {
        const auto observation = prepared.value()->run(options);
        if (!observation) throw std::runtime_error{observation.error().what};
        benchmark::DoNotOptimize(observation.value().execution_time);
        ++options.seed;
    }
    state.SetItemsProcessed(state.iterations() * launch.blocks * launch.warps_per_block() *
                            instructions);
    state.SetLabel("items are warp instructions");
}

void simulate(benchmark::State& state, models::IssueControl control) {
    const auto program = arithmetic_mix(control == models::IssueControl::Encoded);
    auto machine = small_machine(control);
    set(machine.schedulers, "count", control == models::IssueControl::Encoded ? 4 : 2);
    run_launch(state, machine, program, {1, 32 * state.range(0)}, 500 * 8 + 2);
}

/// Independent additions, 16 warps per SM: the items per second should not depend on the number of
/// SMs.
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
    set(machine.geometry, "multiprocessors", 132);
    const auto multiprocessors = state.range(0);
    set(machine.limits, "max-blocks", 1);
    run_launch(state, machine, program, {multiprocessors, 512}, 500 * 9 + 2, multiprocessors,
               static_cast<unsigned>(state.range(1)));
}
// Arguments: SMs, threads.
BENCHMARK(simulate_grid)
    ->ArgsProduct({{1, 2, 4, 8, 15, 80, 132}, {1}})
    ->Args({15, 2})
    ->Args({132, 2})
    ->UseRealTime();

BENCHMARK_CAPTURE(simulate, interlocked, models::IssueControl::Interlocked)
    ->Arg(1)
    ->Arg(16)
    ->Arg(32);
BENCHMARK_CAPTURE(simulate, encoded, models::IssueControl::Encoded)->Arg(1)->Arg(16)->Arg(32);

/// A machine whose caches and DRAM have the sizes and latencies of the GTX 480 in GPGPU-Sim.
models::Architecture machine_with_caches() {
    auto machine = cached_machine(models::IssueControl::Interlocked);
    struct Named {
        const char* memory;
        const char* name;
        std::int64_t value;
    };
    for (const Named& value : std::initializer_list<Named>{{"l1", "latency", 40},
                                                           {"l1", "sector", 128},
                                                           {"l1", "sets", 32},
                                                           {"l1", "ways", 4},
                                                           {"l1", "queue", 16},
                                                           {"l1", "mshr-entries", 64},
                                                           {"l1", "mshr-merges", 8},
                                                           {"l2", "latency", 143},
                                                           {"l2", "slices", 12},
                                                           {"l2", "sets", 64},
                                                           {"l2", "ways", 8},
                                                           {"l2", "mshr-entries", 256},
                                                           {"interconnect", "queue", 64},
                                                           {"dram", "latency", 370},
                                                           {"dram", "channels", 6},
                                                           {"dram", "banks", 16},
                                                           {"dram", "row", 2048},
                                                           {"dram", "queue", 64},
                                                           {"dram", "refresh-duration", 100}})
        set_memory(machine, value.memory, value.name, value.value);
    return machine;
}

/// A loop of 20 instructions, 200 iterations: arithmetic, four shared accesses, two global loads of
/// rows that eight warps share.
TestProgram memory_mix() {
    using enum assembly::EdgeKind;
    auto program = program_of(
        {{add(1, 0, 2)},
         {load_global(10, 0), add(1, 0, 2),        float_add(3, 1, 2),  load_shared(11, 0),
          add(4, 0, 2),       add(5, 4, 2),        store_shared(0, 3),  float_add(6, 0, 2),
          load_global(12, 0), add(7, 10, 5),       float_add(8, 11, 2), add(9, 0, 2),
          load_shared(13, 0), float_add(14, 0, 2), add(15, 12, 9),      float_add(16, 13, 2),
          store_shared(0, 8), add(17, 0, 2),       add(1, 1, 2),        branch()},
         {exit()}},
        {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}});
    add_loop(program, 1, {1}, 200, 200);
    for (const std::size_t load : {1U, 9U}) {
        auto& pattern = program.set_pattern(load);
        pattern.base = load * 0x100000;
        pattern.thread_stride = 4;
        pattern.iteration_stride = 128;
        pattern.footprint = 256 * 1024;
    }
    for (const std::size_t shared : {4U, 7U, 13U, 17U})
        program.set_pattern(shared).thread_stride = 4;
    return program;
}

/// A loop of three instructions, 200 iterations: every load accesses a line that was not accessed
/// before.
TestProgram dram_stream() {
    using enum assembly::EdgeKind;
    auto program =
        program_of({{add(1, 0, 2)}, {load_global(3, 0), add(4, 3, 2), branch()}, {exit()}},
                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}});
    add_loop(program, 1, {1}, 200, 200);
    auto& pattern = program.set_pattern(1);
    pattern.thread_stride = 4;
    pattern.warp_stride = 128;
    pattern.iteration_stride = 128 * 16;
    pattern.block_stride = 128 * 16 * 200;
    return program;
}

void simulate_memory(benchmark::State& state, const TestProgram& program,
                     std::int64_t instructions) {
    auto machine = machine_with_caches();
    const auto multiprocessors = state.range(1);
    set(machine.geometry, "multiprocessors", 15);
    set(machine.limits, "max-blocks", 3);
    run_launch(state, machine, program, {state.range(0), 512}, instructions, multiprocessors);
}
// Arguments: blocks of 16 warps, SMs.
BENCHMARK_CAPTURE(simulate_memory, mix, memory_mix(), 200 * 20 + 2)->Args({1, 1});
BENCHMARK_CAPTURE(simulate_memory, dram_stream, dram_stream(), 200 * 3 + 2)
    ->Args({3, 1})
    ->Args({15, 15})
    ->Args({45, 15});

} // namespace
} // namespace warpbound::harness::simulator
