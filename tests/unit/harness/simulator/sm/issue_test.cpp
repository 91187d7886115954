// The rules of docs/reference/timing-contract.md, one small program each.

#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace warpbound::harness::simulator::test {
namespace {

using enum models::IssueControl;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Interlocked, IndependentInstructionsIssueAtTheSameWarpInterval) {
    const auto program = straight_line({add(1, 0, 0), add(2, 0, 0), add(3, 0, 0)});
    EXPECT_THAT(run(program, small_machine(Interlocked)).issues(), ElementsAre(0, 6, 12, 18));
}

TEST(Interlocked, AReaderWaitsForTheResult) {
    // 18 cycles after the first; the exit 6 later. The last result is ready at 18 + 18.
    const auto result =
        run(straight_line({add(1, 0, 0), add(2, 1, 0)}), small_machine(Interlocked));
    EXPECT_THAT(result.issues(), ElementsAre(0, 18, 24));
    EXPECT_EQ(result.observation.execution_time.count(), 36);
}

TEST(Interlocked, AnotherWriterWaitsToo) {
    const auto program = straight_line({add(1, 0, 0), add(1, 2, 2)});
    EXPECT_THAT(run(program, small_machine(Interlocked)).issues(), ElementsAre(0, 18, 24));
}

TEST(Encoded, RegistersDoNotDelay) {
    const auto program =
        straight_line({with(add(1, 0, 0), stall(2)), with(add(2, 1, 1), stall(3))});
    auto encoded = program;
    encoded.function.instructions.back().control = stall(1);
    EXPECT_THAT(run(encoded, small_machine(Encoded)).issues(), ElementsAre(0, 2, 5));
}

TEST(Encoded, AWaitMaskWaitsForTheScoreboard) {
    assembly::Control sets = stall(1);
    sets.write_barrier = 2;
    assembly::Control waits = stall(1);
    waits.wait_mask = 0b100;
    // The shared load takes 26 cycles.
    auto load = straight_line({with(load_shared(1, 0), sets), with(add(2, 1, 1), waits)});
    load.function.instructions.back().control = stall(1);
    load.set_passes(0, 1, 1);
    EXPECT_THAT(run(load, small_machine(Encoded)).issues(), ElementsAre(0, 26, 27));
}

TEST(Encoded, DepbarWaitsUntilAtMostKAreUnreleased) {
    assembly::Control sets = stall(1);
    sets.write_barrier = 0;
    auto depbar = make("DEPBAR", assembly::OpcodeClass::DependenceBarrier,
                       {assembly::ScoreboardOperand{0}, number(1)});
    // Loads at 0, 5, 10 (initiation 5) release at 26, 31, 36: at most one is unreleased from 31 on.
    auto program = straight_line({with(load_shared(1, 0), sets), with(load_shared(2, 0), sets),
                                  with(load_shared(3, 0), sets), with(depbar, stall(1))});
    program.function.instructions.back().control = stall(1);
    for (std::size_t load = 0; load < 3; ++load)
        program.set_passes(load, 1, 1);
    EXPECT_THAT(run(program, small_machine(Encoded)).issues(), ElementsAre(0, 5, 10, 31, 32));
}

TEST(Encoded, AReadBarrierIsReleasedWhenTheSourcesAreRead) {
    assembly::Control sets = stall(1);
    sets.read_barrier = 0;
    assembly::Control waits = stall(1);
    waits.wait_mask = 1;
    auto program = straight_line({with(load_shared(1, 0), sets), with(add(0, 2, 2), waits)});
    program.function.instructions.back().control = stall(1);
    program.set_passes(0, 3, 3);
    const RunOptions high{.seed = 1, .draw = Draw::AllHigh, .path = {}};
    // source-read 4 and two further passes of 3.
    EXPECT_THAT(run(program, small_machine(Encoded), {1, 32}, high).issues(),
                ElementsAre(0, 10, 11));
}

TEST(DualIssue, TakesNoChoiceOfItsOwn) {
    assembly::Control pair = stall(0);
    pair.dual_issue = true;
    auto program = straight_line({with(add(1, 0, 0), pair), with(load_shared(2, 0), stall(1)),
                                  with(add(3, 0, 0), stall(1))});
    program.function.instructions.back().control = stall(1);
    program.set_passes(1, 1, 1);
    auto machine = small_machine(Encoded);
    set(machine.schedulers, "issue-slot", 3);
    EXPECT_THAT(run(program, machine).issues(), ElementsAre(0, 0, 3, 6));
}

