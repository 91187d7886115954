// Blocks on one or several SMs: occupancy limits, dispatch, order.

#include "harness/simulator/decode/residency.hpp"
#include "harness/simulator/decode/translation.hpp"
#include "harness/simulator/sm/adversary.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/unit/harness/simulator/any_order.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace warpbound::harness::simulator::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;

/// The small machine with `multiprocessors` SMs, 32768 registers in 2 partitions and 16 KiB of
/// shared memory on each.
models::Architecture machine_of(std::int64_t multiprocessors) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", multiprocessors);
    set(machine.limits, "registers", 32768);
    set(machine.limits, "registers-per-block", 32768);
    set(machine.limits, "registers-per-thread", 63);
    set(machine.limits, "register-granularity", 64);
    set(machine.limits, "register-partitions", 2);
    set(machine.limits, "shared-memory", 16384);
    set(machine.limits, "shared-memory-per-block", 12288);
    set(machine.limits, "shared-granularity", 128);
    set(machine.limits, "shared-reserved", 0);
    return machine;
}

/// The start of each warp, by warp number.
std::map<int, WarpStarted> starts_of(const TestRun& run) {
    std::map<int, WarpStarted> starts;
    for (const Event& event : run.events)
        if (const auto* started = std::get_if<WarpStarted>(&event))
            starts[started->warp] = *started;
    return starts;
}

/// Blocks that start in cycle 0.
std::int64_t first_wave(const models::Launch& launch, std::int64_t multiprocessors = 1) {
    const TestRun result = run(straight_line({add(1, 0, 0)}), machine_of(multiprocessors), launch,
                               {}, {}, multiprocessors);
    std::int64_t warps = 0;
    for (const auto& [warp, started] : starts_of(result))
        warps += started.cycle == 0 ? 1 : 0;
    return warps / launch.warps_per_block();
}

TEST(Residency, AllocatesTheLowestFreeWarpSlots) {
    Residency residency{Capacity{.warps = 8, .blocks = 3}};
    const Demand two{.warps = 2};
    const Demand three{.warps = 3};
    const auto first = residency.enter(two);
    EXPECT_THAT(first, ElementsAre(0, 1));
    EXPECT_THAT(residency.enter(two), ElementsAre(2, 3));
    residency.leave(two, first);
    EXPECT_THAT(residency.enter(three), ElementsAre(0, 1, 4));
    EXPECT_EQ(residency.missing(Demand{.warps = 4}), Resource::Warps);
    EXPECT_TRUE(residency.fits(two));
    residency.enter(two);
    EXPECT_EQ(residency.missing(Demand{.warps = 1}), Resource::Blocks);
}

// Two partitions of 100 registers: warp slots 0 and 2 are in the first.
TEST(Residency, CountsRegistersByPartition) {
    Residency residency{
        Capacity{.warps = 8, .blocks = 8, .register_partitions = 2, .registers = 100}};
    const Demand demand{.warps = 1, .registers = 60};
    residency.enter(demand);
    residency.enter(demand);
    EXPECT_EQ(residency.missing(demand), Resource::Registers);
    EXPECT_FALSE(residency.missing(Demand{.warps = 1, .registers = 40}));
}

TEST(Blocks, AreLimitedByTheResourcesTheyNeed) {
    EXPECT_EQ(first_wave({20, 64}), 8);                     // limits/max-blocks.
    EXPECT_EQ(first_wave({20, 256}), 6);                    // 48 warps / 8.
    EXPECT_EQ(first_wave({20, 256, 32}), 4);                // 32 x 32 x 8 of 32768 registers.
    EXPECT_EQ(first_wave({20, 64, std::nullopt, 4000}), 4); // 4096 of 16384 bytes.
    EXPECT_EQ(first_wave({20, 64, std::nullopt, 4097}), 3); // 4224 of 16384 bytes.
    EXPECT_EQ(first_wave({20, 256, 20}), 6);                // 640 a warp: 25 in each partition.
    EXPECT_EQ(first_wave({20, 256, 21}), 5);                // Fermi: 768 instead of 704 a warp.
    EXPECT_EQ(first_wave({20, 256, 32, 8000}), 2);          // The smallest limit.
}

