#include "tests/support/atomic_accesses.hpp"

#include "assembly/isa/function_effects.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/random_source.hpp"
#include "tests/unit/harness/simulator/machines.hpp"

#include <string_view>
#include <vector>

namespace warpbound::tests {

using namespace harness::simulator::test;

namespace {

using assembly::OpcodeClass;

/// The machine executes atomics, at slices that take shorter or longer than their port.
void add_values(models::Architecture& machine, RandomSource& choose) {
    static constexpr const char* units[]{"core-unit", "alu", "warp-unit"};
    const std::int64_t latency = choose.whole(20, 200);
    const std::int64_t initiation = choose.whole(1, 6);
    set_class(machine, {OpcodeClass::AtomicGlobal,
                        units[choose.whole(0, 2)],
                        {latency, latency + choose.whole(0, 60)},
                        {initiation, initiation + choose.whole(0, 2)}});
    const std::int64_t pass_cost = choose.whole(1, 5);
    set(machine.classes[OpcodeClass::AtomicGlobal].values, "pass-cost",
        {pass_cost, pass_cost + choose.whole(0, 2)});
    const auto slice_time = [&] {
        const std::int64_t shortest = choose.whole(1, choose.whole(0, 2) == 0 ? 30 : 3);
        return Values{shortest, shortest + choose.whole(0, 3)};
    };
    set_memory(machine, "l2", "atomic", slice_time());
    if (choose.whole(0, 1) == 0) set_memory(machine, "l2", "reduction", slice_time());
}

/// The same access as an atomic, with a result or without.
assembly::Instruction atomic_of(const assembly::Instruction& access, bool has_result) {
    const bool is_store = access.opcode_class == OpcodeClass::StoreGlobal;
    const auto& address = access.operands[is_store ? 0 : 1];
    const auto& data = access.operands[is_store ? 1 : 0];
    auto atomic = has_result ? make("ATOM", OpcodeClass::AtomicGlobal, {data, address, data})
                             : make("RED", OpcodeClass::AtomicGlobal, {address, data});
    atomic.address = access.address;
    atomic.guard = access.guard;
    atomic.control = access.control;
    return atomic;
}

} // namespace

RandomAccesses with_atomics(RandomAccesses made, std::uint64_t seed) {
    RandomSource choose{seed * 17 + 3};
    add_values(made.machine, choose);
    auto& instructions = made.program.function.instructions;
    const std::vector<std::size_t> accesses = made.program.global_accesses();
    const auto always =
        static_cast<std::size_t>(choose.whole(0, static_cast<std::int64_t>(accesses.size()) - 1));
    for (std::size_t index = 0; index < accesses.size(); ++index) {
        if (index != always && choose.whole(0, 1) == 0) continue;
        assembly::Instruction& access = instructions[accesses[index]];
        access = atomic_of(access, choose.whole(0, 1) != 0);
        if (choose.whole(0, 2) != 0) continue;
        std::erase_if(made.program.facts.memory,
                      [&](const models::MemoryFact& fact) { return fact.at == access.address; });
        const std::int64_t fewest = choose.whole(1, 8);
        if (choose.whole(0, 3) != 0)
            made.program.set_passes(accesses[index], fewest, fewest + choose.whole(0, 2));
    }
    assembly::set_effects(made.program.function);
    return made;
}

} // namespace warpbound::tests
