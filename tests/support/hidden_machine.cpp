#include "tests/support/hidden_machine.hpp"

#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace warpbound::tests {

namespace {

using models::Interval;
using models::ValueGroup;

void set(ValueGroup& group, const std::string& name, const std::string& unit, std::int64_t lo,
         std::int64_t hi) {
    auto value = std::find_if(group.values.begin(), group.values.end(),
                              [&](const auto& known) { return known.name == name; });
    if (value == group.values.end()) value = group.values.insert(value, models::SourcedValue{});
    *value = {name, unit, Interval{lo, lo, hi}, "drawn", models::Grade::Assumed, "hidden"};
    if (lo != hi) value->interval->typical.reset();
}

ValueGroup& memory(models::Architecture& machine, const std::string& name) {
    return *std::find_if(machine.memories.begin(), machine.memories.end(),
                         [&](const auto& group) { return group.name == name; });
}

ValueGroup& memory_or_new(models::Architecture& machine, const std::string& name) {
    const auto has_name = [&](const auto& group) { return group.name == name; };
    if (std::none_of(machine.memories.begin(), machine.memories.end(), has_name))
        machine.memories.push_back({name, {}});
    return memory(machine, name);
}

/// Caches and DRAM with the values that C23 to C29 need. Requires: the latencies of the levels are
/// set.
void draw_caches(models::Architecture& machine, RandomSource& random_source) {
    const auto exact = [](ValueGroup& group, const std::string& name, const std::string& unit,
                          std::int64_t value) {
        set(group, name, unit, value, value);
        return value;
    };
    const auto power = [&](std::int64_t least, std::int64_t most) {
        return std::int64_t{1} << random_source.whole(least, most);
    };
    ValueGroup& l1 = memory(machine, "l1");
    const std::int64_t l1_line = exact(l1, "line", "bytes", power(6, 8));
    const std::int64_t l1_sector = exact(l1, "sector", "bytes", std::min(l1_line, power(5, 8)));
    const std::int64_t l1_sets = exact(l1, "sets", "1", power(3, 6));
    const std::int64_t l1_ways = exact(l1, "ways", "1", random_source.whole(1, 8));
    exact(l1, "size", "bytes", l1_line * l1_sets * l1_ways);
    set(l1, "service", "cycles", 1, random_source.whole(1, 2));
    exact(l1, "queue", "1", random_source.whole(4, 32));
    exact(l1, "mshr-entries", "1", l1_line / l1_sector * random_source.whole(4, 16));
    exact(l1, "mshr-merges", "1", random_source.whole(2, 8));
    exact(l1, "write-evict", "1", random_source.whole(0, 1));
    ValueGroup& l2 = memory(machine, "l2");
    const std::int64_t l2_line = exact(l2, "line", "bytes", std::max(l1_line, power(7, 8)));
    const std::int64_t l2_sector = exact(l2, "sector", "bytes", std::min(l2_line, power(5, 8)));
    const std::int64_t channels = random_source.whole(1, 3);
    const std::int64_t slices = exact(l2, "slices", "1", channels * power(0, 1));
    const std::int64_t l2_sets = exact(l2, "sets", "1", power(7, 9));
    const std::int64_t l2_ways = exact(l2, "ways", "1", random_source.whole(4, 24));
    exact(l2, "size", "bytes", l2_line * l2_sets * l2_ways * slices);
    set(l2, "service", "cycles", 1, random_source.whole(1, 3));
    exact(l2, "mshr-entries", "1", l2_line / l2_sector * random_source.whole(16, 64));
    exact(l2, "mshr-merges", "1", random_source.whole(2, 8));
    exact(l2, "write-allocate", "1", random_source.whole(0, 1));
    exact(l2, "write-back", "1", random_source.whole(0, 1));
    ValueGroup& link = memory_or_new(machine, "interconnect");
    set(link, "latency", "cycles", 5, random_source.whole(5, 40));
    set(link, "service", "cycles", 1, random_source.whole(1, 4));
    exact(link, "queue", "1", random_source.whole(4, 16));
    ValueGroup& dram = memory(machine, "dram");
    exact(dram, "channels", "1", channels);
    exact(dram, "banks", "1", power(2, 4));
    exact(dram, "row", "bytes", power(10, 12));
    set(dram, "row-hit", "cycles", 1, random_source.whole(1, 4));
    set(dram, "row-miss", "cycles", 20, random_source.whole(20, 40));
    exact(dram, "queue", "1", random_source.whole(8, 32));
    set(dram, "refresh-interval", "cycles", 4000, 5000);
    exact(dram, "refresh-duration", "cycles", 100 * random_source.whole(0, 1));
}

/// Register file and shared memory (C30): the largest blocks of the suite fit.
void draw_room(ValueGroup& limits, RandomSource& random_source) {
    const auto exact = [&](const std::string& name, const std::string& unit, std::int64_t value) {
        set(limits, name, unit, value, value);
    };
    const std::int64_t registers = 1024 * random_source.whole(32, 64);
    exact("registers", "registers", registers);
    exact("registers-per-block", "registers", registers);
    exact("register-granularity", "registers", std::int64_t{1} << random_source.whole(5, 9));
    exact("register-partitions", "1", std::int64_t{1} << random_source.whole(0, 2));
    exact("shared-memory", "bytes", 1024 * random_source.whole(49, 100));
    exact("shared-granularity", "bytes", std::int64_t{1} << random_source.whole(7, 10));
    exact("shared-reserved", "bytes", 1024 * random_source.whole(0, 1));
}

/// Exact, or in one of four cases an interval.
void draw(ValueGroup& group, const std::string& name, std::int64_t least, std::int64_t most,
          std::int64_t width, RandomSource& random_source) {
    const std::int64_t lo = random_source.whole(least, most);
    const bool varies = random_source.whole(0, 3) == 0;
    set(group, name, "cycles", lo, lo + (varies ? random_source.whole(1, width) : 0));
}

void draw_encoded_class(assembly::OpcodeClass opcode_class, models::ClassTiming& timing,
                        std::int64_t slot, RandomSource& random_source) {
    using assembly::OpcodeClass;
    ValueGroup& values = timing.values;
    const bool is_control = timing.unit == "control";
    if (is_control)
        set(values, "initiation", "cycles", 1, 1);
    else
        draw(values, "initiation", 1, 12, 3, random_source);
    if (values.find("pass-cost") != nullptr) draw(values, "pass-cost", 1, 30, 20, random_source);
    if (values.find("latency") == nullptr) return;
    switch (opcode_class) {
    case OpcodeClass::ClockRead:
        draw(values, "latency", slot, 40, 3, random_source);
        if (random_source.whole(0, 3) > 0) // Times are exact on most machines.
            set(values, "latency", "cycles", 20, 20);
        break;
    case OpcodeClass::AtomicGlobal:
        draw(values, "latency", 100, 400, 100, random_source);
        break;
    default:
        draw(values, "latency", 1, 50, 6, random_source);
    }
}

/// Parts of the pipeline that a description may have or lack.
void draw_pipeline(models::Architecture& machine, RandomSource& random_source) {
    const auto exact = [](ValueGroup& group, const std::string& name, const std::string& unit,
                          std::int64_t value) { set(group, name, unit, value, value); };
    switch (random_source.whole(0, 3)) {
    case 0:
        break; // Cold instruction caches.
    case 1:
        exact(machine.fetch, "warm", "1", 1);
        break;
    default:
        machine.fetch.values.clear();
    }
    if (random_source.whole(0, 1) == 0) {
        machine.register_file.values.clear();
    } else if (random_source.whole(0, 1) == 0) {
        set(machine.schedulers, "counter-delay", "cycles", 0, random_source.whole(0, 1));
    }
    exact(memory(machine, "l1"), "lines-per-pass", "1",
          std::int64_t{1} << (2 * random_source.whole(0, 1)));
}

/// A memory queue in front of the memory path (C71), which then is one for the SM.
void draw_queue(models::Architecture& machine, RandomSource& random_source) {
    set(machine.memory_queue, "places", "1", 5, 5);
    set(machine.memory_queue, "interval", "cycles", 4, 4);
    set(machine.memory_queue, "path-interval", "cycles", 2, 2);
    for (auto& unit : machine.units)
        if (unit.name == "memory-path") unit.scope = models::UnitScope::Core;
    for (auto& [opcode_class, timing] : machine.classes)
        if (timing.unit == "memory-path") draw(timing.values, "entry", 2, 12, 4, random_source);
}

/// A shipped description under another name, whose values are then drawn.
HiddenMachine made_from(const std::string& description, const std::string& name) {
    const auto loaded = models::load_architecture(description);
    EXPECT_TRUE(loaded);
    HiddenMachine hidden{loaded.value(), "lrr"};
    hidden.machine.name = name;
    hidden.machine.digest = name;
    return hidden;
}

} // namespace