TEST(DualIssue, WaitsForAChoiceWhenItsPortIsOccupied) {
    assembly::Control pair = stall(0);
    pair.dual_issue = true;
    // Both use the alu port: 2 cycles, and the scheduler chooses every 3.
    auto program = straight_line({with(add(1, 0, 0), pair), with(add(2, 0, 0), stall(1))});
    program.function.instructions.back().control = stall(1);
    auto machine = small_machine(Encoded);
    set(machine.schedulers, "issue-slot", 3);
    EXPECT_THAT(run(program, machine).issues(), ElementsAre(0, 3, 6));
}

// Two warps of one scheduler that are always ready take turns; either may be first.
TEST(LooseRoundRobin, TakesTurns) {
    const auto program =
        straight_line({float_add(1, 0, 0), float_add(2, 0, 0), float_add(3, 0, 0)});
    auto machine = small_machine(Interlocked);
    set(machine.schedulers, "count", 1);
    set(machine.schedulers, "same-warp-interval", 1);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto result =
            run(program, machine, {1, 64}, {.seed = seed, .draw = Draw::Uniform, .path = {}});
        const int first = result.issues(0).front() == 0 ? 0 : 1;
        EXPECT_THAT(result.issues(first), ElementsAre(0, 2, 4, 6));
        EXPECT_THAT(result.issues(1 - first), ElementsAre(1, 3, 5, 7));
    }
}

TEST(Port, OfAWarpSpacesItsOwnAccessesOnly) {
    auto program = straight_line({load_shared(1, 0), load_shared(2, 0)});
    program.set_passes(0, 4, 4);
    program.set_passes(1, 1, 1);
    auto machine = small_machine(Interlocked);
    // 4 passes of 5 cycles; warp 1 is on another scheduler and is not delayed.
    const auto result = run(program, machine, {1, 64});
    EXPECT_THAT(result.issues(0), ElementsAre(0, 20, 26));
    EXPECT_THAT(result.issues(1), ElementsAre(0, 20, 26));
}

TEST(Port, OfTheCoreServesOneWarpAtATime) {
    const auto program = straight_line({cosine(1, 0)});
    bool zero_first = false;
    bool one_first = false;
    for (std::uint64_t seed = 1; seed <= 32; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const auto result = run(program, small_machine(Interlocked), {1, 64}, options);
        const auto zero = result.issues(0).front();
        const auto one = result.issues(1).front();
        EXPECT_EQ(std::min(zero, one), 0);
        EXPECT_EQ(std::max(zero, one), 6);
        (zero == 0 ? zero_first : one_first) = true;
    }
    EXPECT_TRUE(zero_first && one_first) << "either warp may be first";
}

TEST(SharedMemory, TimeIsLinearInTheConflictDegree) {
    for (std::int64_t degree = 1; degree <= 32; ++degree) {
        auto program = straight_line({load_shared(1, 0), add(2, 1, 1)});
        program.set_passes(0, degree, degree);
        EXPECT_EQ(run(program, small_machine(Interlocked)).issues()[1], 26 + (degree - 1) * 3);
    }
}

TEST(Predicate, ThatIsFalseTakesAnIssueSlotAndHasNoEffect) {
    const auto program = straight_line({predicated_off(add(1, 0, 0)), add(2, 1, 1)});
    EXPECT_THAT(run(program, small_machine(Interlocked)).issues(), ElementsAre(0, 6, 12));
}

TEST(Predicate, HasBothValues) {
    const auto program = straight_line({guarded(add(1, 0, 0)), add(2, 1, 1)});
    for (const auto& [draw, second] :
         {std::pair{Draw::AllLow, std::int64_t{6}}, {Draw::AllHigh, std::int64_t{18}}}) {
        const RunOptions options{.seed = 1, .draw = draw, .path = {}};
        EXPECT_EQ(run(program, small_machine(Interlocked), {1, 32}, options).issues()[1], second);
    }
}

// models.md section 10: with n <= K the spacing is a; with K = 1 it is max(a, d); in general
// t_n = max((n-1) a, (n-K) d).
TEST(WriteBuffer, FollowsTheRecurrence) {
    for (const std::int64_t entries : {1, 2, 4, 16}) {
        for (const std::int64_t drain : {3, 6, 20}) {
            std::vector<assembly::Instruction> stores(10, store_global(0, 1));
            auto program = straight_line(stores);
            for (std::size_t store = 0; store < stores.size(); ++store)
                program.set_passes(store, 1, 1);
            auto machine = small_machine(Interlocked);
            set(machine.write_buffer, "entries", entries);
            set(machine.write_buffer, "drain", drain);
            const auto issues = run(program, machine).issues();
            for (std::int64_t n = 1; n <= 10; ++n)
                EXPECT_EQ(issues[static_cast<std::size_t>(n - 1)],
                          std::max((n - 1) * 6, drain > 6 ? (n - entries) * drain : 0))
                    << "K=" << entries << " d=" << drain << " n=" << n;
        }
    }
}

