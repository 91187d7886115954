#include "tests/unit/harness/simulator/random_accesses.hpp"

#include "tests/unit/harness/simulator/machines.hpp"

#include <random>

namespace warpbound::harness::simulator::test {

RandomAccesses random_accesses(std::uint64_t seed) {
    using enum assembly::EdgeKind;
    std::mt19937_64 random{seed};
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) {
        return lo + random() % (hi - lo + 1);
    };
    const auto pick_signed = [&](std::uint64_t lo, std::uint64_t hi) {
        return static_cast<std::int64_t>(pick(lo, hi));
    };
    std::vector<assembly::Instruction> body;
    const auto accesses = pick(1, 4);
    for (std::uint64_t access = 0; access < accesses; ++access) {
        const int to = static_cast<int>(pick(1, 5));
        switch (pick(0, 3)) {
        case 0:
            body.push_back(store_global(0, to));
            break;
        case 1:
            body.push_back(add(to, to, 0));
            [[fallthrough]];
        default:
            body.push_back(load_global(to, static_cast<int>(pick(0, 5))));
        }
    }
    body.push_back(branch());
    RandomAccesses result{program_of({{add(1, 0, 0)}, body, {exit()}},
                                     {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                          cached_machine(models::IssueControl::Interlocked),
                          {pick_signed(1, 3), 32 * pick_signed(1, 6)}};
    add_loop(result.program, 1, {1}, 2, pick_signed(2, 10));
    for (const std::size_t index : result.program.global_accesses()) {
        if (result.program.is_store(index) && pick(0, 3) == 0) {
            result.program.set_passes(index, 1, 2); // Ends in the write buffer.
            continue;
        }
        auto& pattern = result.program.set_pattern(index);
        pattern.base = 4 * pick(0, 64);
        pattern.footprint = 4 * pick(1, 2000);
        if (pick(0, 3) == 0) {
            pattern.random = seed;
            continue;
        }
        pattern.thread_stride = 4 * pick(0, 40);
        pattern.warp_stride = 4 * pick(0, 200);
        pattern.block_stride = 4 * pick(0, 2000);
        pattern.iteration_stride = 4 * pick(0, 100);
    }
    // Several schedulers may then send loads or stores in one cycle.
    for (const auto opcode_class :
         {assembly::OpcodeClass::LoadGlobal, assembly::OpcodeClass::StoreGlobal})
        if (pick(0, 1) == 1) result.machine.classes[opcode_class].unit = "warp-unit";
    const auto vary = [&](const char* memory, const char* name, std::uint64_t lo,
                          std::uint64_t hi) {
        set_memory(result.machine, memory, name, pick_signed(lo, hi));
    };
    vary("l1", "sets", 1, 4);
    vary("l1", "ways", 1, 4);
    vary("l1", "service", 1, 3);
    vary("l1", "queue", 1, 4);
    vary("l1", "mshr-entries", 4, 12);
    vary("l1", "mshr-merges", 1, 4);
    vary("l1", "write-evict", 0, 1);
    vary("l2", "sets", 1, 4);
    vary("l2", "ways", 1, 4);
    vary("l2", "mshr-entries", 4, 8);
    vary("l2", "mshr-merges", 1, 4);
    vary("l2", "write-allocate", 0, 1);
    vary("l2", "write-back", 0, 1);
    vary("interconnect", "queue", 1, 8);
    vary("dram", "banks", 1, 4);
    vary("dram", "queue", 1, 8);
    set_memory(result.machine, "l1", "latency", {pick_signed(10, 30), pick_signed(30, 40)});
    set_memory(result.machine, "l2", "latency", {150, pick_signed(150, 200)});
    set_memory(result.machine, "interconnect", "latency", {pick_signed(1, 20), 20});
    set_memory(result.machine, "interconnect", "service", {1, pick_signed(1, 4)});
    set_memory(result.machine, "dram", "latency", {300, pick_signed(300, 400)});
    if (pick(0, 1) == 1) set_memory(result.machine, "dram", "refresh-duration", 200);
    set(result.machine.write_buffer, "entries", pick_signed(1, 4));
    return result;
}

RandomAccesses random_collected_accesses(std::uint64_t seed) {
    RandomAccesses result = random_accesses(seed);
    std::mt19937_64 random{seed + 1'000'000};
    add_collectors(result.machine,
                   [&](std::string_view) { return static_cast<std::int64_t>(1 + random() % 4); });
    set(result.machine.schedulers, "same-warp-interval",
        static_cast<std::int64_t>(1 + random() % 6));
    if (random() % 2 == 0)
        for (const char* name : {"buffer", "width", "ports"})
            set(result.machine.fetch, name, static_cast<std::int64_t>(1 + random() % 3));
    return result;
}

RandomAccesses random_queued_accesses(std::uint64_t seed) {
    RandomAccesses result = random_accesses(seed);
    std::mt19937_64 random{seed + 2'000'000};
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) {
        return static_cast<std::int64_t>(lo + random() % (hi - lo + 1));
    };
    models::Architecture& machine = result.machine;
    const std::int64_t schedulers = pick(1, 2);
    const std::int64_t places = pick(1, 4);
    set(machine.schedulers, "count", schedulers);
    set_memory(machine, "l1", "queue", places * schedulers + pick(1, 4));
    set(machine.memory_queue, "places", places);
    set(machine.memory_queue, "interval", {pick(1, 3), pick(3, 6)});
    set(machine.memory_queue, "path-interval", {pick(1, 2), pick(2, 4)});
    for (auto& [opcode_class, timing] : machine.classes) {
        timing.unit = opcode_class == assembly::OpcodeClass::LoadGlobal ||
                              opcode_class == assembly::OpcodeClass::StoreGlobal
                          ? "core-unit"
                          : timing.unit;
        if (timing.unit == "core-unit") set(timing.values, "entry", {pick(2, 6), pick(6, 9)});
    }
    return result;
}

} // namespace warpbound::harness::simulator::test
