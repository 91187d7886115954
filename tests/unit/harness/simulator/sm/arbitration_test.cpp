// Rule C19: which warp is chosen, on programs small enough to follow by hand.

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using enum models::IssueControl;
using testing::ElementsAre;
using testing::Gt;

models::WarpPolicy policy(std::string_view text) {
    const auto read = models::read_policy(text);
    EXPECT_TRUE(read) << text;
    return read.value();
}

/// One scheduler that chooses in every cycle.
models::Architecture one_scheduler() {
    auto machine = small_machine(Encoded);
    set(machine.schedulers, "count", 1);
    return machine;
}

/// `count` independent additions and the end, each ready one cycle after its predecessor.
TestProgram additions(int count) {
    std::vector<assembly::Instruction> instructions;
    for (int i = 0; i < count; ++i)
        instructions.push_back(with(float_add(i, 7, 7), stall(1)));
    auto program = straight_line(instructions);
    program.function.instructions.back().control = stall(1);
    return program;
}

/// A load, an addition that waits for it, and the end.
TestProgram load_and_use() {
    assembly::Control sets = stall(1);
    sets.write_barrier = 0;
    assembly::Control waits = stall(1);
    waits.wait_mask = 1;
    auto program = straight_line({with(load_global(1, 0), sets), with(float_add(2, 1, 1), waits)});
    program.function.instructions.back().control = stall(1);
    program.set_passes(0, 1, 1, models::MemoryLevel::Dram);
    return program;
}