HiddenMachine hidden_machine(std::uint64_t seed) {
    RandomSource random_source{seed};
    HiddenMachine hidden = made_from("fermi-gtx470", "hidden-" + std::to_string(seed));
    models::Architecture& machine = hidden.machine;
    const auto spread = [&](ValueGroup& group, const std::string& name, std::int64_t least,
                            std::int64_t most, std::int64_t width) {
        const std::int64_t lo = random_source.whole(least, most);
        set(group, name, "cycles", lo, lo + random_source.whole(0, width));
    };
    const auto exact = [&](ValueGroup& group, const std::string& name, const std::string& unit,
                           std::int64_t least, std::int64_t most) {
        const std::int64_t value = random_source.whole(least, most);
        set(group, name, unit, value, value);
        return value;
    };

    const std::int64_t schedulers = std::int64_t{1} << random_source.whole(0, 2);
    set(machine.schedulers, "count", "1", schedulers, schedulers);
    const std::int64_t slot = exact(machine.schedulers, "issue-slot", "cycles", 1, 2);
    const std::int64_t step =
        exact(machine.schedulers, "same-warp-interval", "cycles", slot + 1, 6);

    // The clock is read through the first unit: if it were slow, it would hide the number of
    // schedulers.
    for (auto& unit : machine.units) {
        constexpr std::array scopes{models::UnitScope::Warp, models::UnitScope::Partition,
                                    models::UnitScope::Core};
        unit.scope = unit.name == "alu" || unit.name == "control"
                         ? models::UnitScope::Partition
                         : scopes[static_cast<std::size_t>(random_source.whole(0, 2))];
    }
    for (auto& [opcode_class, timing] : machine.classes) {
        ValueGroup& values = timing.values;
        using assembly::OpcodeClass;
        const bool is_clock = opcode_class == OpcodeClass::ClockRead;
        if (timing.unit == "control") {
            set(values, "initiation", "cycles", 1, 1);
            continue;
        }
        exact(values, "initiation", "cycles", 1, is_clock ? slot : 3 * step);
        if (opcode_class == OpcodeClass::LoadGlobal || opcode_class == OpcodeClass::LoadLocal)
            continue;
        if (values.find("latency") != nullptr)
            exact(values, "latency", "cycles", is_clock ? step + 1 : step - 1, 40);
    }
    ValueGroup& load_shared = machine.classes[assembly::OpcodeClass::LoadShared].values;
    spread(load_shared, "latency", step + 1, 40, 28);
    spread(load_shared, "pass-cost", 1, 30, 20);
    for (const auto opcode_class :
         {assembly::OpcodeClass::LoadGlobal, assembly::OpcodeClass::StoreGlobal,
          assembly::OpcodeClass::LoadLocal, assembly::OpcodeClass::StoreLocal,
          assembly::OpcodeClass::AtomicGlobal})
        spread(machine.classes[opcode_class].values, "pass-cost", 1, 20, 20);
    spread(machine.classes[assembly::OpcodeClass::AtomicGlobal].values, "latency", 150, 300, 100);
    spread(machine.classes[assembly::OpcodeClass::Barrier].values, "latency", step + 1, 40, 40);
    spread(memory(machine, "l1"), "latency", step + 1, 60, 20);
    spread(memory(machine, "l2"), "latency", 150, 250, 60);
    set(memory(machine, "l2"), "atomic", "cycles", 1, 2);
    const std::int64_t far = random_source.whole(300, 450);
    set(memory(machine, "dram"), "latency", "cycles", far, far + random_source.whole(100, 200));
    if (random_source.whole(0, 3) > 0) draw_caches(machine, random_source);
    exact(machine.control_flow, "branch-taken", "cycles", 1, 40);
    exact(machine.control_flow, "branch-not-taken", "cycles", 1, 40);
    exact(machine.write_buffer, "entries", "1", 2, 12);
    spread(machine.write_buffer, "drain", 3, 10, 6);
    exact(machine.limits, "max-warps", "warps", 32, 64);
    exact(machine.limits, "max-blocks", "blocks", 4, 24);
    spread(machine.blocks, "start", 0, 10, 10);
    spread(machine.blocks, "replacement", 50, 200, 50);

    const std::int64_t warps = 32 / schedulers;
    const std::array<std::string, 6> policies{"lrr",
                                              "gto",
                                              "gty",
                                              "oldest",
                                              "two-level:active=" +
                                                  std::to_string(random_source.whole(4, warps - 1)),
                                              "srr"};
    hidden.policy = policies[static_cast<std::size_t>(random_source.whole(0, 5))];
    draw_room(machine.limits, random_source);
    return hidden;
}

