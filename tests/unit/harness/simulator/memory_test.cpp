// Caches, their misses, the interconnect and DRAM: rules C21 to C29 of docs/timing-contract.md.

#include "harness/simulator/machine_run.hpp"
#include "harness/simulator/memory/cache.hpp"
#include "harness/simulator/memory/dram_channel.hpp"
#include "harness/simulator/memory/miss_table.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <set>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto interlocked = models::IssueControl::Interlocked;

CacheShape shape_of(std::uint64_t sets, std::uint64_t ways) {
    return CacheShape{.line = 128,
                      .sector = 32,
                      .sets = sets,
                      .ways = ways,
                      .mshr_entries = 4,
                      .mshr_merges = 2,
                      .service = {1, 1},
                      .latency = {30, 30}};
}

TEST(Cache, ReplacesTheLeastRecentlyUsedLine) {
    Cache cache{shape_of(2, 2)};
    EXPECT_EQ(cache.fill(0, 0b0001, false), std::nullopt);
    EXPECT_EQ(cache.fill(2, 0b0010, true), std::nullopt);
    cache.touch(0);
    const auto evicted = cache.fill(4, 0b1111, false);
    ASSERT_TRUE(evicted);
    EXPECT_EQ(evicted->line, 2U);
    EXPECT_EQ(evicted->dirty, 0b0010U);
    EXPECT_EQ(cache.present(0), 0b0001U);
    EXPECT_EQ(cache.present(2), 0U);
    EXPECT_EQ(cache.fill(0, 0b0100, false), std::nullopt); // Further sectors of a line.
    EXPECT_EQ(cache.present(0), 0b0101U);
    cache.drop(0);
    EXPECT_EQ(cache.present(0), 0U);
}

TEST(Cache, AgreesWithAListPerSet) {
    std::mt19937_64 random{3};
    Cache cache{shape_of(4, 3)};
    std::map<std::uint64_t, std::list<std::uint64_t>> sets; // The least recently used first.
    for (int step = 0; step < 20000; ++step) {
        const std::uint64_t line = random() % 32;
        auto& set = sets[line % 4];
        const auto found = std::find(set.begin(), set.end(), line);
        ASSERT_EQ(cache.present(line) != 0, found != set.end()) << "step " << step;
        if (found != set.end()) {
            set.splice(set.end(), set, found);
            cache.touch(line);
            continue;
        }
        const auto evicted = cache.fill(line, 1, false);
        ASSERT_EQ(evicted.has_value(), set.size() == 3);
        if (evicted) {
            EXPECT_EQ(evicted->line, set.front());
            set.pop_front();
        }
        set.push_back(line);
    }
}

TEST(MissTable, HoldsSectorsUntilTheyCome) {
    MissTable misses{2, 2};
    misses.add(7, 1);
    EXPECT_EQ(misses.find(8), nullptr);
    ASSERT_NE(misses.find(7), nullptr);
    EXPECT_TRUE(misses.takes_more(*misses.find(7)));
    misses.find(7)->waiting.push_back(2);
    EXPECT_FALSE(misses.takes_more(*misses.find(7)));
    misses.add(8, 3);
    EXPECT_EQ(misses.room(), 0U);
    misses.remove(7);
    EXPECT_EQ(misses.room(), 1U);
    misses.add(9, 4);
    EXPECT_THAT(misses.find(9)->waiting, ElementsAre(4U));
}

class Channel : public testing::Test {
protected:
    static DramShape shape() {
        return DramShape{.latency = {400, 400},
                         .channels = 1,
                         .banks = 2,
                         .row = 1024,
                         .row_hit = {4, 4},
                         .row_miss = {40, 40},
                         .queue = 4,
                         .refresh_interval = {1000, 1000},
                         .refresh_duration = {0, 0}};
    }
    static DramChannel::Transfer transfer(std::uint64_t bank, std::uint64_t row) {
        return {.bank = bank, .row = row, .sectors = 2, .write = false, .reading = 0, .warp = 0};
    }
    Chance chance{Draw::AllLow, RandomStream{1, StreamOf::Memory, 0}};
};

TEST_F(Channel, TakesRowHitsFirstAndLetsBanksOverlap) {
    DramChannel channel{shape(), chance};
    channel.join(transfer(0, 5));
    channel.join(transfer(0, 6));
    channel.join(transfer(1, 5));
    channel.join(transfer(0, 5));
    EXPECT_FALSE(channel.has_room());
    std::vector<std::tuple<std::int64_t, std::uint64_t, std::uint64_t, bool>> served;
    std::int64_t now = 0;
    while ((now = channel.next(now)) != never) {
        const auto one = channel.serve(now, chance);
        ASSERT_TRUE(one);
        served.emplace_back(now, one->transfer.bank, one->transfer.row, one->row_hit);
    }
    // Opening row 5 keeps bank 0 for 40 cycles and the bus for two sectors of 4 cycles.
    EXPECT_THAT(served, ElementsAre(std::tuple{0, 0, 5, false}, std::tuple{8, 1, 5, false},
                                    std::tuple{40, 0, 5, true}, std::tuple{48, 0, 6, false}));
}

