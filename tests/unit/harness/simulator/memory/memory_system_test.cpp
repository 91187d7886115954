// Accesses through caches, interconnect and DRAM, and to shared memory, by their addresses: rules
// C21 to C29 of docs/reference/timing-contract.md.

#include "tests/support/event_checker/event_checker.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto interlocked = models::IssueControl::Interlocked;

/// Each load depends on the preceding one.
TestProgram chain(std::size_t loads) {
    std::vector<assembly::Instruction> instructions;
    for (std::size_t load = 0; load < loads; ++load)
        instructions.push_back(load_global(1, 1));
    instructions.push_back(add(2, 1, 1));
    instructions.push_back(exit());
    return program_of({instructions});
}

std::vector<std::int64_t> differences(const std::vector<std::int64_t>& cycles) {
    std::vector<std::int64_t> between;
    for (std::size_t i = 1; i < cycles.size(); ++i)
        between.push_back(cycles[i] - cycles[i - 1]);
    return between;
}

// An access in isolation takes exactly the latency of its level.
TEST(Hierarchy, GivesAnIsolatedAccessTheLatencyOfItsLevel) {
    auto program = chain(5);
    // Lines 0, 2, 4 are in one set of two ways in the L1; all of them fit the L2.
    for (const auto& [load, line] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 2U}, {3U, 4U}, {4U, 0U}})
        program.set_pattern(load).base = line * 128;
    const auto result = run(program, cached_machine(interlocked));
    EXPECT_THAT(differences(result.issues()), ElementsAre(400, 30, 400, 400, 150, 6));
}

/// Memory queues before the path of global loads.
models::Architecture queued_machine() {
    auto machine = cached_machine(interlocked);
    set(machine.memory_queue, "places", 2);
    set(machine.memory_queue, "interval", 4);
    set(machine.memory_queue, "path-interval", 2);
    const std::string path = machine.classes[assembly::OpcodeClass::LoadGlobal].unit;
    for (auto& unit : machine.units)
        if (unit.name == path) unit.scope = models::UnitScope::Core;
    for (auto& [opcode_class, timing] : machine.classes)
        if (timing.unit == path) set(timing.values, "entry", 11);
    set_memory(machine, "l1", "queue", 9);
    return machine;
}

// C74: the way to the hand-over is part of each latency.
TEST(Hierarchy, GivesAnIsolatedAccessBehindAMemoryQueueTheLatencyOfItsLevel) {
    auto program = chain(5);
    for (const auto& [load, line] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 2U}, {3U, 4U}, {4U, 0U}})
        program.set_pattern(load).base = line * 128;
    EXPECT_THAT(differences(run(program, queued_machine()).issues()),
                ElementsAre(400, 30, 400, 400, 150, 6));
}

// C72, C74: a warp issues each 6 cycles; with 9 between two hand-overs the last of two hits comes 3
// later.
TEST(Hierarchy, DelaysALoadThatIsHandedOverLate) {
    const auto last_issue_with = [](std::int64_t interval) {
        auto program = program_of(
            {{load_global(1, 0), load_global(2, 1), load_global(3, 1), add(4, 3, 3), exit()}});
        for (std::size_t load = 0; load < 3; ++load)
            program.set_pattern(load).base = 0;
        auto machine = queued_machine();
        set(machine.memory_queue, "interval", interval);
        return run(program, machine).issues().at(3);
    };
    EXPECT_EQ(last_issue_with(9), last_issue_with(4) + 3);
}

// C74: the load queue holds loads from their issue on.
TEST(Hierarchy, RefusesALoadQueueThatMemoryQueuesFill) {
    auto machine = queued_machine();
    set_memory(machine, "l1", "queue", 4);
    auto program = chain(1);
    program.set_pattern(0).base = 0;
    const auto refused = Machine::prepare(machine, program.kernel());
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("memories/l1/queue is 4"));
}