TEST(Blocks, TakeTheRegistersThatTheListingStates) {
    auto program = straight_line({add(1, 0, 0)});
    program.function.register_count = 32;
    const TestRun result = run(program, machine_of(1), {20, 256});
    std::int64_t warps = 0;
    for (const auto& [warp, started] : starts_of(result))
        warps += started.cycle == 0 ? 1 : 0;
    EXPECT_EQ(warps, 32);
}

TEST(Blocks, TakeTheSharedMemoryThatTheListingStates) {
    auto program = straight_line({add(1, 0, 0)});
    program.function.shared_memory = 4097; // 4224 of 16384 bytes.
    const auto first_warps = [&](const models::Launch& launch) {
        const auto starts = starts_of(run(program, machine_of(1), launch));
        return std::count_if(starts.begin(), starts.end(),
                             [](const auto& start) { return start.second.cycle == 0; });
    };
    EXPECT_EQ(first_warps({20, 64}), 3 * 2);
    EXPECT_EQ(first_warps({20, 64, std::nullopt, 4000}),
              4 * 2); // The launch overrides the listing.
    program.function.shared_memory = 12289;
    EXPECT_THAT(refusal(program, machine_of(1), {2, 64}), HasSubstr("by its shared memory"));
    EXPECT_THAT(refusal(program, machine_of(1), {1, 64}), IsEmpty());
}

TEST(Blocks, ThatFitNoSmAreRefusedByResource) {
    const auto program = straight_line({add(1, 0, 0)});
    const auto refusal_of = [&](const models::Launch& launch) {
        return refusal(program, machine_of(1), launch);
    };
    auto narrow = machine_of(1);
    set(narrow.limits, "max-warps", 4);
    EXPECT_THAT(refusal(program, narrow, {1, 256}), HasSubstr("by its warps: it takes 8 of 4"));
    EXPECT_THAT(refusal_of({1, 64, 64}), HasSubstr("by its registers: it takes 64 of the 63"));
    EXPECT_THAT(refusal_of({1, 1024, 40}),
                HasSubstr("by its registers: it takes 40960 of the 32768"));
    EXPECT_THAT(refusal_of({1, 64, 32, 12289}),
                HasSubstr("by its shared memory: it takes 12289 of the"));
    EXPECT_THAT(refusal_of({1, 64, 32, 12288}), IsEmpty());
}

TEST(Blocks, NeedTheLimitsOfTheResourcesTheyState) {
    const auto program = straight_line({add(1, 0, 0)});
    const auto machine = small_machine(models::IssueControl::Interlocked);
    EXPECT_THAT(refusal(program, machine, {1, 64, 16}), HasSubstr("limits/register-granularity"));
    EXPECT_THAT(refusal(program, machine, {1, 64, std::nullopt, 16}),
                HasSubstr("limits/shared-memory"));
    EXPECT_THAT(refusal(program, machine, {1, 64}), IsEmpty());
}

TEST(SeveralSms, AreAllFilledInTheFirstWave) {
    EXPECT_EQ(first_wave({40, 256}, 4), 24);
    EXPECT_EQ(first_wave({20, 256}, 4), 20);
}

TEST(SeveralSms, AreAsManyAsTheMachineHas) {
    const auto program = straight_line({add(1, 0, 0)});
    EXPECT_THAT(refusal(program, machine_of(4), {1, 32}, 5),
                HasSubstr("5 SMs; expected 1 to geometry/multiprocessors, which is 4"));
    EXPECT_THAT(refusal(program, machine_of(4), {1, 32}, 0), HasSubstr("0 SMs"));
    EXPECT_THAT(refusal(program, small_machine(models::IssueControl::Interlocked), {1, 32}, 2),
                HasSubstr("geometry/multiprocessors"));
}

// One block of one warp: any of four SMs may get it, and each does over many seeds.
TEST(SeveralSms, GetBlocksAtRandom) {
    const auto program = straight_line({add(1, 0, 0)});
    std::map<int, int> chosen;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const TestRun result = run(program, machine_of(4), {1, 32}, options, {}, 4);
        ++chosen[starts_of(result).at(0).multiprocessor];
    }
    ASSERT_EQ(chosen.size(), 4U);
    for (const auto& [multiprocessor, count] : chosen)
        EXPECT_THAT(count, AllOf(Gt(60), Lt(140))) << multiprocessor;
}