TEST(Policy, GreedyKeepsItsWarpThenTakesTheOldest) {
    const auto result = run(additions(3), one_scheduler(), {1, 96}, {}, policy("gto"));
    EXPECT_THAT(result.issues(0), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(result.issues(1), ElementsAre(4, 5, 6, 7));
    EXPECT_THAT(result.issues(2), ElementsAre(8, 9, 10, 11));
}

// With stalls of 2 the chosen warp is not ready in the next cycle: greedy switches to the second
// warp and keeps it while it can; oldest returns to the first one at once.
TEST(Policy, OldestReturnsToTheOldestAtOnce) {
    auto program = additions(3);
    for (auto& instruction : program.function.instructions)
        instruction.control = stall(2);
    const auto oldest = run(program, one_scheduler(), {1, 96}, {}, policy("oldest"));
    EXPECT_THAT(oldest.issues(0), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(oldest.issues(1), ElementsAre(1, 3, 5, 7));
    EXPECT_THAT(oldest.issues(2), ElementsAre(8, 10, 12, 14));
    const auto greedy = run(program, one_scheduler(), {1, 96}, {}, policy("gto"));
    EXPECT_THAT(greedy.issues(0), ElementsAre(0, 2, 4, 6));
}

/// The warps of all issues in the order of their cycles, as digits, and the cycles.
struct Schedule {
    std::string warps;
    std::vector<std::int64_t> cycles;
};

Schedule schedule_of(const TestRun& run) {
    std::map<std::int64_t, int> by_cycle; // One scheduler: at most one issue a cycle.
    for (const Event& event : run.events)
        if (const auto* issued = std::get_if<Issued>(&event))
            by_cycle[issued->cycle] = issued->warp;
    Schedule schedule;
    for (const auto& [cycle, warp] : by_cycle) {
        schedule.warps += std::to_string(warp);
        schedule.cycles.push_back(cycle);
    }
    return schedule;
}

/// Cycles between the first and the last issue in which none takes place.
std::int64_t bubbles(const Schedule& schedule) {
    return schedule.cycles.back() - schedule.cycles.front() + 1 -
           static_cast<std::int64_t>(schedule.cycles.size());
}

/// `count` issues of a warp.
std::string times(std::size_t count, char warp) {
    return std::string(count, warp);
}

/// H25 (Huerta et al., MICRO 2025) Fig. 4: four warps of 32 instructions on one scheduler.
TestProgram figure_4(const assembly::Control& second = stall(1)) {
    auto program = additions(31);
    program.function.instructions[1].control = second;
    return program;
}
const models::Launch four_warps{1, 128};

// Fig. 4 (a): the youngest until it misses in the instruction cache; the next one to its end, past
// the line that came meanwhile; then the others, the youngest first.
TEST(GreedyThenYoungest, KeepsItsWarpPastTheReturnOfAnotherLine) {
    auto machine = one_scheduler();
    const TestProgram program = figure_4();
    const auto& code = program.function.instructions;
    for (const auto& [name, value] : std::vector<std::pair<const char*, std::int64_t>>{
             {"line", static_cast<std::int64_t>(code[8].address - code[0].address)},
             {"stream", 1},
             {"l0-sets", 4},
             {"l0-ways", 4},
             {"l0-miss", 10},
             {"l1-sets", 4},
             {"l1-ways", 4},
             {"l1-miss", 3},
             {"l1-service", 1}})
        set(machine.fetch, name, value);
    const auto schedule = schedule_of(run(program, machine, four_warps, {}, policy("gty")));
    EXPECT_EQ(schedule.warps,
              times(16, '3') + times(32, '2') + times(16, '3') + times(32, '1') + times(32, '0'));
    EXPECT_EQ(bubbles(schedule), 0);
}

// Fig. 4 (b): a stall count of 4 on the second instruction; only the last warp has nobody to hide
// it.
TEST(GreedyThenYoungest, HidesTheStallOfItsWarp) {
    const auto schedule =
        schedule_of(run(figure_4(stall(4)), one_scheduler(), four_warps, {}, policy("gty")));
    EXPECT_EQ(schedule.warps,
              "332211" + times(30, '3') + times(30, '2') + times(30, '1') + times(32, '0'));
    EXPECT_EQ(bubbles(schedule), 3);
    EXPECT_EQ(schedule.cycles[97], 97);
    EXPECT_EQ(schedule.cycles[98], 101);
}

// Fig. 4 (c): a yield on the second instruction; the youngest of the others is next.
TEST(GreedyThenYoungest, YieldsToTheYoungestOfTheOthers) {
    auto machine = one_scheduler();
    set(machine.schedulers, "yield", 1);
    assembly::Control yields = stall(1);
    yields.yield = true;
    const auto schedule =
        schedule_of(run(figure_4(yields), machine, four_warps, {}, policy("gty")));
    EXPECT_EQ(schedule.warps,
              "3322" + times(30, '3') + times(30, '2') + "1100" + times(30, '1') + times(30, '0'));
    EXPECT_EQ(bubbles(schedule), 0);
}

// A block that began later is younger, whatever its warp slot: blocks 3 and 4 come before block 0.
TEST(GreedyThenYoungest, PrefersTheBlockThatBeganLast) {
    auto machine = one_scheduler();
    set(machine.limits, "max-blocks", 3);
    set(machine.blocks, "start", 0);
    set(machine.blocks, "replacement", 5);
    const auto program = additions(9);
    const auto youngest = schedule_of(run(program, machine, {5, 32}, {}, policy("gty")));
    EXPECT_EQ(youngest.warps,
              times(10, '2') + times(10, '1') + times(10, '3') + times(10, '4') + times(10, '0'));
    const auto oldest = schedule_of(run(program, machine, {5, 32}, {}, policy("gto")));
    EXPECT_EQ(oldest.warps,
              times(10, '0') + times(10, '1') + times(10, '2') + times(10, '3') + times(10, '4'));
}

// Whatever the choices, three warps of four instructions fill twelve cycles. No warp is always
// first, and none is always last.
TEST(Policy, UnknownChoosesAnyReadyWarpInEveryCycle) {
    std::set<std::vector<std::int64_t>> orders;
    std::set<std::int64_t> ends; // Of the first warp.
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        for (const Draw draw : {Draw::Uniform, Draw::AllLow, Draw::AllHigh}) {
            const auto result = run(additions(3), one_scheduler(), {1, 96},
                                    {.seed = seed, .draw = draw, .path = {}}, policy("unknown"));
            std::vector<std::int64_t> all;
            for (int warp = 0; warp < 3; ++warp)
                for (const std::int64_t at : result.issues(warp))
                    all.push_back(at);
            orders.insert(all);
            ends.insert(result.issues(0).back());
            std::sort(all.begin(), all.end());
            EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)) << seed;
        }
    EXPECT_GT(orders.size(), 40U);
    EXPECT_EQ(*ends.begin(), 3);
    EXPECT_EQ(*ends.rbegin(), 11);
}