HiddenMachine hidden_encoded_machine(std::uint64_t seed) {
    RandomSource random_source{seed};
    HiddenMachine hidden = made_from("turing-t4", "hidden-encoded-" + std::to_string(seed));
    models::Architecture& machine = hidden.machine;
    const auto number = [&](ValueGroup& group, const std::string& name, std::int64_t least,
                            std::int64_t most) {
        const std::int64_t value = random_source.whole(least, most);
        set(group, name, "1", value, value);
        return value;
    };
    const std::int64_t schedulers = std::int64_t{1} << random_source.whole(0, 2);
    set(machine.schedulers, "count", "1", schedulers, schedulers);
    const std::int64_t slot = random_source.whole(1, random_source.whole(1, 3));
    set(machine.schedulers, "issue-slot", "cycles", slot, slot);
    for (auto& unit : machine.units) {
        constexpr std::array scopes{models::UnitScope::Warp, models::UnitScope::Partition,
                                    models::UnitScope::Core};
        if (unit.name != "control")
            unit.scope = scopes[static_cast<std::size_t>(random_source.whole(0, 2))];
    }
    for (auto& [opcode_class, timing] : machine.classes)
        draw_encoded_class(opcode_class, timing, slot, random_source);
    draw(memory(machine, "l1"), "latency", 3, 60, 20, random_source);
    draw(memory(machine, "l2"), "latency", 150, 250, 60, random_source);
    set(memory(machine, "l2"), "atomic", "cycles", 1, 2);
    draw(memory(machine, "dram"), "latency", 300, 450, 200, random_source);
    draw(machine.control_flow, "branch-taken", 1, 40, 10, random_source);
    draw(machine.control_flow, "branch-not-taken", 1, 40, 10, random_source);
    number(machine.write_buffer, "entries", 2, 12);
    draw(machine.write_buffer, "drain", 1, 10, 6, random_source);
    number(machine.limits, "max-warps", 32, 64);
    number(machine.limits, "max-blocks", 4, 24);
    draw(machine.blocks, "start", 0, 10, 10, random_source);
    draw(machine.blocks, "replacement", 50, 200, 50, random_source);
    draw_pipeline(machine, random_source);
    draw_room(machine.limits, random_source);
    if (random_source.whole(0, 2) > 0)
        draw_caches(machine, random_source);
    else if (random_source.whole(0, 1) > 0)
        draw_queue(machine, random_source);
    const std::array<std::string, 5> policies{"lrr", "gto", "gty", "oldest", "srr"};
    hidden.policy = policies[static_cast<std::size_t>(random_source.whole(0, 4))];
    return hidden;
}

} // namespace warpbound::tests