// Each SM has its own ports and write buffer: one block on each of four SMs takes as long as a
// single block.
TEST(SeveralSms, DoNotDelayEachOther) {
    auto program =
        straight_line({cosine(1, 0), cosine(2, 0), store_global(0, 1), store_global(0, 2)});
    program.set_passes(2, 1, 1);
    program.set_passes(3, 1, 1);
    auto machine = machine_of(4);
    set(machine.schedulers, "count", 1);
    set(machine.limits, "max-blocks", 1);
    set(machine.write_buffer, "drain", 20);
    set_class(machine, {assembly::OpcodeClass::StoreGlobal, "core-unit", 1, 2});
    const TestRun single = run(program, machine, {1, 256});
    const TestRun concurrent = run(program, machine, {4, 256}, {}, {}, 4);
    std::set<int> used;
    for (const auto& [warp, started] : starts_of(concurrent))
        used.insert(started.multiprocessor);
    EXPECT_EQ(used.size(), 4U);
    EXPECT_EQ(concurrent.observation.execution_time, single.observation.execution_time);
}

// Ten blocks on four SMs with eight block slots each: 3, 3, 2 and 2, whatever is drawn.
TEST(Blocks, GoToTheSmWithTheMostRoom) {
    const auto program = straight_line({add(1, 0, 0)});
    auto machine = machine_of(4);
    set(machine.limits, "max-blocks", 8);
    const auto fullest = [&](std::uint64_t seed, Draw draw) {
        const RunOptions options{.seed = seed, .draw = draw, .path = {}};
        std::map<int, std::int64_t> blocks;
        for (const auto& [warp, started] :
             starts_of(run(program, machine, {10, 32}, options, {}, 4)))
            ++blocks[started.multiprocessor];
        std::int64_t most = 0;
        for (const auto& [multiprocessor, count] : blocks)
            most = std::max(most, count);
        return most;
    };
    std::int64_t most = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        most = std::max(most, fullest(seed, Draw::Uniform));
    EXPECT_GT(most, 3);
    set(machine.blocks, "most-room", 1);
    for (const Draw draw : all_draws)
        for (std::uint64_t seed = 1; seed <= 20; ++seed)
            EXPECT_EQ(fullest(seed, draw), 3);
}

// Four blocks on four SMs with four block slots each, and a port of the SM that limits the blocks:
// random dispatch hardly ever puts all of them on one SM, the adversary does in half of its runs.
TEST(AdversarialDraw, MakesLongTimesMoreLikely) {
    const auto program = straight_line({cosine(1, 0), cosine(2, 0), cosine(3, 0), cosine(4, 0)});
    auto machine = machine_of(4);
    set(machine.limits, "max-blocks", 4);
    const auto times = [&](Draw draw) {
        std::vector<std::int64_t> sorted;
        const auto prepared = Machine::prepare(machine, program.kernel({4, 256}), {}, 4);
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const RunOptions options{.seed = seed, .draw = draw, .path = {}};
            sorted.push_back(prepared.value()->run(options).value().execution_time.count());
        }
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    };
    // Four blocks of eight warps: 128 cosines of 6 cycles each; the last one starts at 762.
    const auto long_ones = [](const std::vector<std::int64_t>& sorted) {
        return sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), 762);
    };
    EXPECT_LT(long_ones(times(Draw::Uniform)), 20);
    EXPECT_GT(long_ones(times(Draw::Adversarial)), 60);
}

TEST(AdversarialDraw, DrawsPrecedenceAndBlockDispatch) {
    bool first = false;
    bool last = false;
    bool concentrates = false;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Adversary drawn = adversary_of({.seed = seed, .draw = Draw::Adversarial, .path = {}});
        first = first || drawn.precedence == Precedence::FurthestFirst;
        last = last || drawn.precedence == Precedence::FurthestLast;
        concentrates = concentrates || drawn.concentrates_blocks;
        EXPECT_NE(drawn.values, Draw::Adversarial);
        EXPECT_EQ(adversary_of({.seed = seed, .draw = Draw::Extremes, .path = {}}).values,
                  Draw::Extremes);
    }
    EXPECT_TRUE(first && last && concentrates);
}