TEST_F(Channel, StartsNothingInARefreshAndLosesItsRows) {
    DramShape refreshing = shape();
    refreshing.refresh_duration = {100, 100};
    DramChannel channel{refreshing, chance}; // All low: the phase is 0.
    channel.join(transfer(0, 5));
    EXPECT_EQ(channel.next(0), 100);
    EXPECT_FALSE(channel.serve(99, chance));
    EXPECT_FALSE(channel.serve(100, chance)->row_hit);
    channel.join(transfer(0, 5));
    EXPECT_TRUE(channel.serve(140, chance)->row_hit);
    channel.join(transfer(0, 5));
    EXPECT_EQ(channel.next(1050), 1100);
    EXPECT_FALSE(channel.serve(1100, chance)->row_hit);
}

/// Each load waits for the one before.
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
    for (std::size_t place = 1; place < cycles.size(); ++place)
        between.push_back(cycles[place] - cycles[place - 1]);
    return between;
}

// A lone access takes the latency of its level, to the cycle.
TEST(Hierarchy, GivesALoneAccessTheLatencyOfItsLevel) {
    auto program = chain(5);
    // Lines 0, 2, 4 fall into one set of two ways in the L1 and stay in the L2.
    for (const auto& [load, line] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 2U}, {3U, 4U}, {4U, 0U}})
        program.set_pattern(load).base = line * 128;
    const auto result = run(program, cached_machine(interlocked));
    EXPECT_THAT(differences(result.issues()), ElementsAre(400, 30, 400, 400, 150, 6));
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
    // 32 lines of 1024 bytes distance share four sets: the second round misses the L1.
    EXPECT_THAT(std::vector(steps.begin() + 32, steps.begin() + 63), testing::Each(143));
    program = chain(64);
    for (std::size_t load = 0; load < 64; ++load)
        program.set_pattern(load).base = load % 32 * 128;
    const auto hits = differences(run(program, machine).issues());
    EXPECT_THAT(std::vector(hits.begin() + 32, hits.begin() + 63), testing::Each(40));
}

TEST(Hierarchy, FetchesTheSectorsThatLanesTouch) {
    auto program = chain(2);
    program.set_pattern(0).base = 0;  // One sector.
    program.set_pattern(1).base = 64; // Another of the same line.
    const auto result = run(program, cached_machine(interlocked));
    EXPECT_THAT(differences(result.issues()), ElementsAre(400, 400, 6));
}

TEST(Hierarchy, MergesAccessesToASectorThatIsComing) {
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
    // Both go on when the sector comes.
    EXPECT_EQ(std::max(result.issues(0).at(1), result.issues(1).at(1)), 400);
}

TEST(Hierarchy, SendsStoresOnIntoTheL2) {
    auto program = program_of(
        {{load_global(1, 0), store_global(1, 1), load_global(2, 1), add(3, 2, 2), exit()}});
    for (const std::size_t access : {0U, 1U, 2U})
        program.set_pattern(access).base = 512;
    auto machine = cached_machine(interlocked);
    set(machine.write_buffer, "drain", 5);
    const auto result = run(program, machine);
    // The store issues at 400 and drains at 405. The load at 406 finds the line gone from the L1,
    // and in the L2 comes one cycle after the store, whose handling takes two.
    EXPECT_THAT(differences(result.issues()), ElementsAre(400, 6, 150 + 1, 6));
}

TEST(Hierarchy, ALaunchCompletesWithTheResultsThatNobodyReads) {
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
}

