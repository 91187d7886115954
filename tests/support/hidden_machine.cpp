#include "tests/support/hidden_machine.hpp"

#include "tests/support/chance.hpp"

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

} // namespace

HiddenMachine hidden_machine(std::uint64_t seed) {
    Chance chance{seed};
    const auto loaded = models::load_architecture("fermi-gtx470");
    EXPECT_TRUE(loaded);
    HiddenMachine hidden{loaded.value(), "lrr"};
    models::Architecture& machine = hidden.machine;
    machine.name = "hidden-" + std::to_string(seed);
    machine.digest = machine.name;
    const auto spread = [&](ValueGroup& group, const std::string& name, std::int64_t least,
                            std::int64_t most, std::int64_t width) {
        const std::int64_t lo = chance.whole(least, most);
        set(group, name, "cycles", lo, lo + chance.whole(0, width));
    };
    const auto exact = [&](ValueGroup& group, const std::string& name, const std::string& unit,
                           std::int64_t least, std::int64_t most) {
        const std::int64_t value = chance.whole(least, most);
        set(group, name, unit, value, value);
        return value;
    };

    const std::int64_t schedulers = std::int64_t{1} << chance.whole(0, 2);
    set(machine.schedulers, "count", "1", schedulers, schedulers);
    const std::int64_t slot = exact(machine.schedulers, "issue-slot", "cycles", 1, 2);
    const std::int64_t step =
        exact(machine.schedulers, "same-warp-interval", "cycles", slot + 1, 6);

    // The clock is read through the first unit: were it slow, it would hide the schedulers.
    for (auto& unit : machine.units) {
        constexpr std::array scopes{models::UnitScope::Warp, models::UnitScope::Partition,
                                    models::UnitScope::Core};
        unit.scope = unit.name == "alu" || unit.name == "control"
                         ? models::UnitScope::Partition
                         : scopes[static_cast<std::size_t>(chance.whole(0, 2))];
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
          assembly::OpcodeClass::LoadLocal, assembly::OpcodeClass::StoreLocal})
        spread(machine.classes[opcode_class].values, "pass-cost", 1, 20, 20);
    spread(machine.classes[assembly::OpcodeClass::Barrier].values, "latency", step + 1, 40, 40);
    spread(memory(machine, "l1"), "latency", step + 1, 60, 20);
    spread(memory(machine, "l2"), "latency", 150, 250, 60);
    const std::int64_t far = chance.whole(300, 450);
    set(memory(machine, "dram"), "latency", "cycles", far, far + chance.whole(100, 200));
    exact(machine.control_flow, "branch-taken", "cycles", 1, 40);
    exact(machine.control_flow, "branch-not-taken", "cycles", 1, 40);
    exact(machine.write_buffer, "entries", "1", 2, 12);
    spread(machine.write_buffer, "drain", 3, 10, 6);
    exact(machine.limits, "max-warps", "warps", 32, 64);
    exact(machine.limits, "max-blocks", "blocks", 4, 24);
    spread(machine.blocks, "start", 0, 10, 10);
    spread(machine.blocks, "replacement", 50, 200, 50);

    const std::int64_t warps = 32 / schedulers;
    const std::array<std::string, 5> policies{
        "lrr", "gto", "oldest", "two-level:active=" + std::to_string(chance.whole(4, warps - 1)),
        "srr"};
    hidden.policy = policies[static_cast<std::size_t>(chance.whole(0, 4))];
    return hidden;
}

} // namespace warpbound::tests