TEST(WriteBuffer, DelaysTheEndUntilItIsEmpty) {
    auto program = straight_line({store_global(0, 1)});
    program.set_passes(0, 2, 2);
    auto machine = small_machine(Interlocked);
    set(machine.write_buffer, "drain", 30);
    EXPECT_EQ(run(program, machine).observation.execution_time.count(), 60);
}

// C94: four sectors of a line, but no more than there are lanes.
TEST(WriteBuffer, DrainsNoFasterThanItsSectors) {
    for (const auto& [transactions, end] :
         std::map<std::int64_t, std::int64_t>{{1, 4 * 7}, {2, 8 * 7}, {8, 32 * 7}, {32, 32 * 7}}) {
        auto program = straight_line({store_global(0, 1)});
        program.set_passes(0, transactions, transactions);
        auto machine = small_machine(Interlocked);
        set(machine.write_buffer, "drain", 3);
        tests::put_value(machine, "memories/l1/line", {128, 128, 128});
        tests::put_value(machine, "memories/l1/sector", {32, 32, 32});
        tests::put_value(machine, "write-buffer/sector-drain", {7, 7, 7});
        EXPECT_EQ(run(program, machine).observation.execution_time.count(), end) << transactions;
    }
}

// C95: the port takes a line each cycle, but no instruction in less than its initiation of 6.
TEST(Port, TakesLinesFasterThanInstructions) {
    for (const auto& [transactions, spacing] :
         std::map<std::int64_t, std::int64_t>{{1, 6}, {6, 6}, {8, 8}, {32, 32}}) {
        auto program = straight_line({store_global(0, 1), store_global(0, 1)});
        program.set_passes(0, transactions, transactions);
        program.set_passes(1, transactions, transactions);
        auto machine = small_machine(Interlocked);
        tests::put_value(machine, "classes/store-global/line-interval", {1, 1, 1});
        EXPECT_EQ(run(program, machine).issues()[1], spacing) << transactions;
    }
}

TEST(Barrier, WaitsForTheLastWarp) {
    auto program = straight_line({add(1, 0, 0), barrier(), add(2, 0, 0)});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const auto result = run(program, small_machine(Interlocked), {1, 224}, options);
        std::int64_t last = 0;
        for (int warp = 0; warp < 7; ++warp)
            last = std::max(last, result.issues(warp)[1]);
        for (int warp = 0; warp < 7; ++warp)
            EXPECT_GE(result.issues(warp)[2], last + 10) << "seed " << seed;
    }
}

TEST(Barrier, DoesNotWaitForWarpsThatEnded) {
    using enum assembly::EdgeKind;
    // Block 0 exits or continues to the barrier: warps that arrive wait for live warps only.
    auto program = program_of({{guarded(exit())}, {barrier(), add(1, 0, 0), exit()}},
                              {{0, 1, FallThrough}}, {0});
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
        run(program, small_machine(Interlocked), {1, 128}, {.seed = seed, .draw = {}, .path = {}});
}

assembly::Instruction counted(std::int64_t threads, const char* modifier = "SYNC") {
    auto instruction = barrier(1);
    instruction.operands.push_back(number(threads));
    instruction.modifiers = {modifier};
    return instruction;
}

TEST(Barrier, ADeadlockNamesTheWaitingWarps) {
    using enum assembly::EdgeKind;
    // A barrier that counts threads may lie on some warps' paths only (C9a).
    auto program = program_of({{guarded(branch())}, {counted(128)}, {exit()}},
                              {{0, 1, FallThrough}, {0, 2, Taken}, {1, 2, FallThrough}});
    const auto machine = small_machine(Interlocked);
    const auto prepared = Machine::prepare(machine, program.kernel({1, 128}));
    ASSERT_TRUE(prepared);
    bool deadlocked = false;
    for (std::uint64_t seed = 1; seed <= 30 && !deadlocked; ++seed) {
        const auto result = prepared.value()->run({.seed = seed, .draw = {}, .path = {}});
        if (result) continue;
        deadlocked = true;
        EXPECT_THAT(result.error().what, HasSubstr("deadlock"));
        EXPECT_THAT(result.error().what, HasSubstr("of block 0 at barrier 1"));
    }
    EXPECT_TRUE(deadlocked);
}