TEST(Hierarchy, StaysAsideWhereALevelIsStated) {
    auto program = program_of({{load_global(1, 0), add(2, 1, 1), exit()}});
    program.set_pattern(0).thread_stride = 8; // Two lines.
    program.facts.memory[0].level = models::MemoryLevel::L2;
    const auto result = run(program, cached_machine(interlocked));
    EXPECT_THAT(differences(result.issues()), ElementsAre(153, 6)); // One pass more: 3 cycles.
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

/// A loop of loads and stores with random patterns on a machine with random small caches.
struct RandomAccesses {
    TestProgram program;
    models::Architecture machine;
    models::Launch launch;
};

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
    RandomAccesses made{program_of({{add(1, 0, 0)}, body, {exit()}},
                                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                        cached_machine(interlocked),
                        {pick_signed(1, 3), 32 * pick_signed(1, 6)}};
    add_loop(made.program, 1, {1}, 2, pick_signed(2, 10));
    for (std::size_t index = 0; index < made.program.function.instructions.size(); ++index) {
        const auto opcode_class = made.program.function.instructions[index].opcode_class;
        if (opcode_class != assembly::OpcodeClass::LoadGlobal &&
            opcode_class != assembly::OpcodeClass::StoreGlobal)
            continue;
        if (opcode_class == assembly::OpcodeClass::StoreGlobal && pick(0, 3) == 0) {
            made.program.set_passes(index, 1, 2); // Ends in the write buffer.
            continue;
        }
        auto& pattern = made.program.set_pattern(index);
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
    const auto vary = [&](const char* memory, const char* name, std::uint64_t lo,
                          std::uint64_t hi) {
        set_memory(made.machine, memory, name, pick_signed(lo, hi));
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
    set_memory(made.machine, "l1", "latency", {pick_signed(10, 30), pick_signed(30, 40)});
    set_memory(made.machine, "l2", "latency", {150, pick_signed(150, 200)});
    set_memory(made.machine, "interconnect", "latency", {pick_signed(1, 20), 20});
    set_memory(made.machine, "interconnect", "service", {1, pick_signed(1, 4)});
    set_memory(made.machine, "dram", "latency", {300, pick_signed(300, 400)});
    if (pick(0, 1) == 1) set_memory(made.machine, "dram", "refresh-duration", 200);
    set(made.machine.write_buffer, "entries", pick_signed(1, 4));
    return made;
}

// The checker replays the caches from the events and knows nothing of the simulator.
TEST(RandomAccesses, ObeyEveryRuleOfTheContract) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const RandomAccesses test = random_accesses(seed);
        for (const Draw draw : all_draws) {
            const RunOptions options{.seed = seed, .draw = draw, .path = {}};
            const TestRun result = run(test.program, test.machine, test.launch, options);
            EXPECT_THAT(
                tests::violations(test.program.kernel(test.launch), test.machine, {},
                                  {result.events, result.observation.execution_time.count()}),
                IsEmpty())
                << "seed " << seed << ", draw " << to_string(draw);
            if (testing::Test::HasFailure()) return;
        }
    }
}

/// Changes a log so that it breaks a rule; false where it offers no place for that.
struct Plant {
    const char* name;
    bool (*plant)(std::vector<Event>& events);
};

template <typename What, typename Holds>
What* first_of(std::vector<Event>& events, const Holds& holds) {
    for (Event& event : events)
        if (auto* what = std::get_if<What>(&event); what != nullptr && holds(*what)) return what;
    return nullptr;
}

constexpr auto plants = std::to_array<Plant>({
    {"a hit of what is absent",
     [](std::vector<Event>& events) {
         auto* access = first_of<LineAccessed>(
             events, [](const LineAccessed& one) { return !one.write && one.missed != 0; });
         if (access == nullptr) return false;
         std::swap(access->hit, access->missed);
         return true;
     }},
    {"a miss of what is there",
     [](std::vector<Event>& events) {
         auto* access = first_of<LineAccessed>(events, [](const LineAccessed& one) {
             return !one.write && one.hit != 0 && one.missed == 0;
         });
         if (access == nullptr) return false;
         std::swap(access->hit, access->missed);
         return true;
     }},
    {"a merge with nothing",
     [](std::vector<Event>& events) {
         auto* access = first_of<LineAccessed>(events, [](const LineAccessed& one) {
             return !one.write && one.missed != 0 && one.merged == 0;
         });
         if (access == nullptr) return false;
         std::swap(access->merged, access->missed);
         return true;
     }},
    {"a sector that never comes",
     [](std::vector<Event>& events) {
         const auto filled = std::find_if(events.begin(), events.end(), [](const Event& event) {
             return std::holds_alternative<LineFilled>(event);
         });
         if (filled == events.end()) return false;
         events.erase(filled);
         return true;
     }},
    {"a line that was never looked for",
     [](std::vector<Event>& events) {
         const auto access = std::find_if(events.begin(), events.end(), [](const Event& event) {
             const auto* one = std::get_if<LineAccessed>(&event);
             return one != nullptr && !one->write && one->level == CacheLevel::L1;
         });
         if (access == events.end()) return false;
         events.erase(access);
         return true;
     }},
    {"a channel booked twice",
     [](std::vector<Event>& events) {
         auto* served = first_of<DramServed>(events, [&](const DramServed& one) {
             return first_of<DramServed>(events, [&](const DramServed& other) {
                        return other.channel == one.channel && other.cycle > one.cycle;
                    }) != nullptr;
         });
         if (served == nullptr) return false;
         served->until += 1'000'000;
         return true;
     }},
    {"a row that is not open",
     [](std::vector<Event>& events) {
         auto* served =
             first_of<DramServed>(events, [](const DramServed& one) { return !one.row_hit; });
         if (served == nullptr) return false;
         served->row_hit = true;
         return true;
     }},
});

TEST(RandomAccesses, WithAPlantedErrorAreFound) {
    for (const Plant& plant : plants) {
        int planted = 0;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const RandomAccesses test = random_accesses(seed);
            TestRun result = run(test.program, test.machine, test.launch,
                                 {.seed = seed, .draw = Draw::Uniform, .path = {}});
            if (!plant.plant(result.events)) continue;
            ++planted;
            EXPECT_FALSE(
                tests::violations(test.program.kernel(test.launch), test.machine, {},
                                  {result.events, result.observation.execution_time.count()})
                    .empty())
                << plant.name << ", seed " << seed;
        }
        EXPECT_GT(planted, 4) << plant.name;
    }
}