TEST(Policy, LooseRoundRobinSkipsWarpsThatCannotIssue) {
    const auto result = run(additions(3), one_scheduler(), {1, 64}, {}, policy("lrr"));
    const bool first = result.issues(0).front() == 0;
    EXPECT_THAT(result.issues(first ? 0 : 1), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(result.issues(first ? 1 : 0), ElementsAre(1, 3, 5, 7));
}

// The loads issue in round-robin order; then the warp whose turn it is waits for its load, and the
// other one with it.
TEST(Policy, StrictRoundRobinWaitsForTheWarpWhoseTurnItIs) {
    RunOptions options;
    options.draw = Draw::AllLow;
    auto machine = one_scheduler();
    const auto result = run(load_and_use(), machine, {1, 64}, options, policy("srr"));
    const int first = result.issues(0).front() == 0 ? 0 : 1;
    // The port of loads is occupied for 4 cycles; DRAM answers after 300.
    EXPECT_THAT(result.issues(first), ElementsAre(0, 300, 305));
    EXPECT_THAT(result.issues(1 - first), ElementsAre(4, 304, 306));
}

// An active set of one: the second warp enters when the first waits for its load, and the first
// re-enters when its load has returned.
TEST(Policy, TwoLevelReplacesAWarpThatWaitsForALongOperation) {
    RunOptions options;
    options.draw = Draw::AllLow;
    const auto result =
        run(load_and_use(), one_scheduler(), {1, 96}, options, policy("two-level:active=1"));
    EXPECT_THAT(result.issues(0), ElementsAre(0, 300, 301));
    EXPECT_THAT(result.issues(1), ElementsAre(4, 304, 305));
    EXPECT_THAT(result.issues(2), ElementsAre(8, 308, 309));
}

// The third block has a warp slot from cycle 301 on, but starts later; the load of the second warp
// returns before.
TEST(Policy, TwoLevelReservesNoActiveSlotForAWarpThatHasNotStarted) {
    auto machine = one_scheduler();
    set(machine.limits, "max-blocks", 2);
    set(machine.blocks, "replacement", 0);
    set(machine.blocks, "start", 1000);
    RunOptions options;
    options.draw = Draw::AllLow;
    const auto result =
        run(load_and_use(), machine, {3, 32}, options, policy("two-level:active=1"));
    EXPECT_THAT(result.issues(0), ElementsAre(0, 300, 301));
    EXPECT_THAT(result.issues(1), ElementsAre(4, 304, 305));
    EXPECT_EQ(result.issues(2).front(), 1301);
}

// Blocks become candidates in the order of their start times, not of their block slots.
TEST(Policy, TwoLevelTakesBlocksInTheOrderOfTheirStarts) {
    auto machine = one_scheduler();
    set(machine.limits, "max-blocks", 3);
    set(machine.blocks, "replacement", 0);
    set(machine.blocks, "start", Values{1, 400});
    const auto two_level = policy("two-level:active=1");
    auto program = additions(40);
    for (auto& instruction : program.function.instructions)
        instruction.control = stall(5);
    int differ = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const auto result = run(program, machine, {6, 32},
                                {.seed = seed, .draw = Draw::Uniform, .path = {}}, two_level);
        std::vector<std::pair<std::int64_t, int>> starts;
        for (const Event& event : result.events)
            if (const auto* started = std::get_if<WarpStarted>(&event))
                starts.emplace_back(started->cycle, started->warp);
        std::stable_sort(starts.begin(), starts.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::int64_t before = -1;
        for (const auto& [cycle, warp] : starts) {
            if (warp < 3) continue; // They start in the same cycle.
            EXPECT_GT(result.issues(warp).front(), before) << "seed " << seed;
            before = result.issues(warp).front();
        }
        if (!std::is_sorted(starts.begin(), starts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; }))
            ++differ;
    }
    EXPECT_GT(differ, 0);
}

// A short stall does not remove a warp from the active set.
TEST(Policy, TwoLevelKeepsItsActiveSetDuringShortStalls) {
    auto program = additions(3);
    for (auto& instruction : program.function.instructions)
        instruction.control = stall(5);
    const auto result = run(program, one_scheduler(), {1, 64}, {}, policy("two-level:active=1"));
    EXPECT_THAT(result.issues(0), ElementsAre(0, 5, 10, 15));
    EXPECT_THAT(result.issues(1), ElementsAre(16, 21, 26, 31));
}

// W0 W1 W0 W2 W0 W3 ..: time slot k belongs to the fast warp when k is even.
TEST(Policy, VariableRateIssuesInItsTimeSlots) {
    const auto result =
        run(additions(6), one_scheduler(), {1, 128}, {}, policy("variable-rate:fast=0,every=2"));
    for (int warp = 0; warp < 4; ++warp) {
        const auto issues = result.issues(warp);
        ASSERT_EQ(issues.size(), 7U);
        for (std::size_t i = 1; i < issues.size(); ++i)
            EXPECT_EQ(issues[i] - issues[i - 1], warp == 0 ? 2 : 6) << "warp " << warp;
    }
}

TEST(Policy, VariableRateMayReassignUnusedTimeSlots) {
    const auto fixed_slots =
        run(additions(6), one_scheduler(), {1, 128}, {}, policy("variable-rate"));
    const auto conserving =
        run(additions(6), one_scheduler(), {1, 128}, {}, policy("variable-rate:conserving"));
    // Four warps of seven instructions: a warp issues in every cycle.
    std::int64_t last = 0;
    for (int warp = 0; warp < 4; ++warp)
        last = std::max(last, conserving.issues(warp).back());
    EXPECT_EQ(last, 27);
    EXPECT_THAT(fixed_slots.observation.execution_time.count(),
                Gt(conserving.observation.execution_time.count()));
}

} // namespace
} // namespace warpbound::harness::simulator::test