// Simulation facts for the GTX 480: an L1 hit takes 35 + 5 cycles, an access that L1 misses and L2
// hits 143. With these as described latencies the chain takes them exactly.
TEST(Hierarchy, TakesTheMeasuredUncontendedLatenciesOfGtx480) {
    auto machine = cached_machine(interlocked);
    set_memory(machine, "l1", "latency", 40);
    set_memory(machine, "l1", "sets", 32); // 32:128:4 and 64:128:8 in 12 sub-partitions.
    set_memory(machine, "l1", "ways", 4);
    set_memory(machine, "l1", "sector", 128);
    set_memory(machine, "l2", "latency", 143);
    set_memory(machine, "l2", "slices", 12);
    set_memory(machine, "l2", "sets", 64);
    set_memory(machine, "l2", "ways", 8);
    set_memory(machine, "dram", "channels", 6);
    TestProgram program = chain(64);
    // Pointer chase with the stride of a line, twice over 24 KB: more than the L1, less than the
    // L2.
    for (std::size_t load = 0; load < 64; ++load)
        program.set_pattern(load).base = load % 32 * 1024;
    const auto steps = differences(run(program, machine).issues());
    // 32 lines with a stride of 1024 bytes share four sets: the second traversal misses the L1.
    EXPECT_THAT(std::vector(steps.begin() + 32, steps.begin() + 63), testing::Each(143));
    program = chain(64);
    for (std::size_t load = 0; load < 64; ++load)
        program.set_pattern(load).base = load % 32 * 128;
    const auto hits = differences(run(program, machine).issues());
    EXPECT_THAT(std::vector(hits.begin() + 32, hits.begin() + 63), testing::Each(40));
}

TEST(Hierarchy, FetchesTheSectorsThatLanesAccess) {
    auto program = chain(2);
    program.set_pattern(0).base = 0;  // One sector.
    program.set_pattern(1).base = 64; // Another of the same line.
    const auto result = run(program, cached_machine(interlocked));
    EXPECT_THAT(differences(result.issues()), ElementsAre(400, 400, 6));
}

TEST(Hierarchy, MergesAccessesToAnOutstandingSector) {
    auto program = program_of({{load_global(1, 0), add(2, 1, 1), exit()}});
    program.set_pattern(0).base = 256;
    const auto result = run(program, cached_machine(interlocked), {1, 64});
    std::int64_t merged = 0;
    std::int64_t served = 0;
    for (const Event& event : result.events) {
        if (const auto* access = std::get_if<LineAccessed>(&event);
            access != nullptr && access->level == CacheLevel::L1 && access->merged != 0)
            ++merged;
        served += std::holds_alternative<DramServed>(event) ? 1 : 0;
    }
    EXPECT_EQ(merged, 1);
    EXPECT_EQ(served, 1);
    // Both loads have their results when the sector is filled.
    EXPECT_EQ(std::max(result.issues(0).at(1), result.issues(1).at(1)), 400);
}

// Loads that hit the L1, each of one to four lines, from two schedulers at once: when one leaves
// the queue, two others compete for its entry.
TEST(Hierarchy, AQueueIsNeverOverFull) {
    std::vector<assembly::Instruction> loads;
    for (int load = 0; load < 12; ++load)
        loads.push_back(load % 3 == 2 ? store_global(0, 7) : load_global(1 + load % 6, 0));
    loads.push_back(exit());
    auto program = program_of({loads});
    for (std::size_t load = 0; load < 12; ++load)
        program.set_pattern(load).thread_stride = load % 4 * 4;
    auto machine = cached_machine(interlocked);
    set(machine.write_buffer, "entries", 3);
    for (const auto opcode_class :
         {assembly::OpcodeClass::LoadGlobal, assembly::OpcodeClass::StoreGlobal}) {
        machine.classes[opcode_class].unit = "warp-unit";
        set(machine.classes[opcode_class].values, "initiation", 1);
    }
    for (const std::int64_t entries : {2, 3, 4}) {
        set_memory(machine, "l1", "queue", entries);
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto result =
                run(program, machine, {1, 256}, {.seed = seed, .draw = {}, .path = {}});
            EXPECT_THAT(
                tests::violations(program.kernel({1, 256}), machine, {},
                                  {result.events, result.observation.execution_time.count()}),
                testing::IsEmpty())
                << entries << " entries, seed " << seed;
        }
    }
}

/// The cached machine with plenty of operand collectors and units; a result is written 2 cycles
/// after it leaves its unit.
models::Architecture collected_machine() {
    auto machine = cached_machine(interlocked);
    add_collectors(machine, [](std::string_view name) { return name == "write-back" ? 2 : 8; });
    return machine;
}

