#include "tests/support/mixed_accesses.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "tests/support/bottleneck_accesses.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/strided_accesses.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {

using namespace harness::simulator::test;

namespace {

bool one_of(RandomSource& choose, std::int64_t n) {
    return choose.whole(0, n - 1) == 0;
}

/// Short latencies, few queue and MSHR entries, and one or two slow servers.
RandomAccesses scarce_resource_accesses(std::uint64_t seed) {
    using enum assembly::EdgeKind;
    RandomSource choose{seed};
    std::vector<assembly::Instruction> body;
    const std::int64_t loads = choose.whole(1, 3);
    for (int load = 0; load < loads; ++load)
        body.push_back(load_global(10 + load, 0));
    if (one_of(choose, 2)) body.push_back(add(20, 20, 10));
    if (one_of(choose, 3)) body.push_back(store_global(0, 20));
    if (one_of(choose, 4)) body.push_back(barrier());
    body.push_back(branch());
    RandomAccesses result{program_of({{add(1, 0, 0)}, body, {exit()}},
                                     {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                          cached_machine(models::IssueControl::Interlocked),
                          {choose.whole(1, 3), 32 * choose.whole(2, 4)}};
    const std::int64_t iterations = choose.whole(1, 6);
    add_loop(result.program, 1, {1}, iterations, iterations);
    for (const std::size_t index : result.program.global_accesses()) {
        auto& pattern = result.program.set_pattern(index);
        pattern.base = index << 20U;
        pattern.thread_stride = static_cast<std::uint64_t>(choose.whole(0, 2) * 4);
        pattern.warp_stride = 128 * static_cast<std::uint64_t>(choose.whole(0, 2));
        pattern.block_stride = 4 * pattern.warp_stride;
        pattern.iteration_stride = 4096 * static_cast<std::uint64_t>(choose.whole(0, 1));
    }
    const auto short_or_long = [&](std::int64_t longest) {
        return one_of(choose, 4) ? choose.whole(longest / 2, longest) : choose.whole(1, 2);
    };
    const auto give = [&](const char* memory, const char* name, std::int64_t value) {
        set_memory(result.machine, memory, name, value);
    };
    for (const auto opcode_class :
         {assembly::OpcodeClass::LoadGlobal, assembly::OpcodeClass::StoreGlobal}) {
        auto& timing = result.machine.classes[opcode_class];
        if (one_of(choose, 2)) timing.unit = "warp-unit";
        set(timing.values, "initiation", choose.whole(1, 6));
        set(timing.values, "pass-cost", short_or_long(20));
    }
    give("l1", "sector", 128);
    give("l2", "sector", 128);
    const std::int64_t transit = choose.whole(1, 5);
    give("interconnect", "latency", transit);
    give("l1", "latency", choose.whole(1, 12));
    give("l2", "latency", 2 * transit + choose.whole(0, 20));
    give("dram", "latency", 2 * transit + choose.whole(20, 60));
    give("l1", "service", short_or_long(30));
    give("l2", "service", short_or_long(30));
    give("interconnect", "service", short_or_long(30));
    give("dram", "row-hit", short_or_long(30));
    give("dram", "row-miss", short_or_long(60));
    for (const auto& [memory, name] : {std::pair{"l1", "mshr-entries"},
                                       {"l1", "mshr-merges"},
                                       {"l1", "queue"},
                                       {"l2", "mshr-entries"},
                                       {"l2", "mshr-merges"},
                                       {"interconnect", "queue"},
                                       {"dram", "queue"},
                                       {"dram", "banks"},
                                       {"l1", "sets"},
                                       {"l1", "ways"}})
        give(memory, name, one_of(choose, 2) ? 1 : choose.whole(1, 4));
    const std::int64_t channels = choose.whole(1, 2);
    give("dram", "channels", channels);
    give("l2", "slices", channels);
    if (one_of(choose, 6)) { // Refreshes take longer than everything else.
        const std::int64_t duration = choose.whole(500, 3000);
        give("dram", "refresh-duration", duration);
        give("dram", "refresh-interval", duration + choose.whole(100, 1000));
    }
    set(result.machine.write_buffer, "entries", choose.whole(1, 3));
    set(result.machine.write_buffer, "drain", choose.whole(1, 30));
    set(result.machine.schedulers, "same-warp-interval", choose.whole(1, 4));
    set(result.machine.control_flow, "branch-taken", choose.whole(1, 12));
    return result;
}

/// Loops that either load or compute in each iteration, so that the warps wait for their loads at
/// different times.
RandomAccesses accesses_on_two_paths(std::uint64_t seed) {
    RandomSource choose{seed};
    std::string other_path;
    for (std::int64_t more = choose.whole(1, 6); more > 0; --more)
        other_path += "IADD R5, R5, R6;\n";
    auto read = assembly::read_program(
        {"test", "!Arch sm_20\n!Kernel k\nIADD R2, R3, R3;\nH: @P0 BRA B;\nLD R10, [R2];\n"
                 "IADD R20, R20, R10;\nBRA C;\nB: " +
                     other_path + "C: @P1 BRA H;\nEXIT;\n!EndKernel\n"});
    TestProgram program;
    program.function = read.value().functions.front();
    program.graph = assembly::build_control_flow_graph(program.function).value();
    program.facts.kernel = "k";
    const std::int64_t iterations = choose.whole(4, 24);
    program.facts.loops.push_back({8, iterations, iterations, {}});
    auto& pattern = program.set_pattern(2);
    pattern.thread_stride = 4;
    pattern.warp_stride = 128;
    pattern.block_stride = 1024;
    pattern.iteration_stride = 8192;
    RandomAccesses result{std::move(program),
                          cached_machine(models::IssueControl::Interlocked),
                          {choose.whole(1, 2), 32 * choose.whole(2, 8)}};
    set_memory(result.machine, "l1", "queue", 16);
    set_memory(result.machine, "l1", "mshr-entries", 64);
    set_memory(result.machine, "dram", "row-miss", 4);
    return result;
}

RandomAccesses any_accesses(RandomSource& choose, std::uint64_t seed) {
    switch (choose.whole(0, 7)) {
    case 0:
        return random_accesses(seed);
    case 1:
        return strided_accesses(seed);
    case 2:
        return bottleneck_accesses(
            all_bottlenecks[choose.whole(0, static_cast<std::int64_t>(std::size(all_bottlenecks)) -
                                                1)],
            seed);
    case 3:
        return accesses_on_two_paths(seed);
    default:
        return scarce_resource_accesses(seed);
    }
}

} // namespace

RandomAccesses mixed_accesses(std::uint64_t seed) {
    RandomSource choose{seed * 17};
    RandomAccesses result = any_accesses(choose, seed);
    if (result.launch.blocks * result.launch.threads <= 32) result.launch.blocks = 2;
    // A barrier replaces the first addition: all warps of a block begin at the same time.
    auto& first = result.program.function.instructions.front();
    if (one_of(choose, 4) && !first.control) {
        const std::int64_t address = first.address;
        first = barrier();
        first.address = address;
        assembly::set_effects(result.program.function);
    }
    return result;
}

RandomAccesses slot_aligned_accesses(std::uint64_t seed) {
    using enum assembly::EdgeKind;
    RandomSource choose{seed};
    const std::int64_t warps = choose.whole(3, 6);
    const std::int64_t slot = choose.whole(1, 9);
    RandomAccesses result{
        program_of({{add(1, 0, 0)}, {load_global(10, 0), add(20, 20, 10), branch()}, {exit()}},
                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
        cached_machine(models::IssueControl::Interlocked),
        {1, 32 * warps}};
    const std::int64_t iterations = choose.whole(8, 48);
    add_loop(result.program, 1, {1}, iterations, iterations);
    const std::int64_t lines = slot + 1;
    auto& pattern = result.program.set_pattern(1);
    pattern.thread_stride = 4 * static_cast<std::uint64_t>(lines);
    set(result.machine.schedulers, "count", 1);
    set(result.machine.schedulers, "issue-slot", slot);
    set(result.machine.schedulers, "same-warp-interval", choose.whole(1, 4));
    auto& load = result.machine.classes[assembly::OpcodeClass::LoadGlobal];
    load.unit = "warp-unit";
    set(load.values, "pass-cost", 0);
    const auto give = [&](const char* memory, const char* name, std::int64_t value) {
        set_memory(result.machine, memory, name, value);
    };
    give("l1", "sector", 128);
    give("l1", "sets", 64);
    give("l1", "queue", 16);
    give("l1", "mshr-entries", 64);
    give("l1", "latency", 2 * (warps - 1) * slot * choose.whole(1, 3));
    give("interconnect", "latency", 1);
    give("l2", "latency", 10);
    give("dram", "latency", 20);
    give("dram", "row-miss", 4);
    return result;
}

} // namespace warpbound::tests
