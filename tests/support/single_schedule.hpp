#pragma once
/// \file
/// Random launches of which little is left open: values that are numbers, kernels with one path.

#include "models/architecture/value_path.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/tiny_launch.hpp"

namespace warpbound::tests {

/// One end of each interval in its place.
inline void draw_ends(models::Architecture& machine, RandomSource& draw) {
    for (auto& [path, group] : models::value_groups(machine))
        for (auto& value : group->values)
            if (value.interval) {
                const std::int64_t number =
                    draw.whole(0, 1) == 0 ? value.interval->lo : value.interval->hi;
                value.interval = models::Interval{number, number, number};
            }
}

/// Schedulers and the write buffer at random.
inline void draw_schedulers(models::Architecture& machine, RandomSource& draw) {
    set(machine.schedulers, "count", draw.whole(1, 3));
    set(machine.schedulers, "issue-slot", draw.whole(1, 3));
    set(machine.write_buffer, "entries", draw.whole(1, 4));
    set(machine.write_buffer, "drain", draw.whole(1, 40));
}

/// Units of which schedulers share one: of `contending` machines drawn, else none.
inline void draw_shared_units(models::Architecture& machine, RandomSource& draw, bool contending) {
    for (auto& unit : machine.units)
        if (contending && draw.whole(0, 1) == 0)
            unit.scope = models::UnitScope::Core;
        else if (!contending && unit.scope == models::UnitScope::Core)
            unit.scope = models::UnitScope::Partition;
}

/// A kernel with few statements and, if no branch of its text leaves others, one path.
inline RandomKernelOptions options_of_one_path(std::uint64_t seed, int sm) {
    RandomKernelOptions options;
    options.sm = sm;
    options.statements = 2 + static_cast<int>(seed % 5);
    options.depth = static_cast<int>(seed % 3) / 2;
    options.predicates = options.further_facts = options.clock_reads = false;
    return options;
}

/// Loops iterate as often as the facts allow, accesses take the fewest passes and go to DRAM.
inline void leave_one_path(RandomKernel& kernel) {
    for (auto& loop : kernel.facts.loops)
        loop.min = loop.max;
    for (auto& fact : kernel.facts.memory) {
        fact.level = models::MemoryLevel::Dram;
        for (auto* passes : {&fact.transactions, &fact.conflict_degree})
            if (*passes) (*passes)->max = (*passes)->min;
    }
}

} // namespace warpbound::tests