// Four cycles from the issue to the unit, then the latency of the level, then 2 of write-back.
// These 6 cycles equal the interval between two issues of a warp.
TEST(Hierarchy, CountsFromTheUnitAfterOperandCollectors) {
    auto program = chain(5);
    for (const auto& [load, line] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 2U}, {3U, 4U}, {4U, 0U}})
        program.set_pattern(load).base = line * 128;
    const auto result = run(program, collected_machine());
    EXPECT_THAT(differences(result.issues()), ElementsAre(406, 36, 406, 406, 156, 6));
}

// Loads of four lines each and a queue of one entry: the second load issues at once and waits
// before its unit until the cycle after the last line of the first was looked up.
TEST(Hierarchy, DelaysALoadBeforeItsUnitWhenTheQueueIsFull) {
    auto program = program_of({{load_global(1, 0), load_global(2, 0), exit()}});
    program.set_pattern(0).thread_stride = 16;
    program.set_pattern(1).thread_stride = 16;
    auto machine = collected_machine();
    set_memory(machine, "l1", "queue", 1);
    set_memory(machine, "l1", "service", 5);
    set_memory(machine, "l1", "mshr-entries", 32);
    set(machine.classes[assembly::OpcodeClass::LoadGlobal].values, "initiation", 1);
    const auto result = run(program, machine);
    std::vector<std::int64_t> entered;
    for (const Event& event : result.events)
        if (const auto* unit = std::get_if<UnitEntered>(&event); unit && unit->instruction < 2)
            entered.push_back(unit->cycle);
    EXPECT_THAT(result.issues(), ElementsAre(0, 6, 12));
    EXPECT_THAT(entered, ElementsAre(4, 4 + 3 * 5 + 1));
}

// C24: the lines of a load arrive at fixed distances from its issue, however long the first one had
// to wait. Lines that have arrived are handled one per cycle.
TEST(Hierarchy, HandlesLinesThatArrivedWhileTheL1WasBlockedOnePerCycle) {
    auto machine = cached_machine(interlocked);
    set_memory(machine, "l1", "sets", 8);
    set_memory(machine, "l1", "mshr-entries", 4);
    for (const char* name : {"initiation", "pass-cost"})
        set(machine.classes[assembly::OpcodeClass::LoadGlobal].values, name, 3);
    // Lines 0 to 2 are filled into the L1. A load of line 4 then allocates all MSHR entries. The
    // load of line 5 waits for them, and the one of lines 0 to 2 is queued after it.
    auto program = program_of({{load_global(1, 0), add(2, 1, 1), load_global(3, 0),
                                load_global(4, 0), load_global(5, 0), exit()}});
    for (const std::size_t three : {0U, 4U})
        program.set_pattern(three).thread_stride = 12;
    for (const std::size_t one : {2U, 3U}) {
        models::AddressPattern& pattern = program.set_pattern(one);
        pattern.thread_stride = 4;
        pattern.base = 256 + 128 * one;
    }
    const auto result = run(program, machine);
    std::vector<std::int64_t> handled;
    for (const Event& event : result.events)
        if (const auto* access = std::get_if<LineAccessed>(&event);
            access != nullptr && access->level == CacheLevel::L1)
            handled.push_back(access->cycle);
    ASSERT_EQ(handled.size(), 8U);
    EXPECT_THAT(differences({handled.begin() + 4, handled.end()}), ElementsAre(1, 1, 1));
    EXPECT_THAT(tests::violations(program.kernel({}), machine, {},
                                  {result.events, result.observation.execution_time.count()}),
                testing::IsEmpty());
}

TEST(Hierarchy, SendsStoresOnIntoTheL2) {
    auto program = program_of(
        {{load_global(1, 0), store_global(1, 1), load_global(2, 1), add(3, 2, 2), exit()}});
    for (const std::size_t access : {0U, 1U, 2U})
        program.set_pattern(access).base = 512;
    auto machine = cached_machine(interlocked);
    set(machine.write_buffer, "drain", 5);
    const auto result = run(program, machine);
    // The store issues at 400 and drains at 405. The load at 406 misses the L1, from which the
    // store evicted the line. It arrives at the L2 one cycle after the store, which occupies the
    // slice for two.
    EXPECT_THAT(differences(result.issues()), ElementsAre(400, 6, 150 + 1, 6));
}