// Four warps synchronize in pairs: no warp waits for more than one other.
TEST(Barrier, WithAThreadCountOpensForAsManyWarps) {
    const auto program = straight_line({counted(64), add(1, 0, 0)});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const auto result = run(program, small_machine(Interlocked), {1, 128}, options);
        std::vector<std::int64_t> arrivals;
        for (int warp = 0; warp < 4; ++warp)
            arrivals.push_back(result.issues(warp)[0]);
        std::sort(arrivals.begin(), arrivals.end());
        std::int64_t first = result.issues(0)[1];
        for (int warp = 1; warp < 4; ++warp)
            first = std::min(first, result.issues(warp)[1]);
        EXPECT_GE(first, arrivals[1] + 10) << "seed " << seed;
        EXPECT_LE(first, arrivals[1] + 20 + 10) << "seed " << seed;
    }
    const auto odd = Machine::prepare(small_machine(Interlocked), program.kernel({1, 96}));
    ASSERT_TRUE(odd);
    const auto deadlock = odd.value()->run({});
    ASSERT_FALSE(deadlock) << "three warps make one pair";
    EXPECT_THAT(deadlock.error().what, HasSubstr("at barrier 1"));
}

// Six warps in groups of three, two schedulers: the fourth arrives in the cycle in which the third
// opens the barrier, and belongs to the next group.
TEST(Barrier, WithAThreadCountKeepsLaterArrivalsForTheNextOpening) {
    const auto program = straight_line({counted(96), add(1, 0, 0)});
    const auto machine = small_machine(Interlocked);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto result =
            run(program, machine, {1, 192}, {.seed = seed, .draw = Draw::Uniform, .path = {}});
        EXPECT_THAT(tests::violations(program.kernel({1, 192}), machine, {},
                                      {result.events, result.observation.execution_time.count()}),
                    testing::IsEmpty())
            << "seed " << seed;
        std::map<std::int64_t, int> leave;
        for (const Event& event : result.events)
            if (const auto* issued = std::get_if<Issued>(&event); issued && issued->number == 1)
                ++leave[issued->stalls[Stall::Barrier]];
        for (const auto& [at, warps] : leave)
            EXPECT_EQ(warps % 3, 0) << "at " << at << ", seed " << seed;
    }
}

// A warp either arrives and continues (BAR.ARV), or waits for the arrival of the other.
TEST(Barrier, IsNotWaitedForByWarpsThatOnlyArrive) {
    using enum assembly::EdgeKind;
    const auto program =
        program_of({{guarded(branch())}, {counted(64, "ARV"), branch()}, {counted(64)}, {exit()}},
                   {{0, 1, FallThrough}, {0, 2, Taken}, {1, 3, Taken}, {2, 3, FallThrough}});
    const auto machine = small_machine(Interlocked);
    const auto prepared = Machine::prepare(machine, program.kernel({1, 64}));
    ASSERT_TRUE(prepared) << prepared.error().what;
    bool released = false;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        TestRun result;
        const auto observed =
            prepared.value()->run({.seed = seed, .draw = {}, .path = {}},
                                  [&](const Event& event) { result.events.push_back(event); });
        if (!observed) {
            EXPECT_THAT(observed.error().what, HasSubstr("deadlock")) << "both wait";
            continue;
        }
        std::int64_t arrived = -1;
        std::int64_t waited = -1;
        for (const Event& event : result.events) {
            const auto* issued = std::get_if<Issued>(&event);
            if (issued == nullptr) continue;
            if (issued->instruction == 1) arrived = issued->cycle;
            if (issued->instruction == 4 && issued->stalls[Stall::Barrier] > 0)
                waited = issued->stalls[Stall::Barrier];
        }
        if (arrived < 0 || waited < 0) continue; // Both only arrived.
        released = true;
        EXPECT_GE(waited, arrived + 10) << "seed " << seed;
    }
    EXPECT_TRUE(released);
}

TEST(Barrier, WithAnImpossibleThreadCountIsRefused) {
    const auto machine = small_machine(Interlocked);
    EXPECT_THAT(refusal(straight_line({counted(40)}), machine, {1, 64}),
                HasSubstr("a multiple of 32"));
    EXPECT_THAT(refusal(straight_line({counted(96)}), machine, {1, 64}),
                HasSubstr("at most the 64"));
    EXPECT_THAT(refusal(straight_line({counted(32), counted(64)}), machine, {1, 64}),
                HasSubstr("several thread counts"));
    auto in_register = barrier();
    in_register.operands.push_back(reg(3));
    EXPECT_THAT(refusal(straight_line({in_register}), machine, {1, 64}),
                HasSubstr("a thread count that is known"));
    auto arrives = barrier();
    arrives.modifiers = {"ARV"};
    EXPECT_THAT(refusal(straight_line({arrives}), machine), HasSubstr("BAR.ARV at 0x0000"));
}