// What misses the L1 is looked for in the L2, and what misses there comes from DRAM: no sector is
// lost and none comes twice.
TEST(RandomAccesses, ConserveSectors) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const RandomAccesses test = random_accesses(seed);
        const TestRun result = run(test.program, test.machine, test.launch,
                                   {.seed = seed, .draw = Draw::Uniform, .path = {}});
        std::map<CacheLevel, std::int64_t> sent;
        std::map<CacheLevel, std::int64_t> came;
        std::int64_t asked_of_l2 = 0;
        for (const Event& event : result.events) {
            if (const auto* access = std::get_if<LineAccessed>(&event); access && !access->write) {
                sent[access->level] += std::popcount(access->missed);
                if (access->level == CacheLevel::L2)
                    asked_of_l2 += std::popcount(access->hit | access->merged | access->missed);
            } else if (const auto* filled = std::get_if<LineFilled>(&event)) {
                came[filled->level] += std::popcount(filled->sectors);
            }
        }
        EXPECT_EQ(sent, came) << "seed " << seed;
        EXPECT_EQ(sent[CacheLevel::L1], asked_of_l2) << "seed " << seed;
    }
}

/// Runs on so many SMs, also with the components in other orders, which must not matter.
models::Observation run_shuffled(const RandomAccesses& test, std::uint64_t seed,
                                 std::size_t multiprocessors, const Listener& listener = {}) {
    auto code = translate(test.machine, test.program.kernel(test.launch));
    if (!code) {
        ADD_FAILURE() << code.error().what;
        return {};
    }
    code.value().machine.multiprocessors = multiprocessors;
    const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
    const auto expected = run_once(code.value(), options, listener);
    if (!expected) {
        ADD_FAILURE() << expected.error().what;
        return {};
    }
    std::mt19937_64 engine{seed};
    const TickOrder shuffle = [&](std::span<Component*> ticking) {
        for (std::size_t left = ticking.size(); left > 1; --left)
            std::swap(ticking[left - 1], ticking[engine() % left]);
    };
    for (int repetition = 0; repetition < 3; ++repetition) {
        const auto shuffled = run_once(code.value(), options, {}, shuffle);
        EXPECT_TRUE(shuffled && shuffled.value() == expected.value()) << "seed " << seed;
    }
    return expected.value();
}

TEST(RandomAccesses, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        run_shuffled(random_accesses(seed), seed, 1);
}

TEST(RandomAccesses, OfSeveralMultiprocessorsShareTheL2) {
    std::size_t most_users = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        std::map<CacheLevel, std::set<int>> units;
        std::map<CacheLevel, std::int64_t> sent;
        std::map<CacheLevel, std::int64_t> came;
        run_shuffled(random_accesses(seed), seed, 3, [&](const Event& event) {
            if (const auto* access = std::get_if<LineAccessed>(&event); access && !access->write) {
                sent[access->level] += std::popcount(access->missed);
                units[access->level].insert(access->unit);
            } else if (const auto* filled = std::get_if<LineFilled>(&event)) {
                came[filled->level] += std::popcount(filled->sectors);
            }
        });
        EXPECT_EQ(sent, came) << "seed " << seed;
        EXPECT_LE(units[CacheLevel::L2].size(), 2U) << "there are two slices";
        most_users = std::max(most_users, units[CacheLevel::L1].size());
    }
    EXPECT_EQ(most_users, 3U);
}

} // namespace
} // namespace warpbound::harness::simulator::test