TEST(Hierarchy, ALaunchCompletesWithTheResultsThatNoInstructionReads) {
    auto program = program_of({{load_global(1, 0), exit()}});
    program.set_pattern(0);
    EXPECT_EQ(run(program, cached_machine(interlocked)).observation.execution_time,
              models::Cycles{400});
}

TEST(Hierarchy, NamesWhatTheDescriptionLacks) {
    auto program = program_of({{load_global(1, 0), exit()}});
    program.set_pattern(0);
    EXPECT_THAT(refusal(program, small_machine(interlocked)),
                HasSubstr("memories/l1/line is absent"));
    for (const auto& [memory, name] : {std::pair{"l1", "mshr-entries"},
                                       {"l2", "slices"},
                                       {"interconnect", "queue"},
                                       {"dram", "row-miss"},
                                       {"dram", "refresh-interval"}}) {
        auto machine = cached_machine(interlocked);
        for (auto& group : machine.memories)
            if (group.name == memory)
                std::erase_if(group.values, [&](const auto& value) { return value.name == name; });
        EXPECT_THAT(refusal(program, machine),
                    HasSubstr(std::string{"memories/"} + memory + "/" + name + " is absent"));
    }
    auto machine = cached_machine(interlocked);
    set_memory(machine, "interconnect", "latency", 80);
    EXPECT_THAT(refusal(program, machine), HasSubstr("at most half the latency"));
    machine = cached_machine(interlocked);
    set_memory(machine, "l2", "slices", 3);
    EXPECT_THAT(refusal(program, machine), HasSubstr("expected a multiple"));
    machine = cached_machine(interlocked);
    set_memory(machine, "l1", "line", 96);
    EXPECT_THAT(refusal(program, machine), HasSubstr("a power of two"));
    machine = cached_machine(interlocked);
    set_memory(machine, "l1", "sets", 65536);
    set_memory(machine, "l1", "ways", 65536);
    EXPECT_THAT(refusal(program, machine),
                HasSubstr("l1/sets x ways is 4294967296; expected at most 4194304"));
}

TEST(Hierarchy, IsBypassedWhereALevelIsStated) {
    auto program = program_of({{load_global(1, 0), add(2, 1, 1), exit()}});
    program.set_pattern(0).thread_stride = 8; // Two lines.
    program.facts.memory[0].level = models::MemoryLevel::L2;
    const auto result = run(program, cached_machine(interlocked));
    EXPECT_THAT(differences(result.issues()), ElementsAre(153, 6)); // One more pass: 3 cycles.
    EXPECT_TRUE(std::none_of(result.events.begin(), result.events.end(), [](const Event& event) {
        return std::holds_alternative<LineAccessed>(event);
    }));
}

// Voudouris 2014, Fig. 22: shared memory time is linear in the conflict degree up to 32.
TEST(SharedPattern, TakesTimeLinearInTheConflictDegreeUpTo32) {
    auto program = program_of({{load_shared(1, 0), add(2, 1, 1), exit()}});
    models::AddressPattern& pattern = program.set_pattern(0);
    for (const std::uint64_t degree : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
        pattern.thread_stride = 4 * degree;
        const auto passes = static_cast<std::int64_t>(std::min<std::uint64_t>(degree, 32));
        EXPECT_THAT(differences(run(program, cached_machine(interlocked)).issues()),
                    ElementsAre(26 + (passes - 1) * 3, 6))
            << degree;
    }
}

TEST(SharedPattern, ThatVariesTakesThePassesOfEachExecution) {
    auto program = program_of({{load_shared(1, 1), load_shared(1, 1), exit()}});
    for (const std::size_t load : {0U, 1U}) {
        auto& pattern = program.set_pattern(load);
        pattern.footprint = 1U << 20U;
        pattern.random = load;
    }
    const auto result = run(program, cached_machine(interlocked));
    for (const Event& event : result.events)
        if (const auto* issued = std::get_if<Issued>(&event); issued && issued->instruction < 2) {
            const auto lanes = models::addresses_of(
                *program.facts.memory[issued->instruction].pattern, {}, 0xffffffffU, 4);
            EXPECT_EQ(issued->passes, models::bank_passes(lanes, 32, 4));
        }
}

} // namespace
} // namespace warpbound::harness::simulator::test
