#pragma once
/// \file
/// Small machines described by hand, so that these tests depend on no data file.

#include "models/architecture/architecture.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace warpbound::harness::simulator::test {

/// A range of a description, written `{3}` or `{3, 5}`.
struct Values {
    // NOLINTNEXTLINE(google-explicit-constructor): tests write plain numbers.
    Values(std::int64_t value) : lo{value}, hi{value} {}
    Values(std::int64_t low, std::int64_t high) : lo{low}, hi{high} {}
    std::int64_t lo;
    std::int64_t hi;
};

inline models::SourcedValue value_of(std::string name, Values values) {
    models::SourcedValue value;
    value.name = std::move(name);
    value.unit = "cycles";
    value.interval = models::Interval{values.lo, std::nullopt, values.hi};
    value.source = "test";
    value.grade = models::Grade::Vendor;
    return value;
}

/// Replaces or adds a value of a group.
inline void set(models::ValueGroup& group, const std::string& name, Values values) {
    for (auto& value : group.values) {
        if (value.name != name) continue;
        value = value_of(name, values);
        return;
    }
    group.values.push_back(value_of(name, values));
}

struct ClassValues {
    assembly::OpcodeClass opcode_class;
    std::string unit;
    Values latency;
    Values initiation = 1;
};

inline void set_class(models::Architecture& machine, const ClassValues& values) {
    models::ClassTiming timing;
    timing.unit = values.unit;
    set(timing.values, "latency", values.latency);
    set(timing.values, "initiation", values.initiation);
    set(timing.values, "source-read", Values{2, 4});
    set(timing.values, "pass-cost", Values{3});
    machine.classes[values.opcode_class] = timing;
}

/// A complete description: two schedulers, ports of all three scopes: "warp-unit", "alu"
/// (partition), "core-unit".
inline models::Architecture small_machine(models::IssueControl control) {
    using enum assembly::OpcodeClass;
    models::Architecture machine;
    machine.name = "small";
    machine.target = assembly::Target{control == models::IssueControl::Encoded ? 70 : 20};
    machine.issue_control = control;
    set(machine.geometry, "warp-size", 32);
    set(machine.limits, "max-warps", 48);
    set(machine.limits, "max-blocks", 8);
    set(machine.schedulers, "count", 2);
    set(machine.schedulers, "issue-slot", 1);
    set(machine.schedulers, "same-warp-interval", 6);
    machine.units = {{"warp-unit", models::UnitScope::Warp},
                     {"alu", models::UnitScope::Partition},
                     {"core-unit", models::UnitScope::Core},
                     {"control", models::UnitScope::Partition}};
    set_class(machine, {IntegerAdd, "alu", 18, 2});
    set_class(machine, {FloatAdd, "alu", Values{4, 9}, 1});
    set_class(machine, {SpecialFunction, "core-unit", 22, 6});
    set_class(machine, {ClockRead, "alu", 18, 1});
    set_class(machine, {LoadShared, "warp-unit", 26, 5});
    set_class(machine, {StoreShared, "core-unit", Values{10, 20}, 2});
    set_class(machine, {LoadGlobal, "core-unit", 0, 4});
    set_class(machine, {StoreGlobal, "core-unit", 1, Values{1, 4}});
    set_class(machine, {Barrier, "control", Values{10, 20}, 1});
    set_class(machine, {DependenceBarrier, "control", 0, 1});
    set_class(machine, {Branch, "control", 0, 1});
    set_class(machine, {Exit, "control", 0, 1});
    set_class(machine, {Nop, "control", 0, 1});
    for (const auto& [level, latency] :
         {std::pair{"l1", Values{30, 40}}, {"l2", Values{100, 150}}, {"dram", Values{300, 400}}}) {
        models::ValueGroup memory;
        memory.name = level;
        set(memory, "latency", latency);
        machine.memories.push_back(memory);
    }
    set(machine.write_buffer, "entries", 2);
    set(machine.write_buffer, "drain", Values{5, 30});
    set(machine.control_flow, "branch-taken", 12);
    set(machine.control_flow, "branch-not-taken", 10);
    set(machine.blocks, "start", Values{5, 7});
    set(machine.blocks, "replacement", Values{50, 60});
    return machine;
}

/// A register file, and operand collectors before every unit; `value_of` gives the count by name.
template <typename ValueOf>
void add_collectors(models::Architecture& machine, const ValueOf& value_of) {
    for (const char* name : {"banks", "result-slots", "write-back"})
        set(machine.register_file, name, value_of(name));
    for (models::Unit& unit : machine.units) {
        if (unit.scope == models::UnitScope::Warp) unit.scope = models::UnitScope::Core;
        models::ValueGroup collector;
        collector.name = unit.name;
        for (const char* name : {"issue-slots", "entry-ports", "collectors", "exit-ports",
                                 "dispatch-slots", "execution-units"})
            set(collector, name, value_of(name));
        machine.operand_collectors.push_back(collector);
    }
}

/// Replaces or adds a value of a memory.
inline void set_memory(models::Architecture& machine, const std::string& memory,
                       const std::string& name, Values values) {
    for (auto& group : machine.memories)
        if (group.name == memory) return set(group, name, values);
    models::ValueGroup& group = machine.memories.emplace_back();
    group.name = memory;
    set(group, name, values);
}

/// The small machine with banks, caches and DRAM: an L1 of four lines, two slices of an L2 of
/// sixteen lines each, two channels. Each of its times is a single value.
inline models::Architecture cached_machine(models::IssueControl control) {
    models::Architecture machine = small_machine(control);
    struct Named {
        const char* memory;
        const char* name;
        std::int64_t value;
    };
    for (const Named& value : std::initializer_list<Named>{{"shared", "banks", 32},
                                                           {"shared", "bank-width", 4},
                                                           {"l1", "latency", 30},
                                                           {"l1", "line", 128},
                                                           {"l1", "sector", 32},
                                                           {"l1", "sets", 2},
                                                           {"l1", "ways", 2},
                                                           {"l1", "service", 1},
                                                           {"l1", "queue", 4},
                                                           {"l1", "mshr-entries", 8},
                                                           {"l1", "mshr-merges", 4},
                                                           {"l1", "write-evict", 1},
                                                           {"l2", "latency", 150},
                                                           {"l2", "line", 128},
                                                           {"l2", "sector", 32},
                                                           {"l2", "slices", 2},
                                                           {"l2", "sets", 4},
                                                           {"l2", "ways", 4},
                                                           {"l2", "service", 2},
                                                           {"l2", "mshr-entries", 8},
                                                           {"l2", "mshr-merges", 4},
                                                           {"l2", "write-allocate", 1},
                                                           {"l2", "write-back", 1},
                                                           {"interconnect", "latency", 20},
                                                           {"interconnect", "service", 1},
                                                           {"interconnect", "queue", 8},
                                                           {"dram", "latency", 400},
                                                           {"dram", "channels", 2},
                                                           {"dram", "banks", 4},
                                                           {"dram", "row", 1024},
                                                           {"dram", "row-hit", 4},
                                                           {"dram", "row-miss", 40},
                                                           {"dram", "queue", 16},
                                                           {"dram", "refresh-interval", 5000},
                                                           {"dram", "refresh-duration", 0}})
        set_memory(machine, value.memory, value.name, value.value);
    return machine;
}

} // namespace warpbound::harness::simulator::test