TEST(Branch, HasItsOwnGapInEachDirection) {
    using enum assembly::EdgeKind;
    auto program = program_of({{guarded(branch())}, {add(1, 0, 0)}, {exit()}},
                              {{0, 1, FallThrough}, {0, 2, Taken}, {1, 2, FallThrough}});
    const auto machine = small_machine(Interlocked);
    EXPECT_THAT(run(program, machine, {1, 32}, {.seed = 1, .draw = {}, .path = {0, 1, 2}}).issues(),
                ElementsAre(0, 10, 16));
    EXPECT_THAT(run(program, machine, {1, 32}, {.seed = 1, .draw = {}, .path = {0, 2}}).issues(),
                ElementsAre(0, 12));
}

TEST(Blocks, BeyondTheBlockSlotsStartAfterOneEnds) {
    auto machine = small_machine(Interlocked);
    set(machine.limits, "max-blocks", 2);
    const auto program = straight_line({add(1, 0, 0)});
    const RunOptions low{.seed = 1, .draw = Draw::AllLow, .path = {}};
    const auto result = run(program, machine, {3, 32}, low);
    // The exits of the first two blocks issue at 6; replacement 50 and start 5 follow.
    EXPECT_THAT(result.issues(0), ElementsAre(0, 6));
    EXPECT_THAT(result.issues(1), ElementsAre(0, 6));
    EXPECT_THAT(result.issues(2), ElementsAre(61, 67));
}

TEST(Blocks, NeedNoStartTimeWhenAllFit) {
    auto machine = small_machine(Interlocked);
    machine.blocks.values.clear();
    EXPECT_EQ(refusal(straight_line({add(1, 0, 0)}), machine, {8, 32}), "");
    EXPECT_THAT(refusal(straight_line({add(1, 0, 0)}), machine, {9, 32}),
                HasSubstr("blocks/replacement"));
}

TEST(Run, GivesTheSameObservationFromTwoThreads) {
    auto program = straight_line({load_global(1, 0), float_add(2, 1, 1), store_global(2, 1)});
    const auto machine = small_machine(Interlocked);
    const auto prepared = Machine::prepare(machine, program.kernel({4, 96}));
    ASSERT_TRUE(prepared);
    std::vector<models::Observation> first(50);
    std::vector<models::Observation> second(50);
    const auto fill = [&](std::vector<models::Observation>& observations) {
        for (std::size_t seed = 0; seed < observations.size(); ++seed)
            observations[seed] =
                prepared.value()->run({.seed = seed, .draw = {}, .path = {}}).value();
    };
    std::thread one{fill, std::ref(first)};
    std::thread two{fill, std::ref(second)};
    one.join();
    two.join();
    EXPECT_EQ(first, second);
    EXPECT_NE(first[0].execution_time, first[1].execution_time);
}

TEST(Draws, AllHighIsTheSlowestOfAStraightLineOfOneWarp) {
    auto program = straight_line({load_global(1, 0), float_add(2, 1, 1), guarded(add(3, 2, 2)),
                                  store_global(2, 3), store_global(2, 3), store_global(2, 3)});
    const auto machine = small_machine(Interlocked);
    const auto time = [&](Draw draw, std::uint64_t seed) {
        return run(program, machine, {1, 32}, {.seed = seed, .draw = draw, .path = {}})
            .observation.execution_time;
    };
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        EXPECT_LE(time(Draw::Uniform, seed), time(Draw::AllHigh, 1)) << "seed " << seed;
        EXPECT_GE(time(Draw::Uniform, seed), time(Draw::AllLow, 1)) << "seed " << seed;
    }
}

TEST(Prepare, NamesWhatTheDescriptionLacks) {
    auto program = straight_line({store_global(0, 1)});
    program.set_passes(0, 1, 1);
    auto machine = small_machine(Interlocked);
    machine.write_buffer.values.pop_back();
    EXPECT_THAT(refusal(program, machine), HasSubstr("write-buffer/drain"));
    EXPECT_THAT(refusal(straight_line({shift(1, 0)}), machine), HasSubstr("classes/shift"));
}

} // namespace
} // namespace warpbound::harness::simulator::test