Case random_grid(std::uint64_t seed, std::int64_t& multiprocessors) {
    Case test = random_case(seed);
    std::mt19937_64 engine{seed};
    multiprocessors = 1 + static_cast<std::int64_t>(engine() % 5);
    const auto limits = machine_of(multiprocessors);
    test.machine.geometry = limits.geometry;
    test.machine.limits = limits.limits;
    test.launch.blocks = 1 + static_cast<std::int64_t>(engine() % 24);
    if (engine() % 2 == 0) test.launch.registers = 1 + static_cast<std::int64_t>(engine() % 63);
    if (engine() % 2 == 0) test.launch.shared_memory = static_cast<std::int64_t>(engine() % 12288);
    set(test.machine.blocks, "most-room", static_cast<std::int64_t>(engine() % 2));
    return test;
}

TEST(RandomGrids, ObeyTheContract) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::int64_t multiprocessors = 1;
        const Case test = random_grid(seed, multiprocessors);
        for (const Draw draw : all_draws) {
            const RunOptions options{.seed = seed, .draw = draw, .path = {}};
            const TestRun result =
                run(test.program, test.machine, test.launch, options, {}, multiprocessors);
            const auto found =
                tests::violations(test.program.kernel(test.launch), test.machine, {},
                                  {result.events, result.observation.execution_time.count(),
                                   static_cast<int>(multiprocessors)});
            EXPECT_THAT(found, IsEmpty())
                << "seed " << seed << ", draw " << to_string(draw) << ", " << multiprocessors
                << " SMs, launch " << models::to_string(test.launch);
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(RandomGrids, DoNotDependOnTheOrderOfComponents) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        std::int64_t multiprocessors = 1;
        const Case test = random_grid(seed, multiprocessors);
        const auto code =
            translate(test.machine, test.program.kernel(test.launch), {}, multiprocessors);
        ASSERT_TRUE(code) << code.error().what;
        run_in_any_order(code.value(), seed);
    }
}

// Logs of blocks that went anywhere: most of them are not by room.
TEST(EventChecker, FindsABlockThatDoesNotGoWhereTheMostRoomIs) {
    const auto program = straight_line({add(1, 0, 0)});
    const auto drawn = machine_of(4);
    auto by_room = drawn;
    set(by_room.blocks, "most-room", 1);
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const TestRun result = run(program, drawn, {6, 32}, options, {}, 4);
        const auto check = [&](const models::Architecture& machine) {
            return tests::violations(program.kernel({6, 32}), machine, {},
                                     {result.events, result.observation.execution_time.count(), 4});
        };
        EXPECT_THAT(check(drawn), IsEmpty());
        const auto violations = check(by_room);
        found += std::any_of(violations.begin(), violations.end(), [](const std::string& text) {
            return text.rfind("C98: block", 0) == 0;
        });
    }
    EXPECT_GT(found, 10);
}

// Each error, planted in a correct log, is found.
TEST(EventChecker, FindsWrongDispatch) {
    const auto program = straight_line({add(1, 0, 0)});
    const models::Launch launch{20, 256};
    const auto machine = machine_of(2);
    const auto check = [&](const std::vector<Event>& events, std::int64_t time, int sms = 2) {
        return tests::violations(program.kernel(launch), machine, {}, {events, time, sms});
    };
    const TestRun correct = run(program, machine, launch, {}, {}, 2);
    const std::int64_t time = correct.observation.execution_time.count();
    EXPECT_THAT(check(correct.events, time), IsEmpty());
    EXPECT_THAT(check(correct.events, time, 3), Not(IsEmpty())); // The third SM stays empty.
    auto moved = correct.events;
    for (Event& event : moved)
        if (auto* started = std::get_if<WarpStarted>(&event); started && started->warp == 0)
            started->multiprocessor = 1 - started->multiprocessor;
    EXPECT_THAT(check(moved, time), Not(IsEmpty())); // A block on two SMs.
    auto idle = machine;
    set(idle.limits, "max-warps", 56); // One more block fits each SM.
    EXPECT_THAT(tests::violations(program.kernel(launch), idle, {}, {correct.events, time, 2}),
                testing::Contains(HasSubstr("C31")));
    auto small = machine;
    set(small.limits, "max-warps", 40);
    EXPECT_THAT(tests::violations(program.kernel(launch), small, {}, {correct.events, time, 2}),
                testing::Contains(HasSubstr("C30")));
}

} // namespace
} // namespace warpbound::harness::simulator::test
