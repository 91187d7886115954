#include "tests/support/strided_accesses.hpp"

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace warpbound::tests {

using namespace harness::simulator::test;

RandomAccesses strided_accesses(std::uint64_t seed) {
    using enum assembly::EdgeKind;
    std::mt19937_64 random{seed};
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) {
        return lo + random() % (hi - lo + 1);
    };
    const auto number = [&](std::uint64_t lo, std::uint64_t hi) {
        return static_cast<std::int64_t>(pick(lo, hi));
    };
    const bool encoded = pick(0, 1) == 1;
    const auto loads = static_cast<int>(pick(1, 3));
    std::vector<assembly::Instruction> body;
    const auto put = [&](assembly::Instruction instruction, std::optional<int> announces,
                         unsigned waits) {
        assembly::Control control = stall(2);
        control.write_barrier = announces;
        control.wait_mask = static_cast<std::uint8_t>(waits);
        body.push_back(encoded ? with(std::move(instruction), control) : instruction);
    };
    for (int load = 0; load < loads; ++load)
        put(load_global(10 + load, 0), load, 1U << static_cast<unsigned>(load));
    for (int load = 0; load < loads; ++load)
        put(add(20, 20, 10 + load), std::nullopt, 1U << static_cast<unsigned>(load));
    if (pick(0, 3) == 0) put(store_global(0, 20), std::nullopt, 0);
    put(branch(), std::nullopt, 0);
    const auto ended = [&] { return encoded ? with(exit(), stall(2)) : exit(); };
    const auto began = [&] { return encoded ? with(add(1, 0, 0), stall(2)) : add(1, 0, 0); };
    RandomAccesses result{
        program_of({{began()}, body, {ended()}},
                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
        cached_machine(encoded ? models::IssueControl::Encoded : models::IssueControl::Interlocked),
        {number(1, 3), 32 * number(1, 6)}};
    const std::int64_t iterations = number(2, 12);
    add_loop(result.program, 1, {1}, iterations, iterations);
    const std::uint64_t footprint = 128 * pick(1, 64);
    for (const std::size_t index : result.program.global_accesses()) {
        auto& pattern = result.program.set_pattern(index);
        pattern.base = index << 20U;
        pattern.thread_stride = 4U << pick(0, 5);
        pattern.warp_stride = 32 * pattern.thread_stride;
        pattern.block_stride = pick(0, 1) * 6 * pattern.warp_stride;
        pattern.iteration_stride = pick(0, 2) * 18 * pattern.warp_stride;
        if (pick(0, 1) == 1) pattern.footprint = footprint;
        if (pick(0, 4) == 0) pattern.random = seed;
    }
    const auto vary = [&](const char* memory, const char* name, std::uint64_t lo,
                          std::uint64_t hi) {
        set_memory(result.machine, memory, name, number(lo, hi));
    };
    vary("l1", "sets", 1, 8);
    vary("l1", "ways", 1, 8);
    vary("l1", "queue", 2, 16);
    vary("l1", "mshr-entries", 8, 64);
    vary("l1", "mshr-merges", 2, 16);
    vary("l2", "sets", 1, 16);
    vary("l2", "ways", 1, 8);
    vary("l2", "mshr-entries", 8, 128);
    vary("interconnect", "queue", 4, 64);
    vary("dram", "banks", 1, 8);
    vary("dram", "queue", 2, 64);
    vary("dram", "row-hit", 1, 12);
    vary("dram", "row-miss", 10, 90);
    if (pick(0, 3) == 0) vary("dram", "refresh-duration", 50, 300);
    if (pick(0, 1) == 1)
        for (const auto& [memory, name] : {std::pair{"l2", "slices"}, {"dram", "channels"}})
            set_memory(result.machine, memory, name, 1);
    set(result.machine.write_buffer, "entries", number(1, 8));
    return result;
}

} // namespace warpbound::tests
