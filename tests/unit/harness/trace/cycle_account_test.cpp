// Every cycle of every warp and scheduler is in exactly one category.

#include "harness/trace/cycle_account.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

namespace warpbound::harness::trace {
namespace {

using namespace simulator::test;
using simulator::Stall;
using testing::Each;

CycleAccount account_of(const TestProgram& program, const models::Architecture& machine,
                        const TestRun& run) {
    const auto schedulers =
        static_cast<std::size_t>(machine.schedulers.find("count")->interval->lo);
    CycleAccountant accountant{1, schedulers, program.function.instructions.size()};
    for (const auto& event : run.events)
        accountant.receive(event);
    return accountant.close(run.observation.execution_time.count());
}

std::int64_t waited(const CycleStack& stack, Stall stall) {
    return stack.waiting[static_cast<std::size_t>(stall)];
}

simulator::Issued issue(std::int64_t cycle, std::int64_t since) {
    simulator::Issued issued;
    issued.cycle = cycle;
    issued.since = since;
    return issued;
}

TEST(WaitingCycles, GiveEachCycleToTheFirstStallOfTheList) {
    auto issued = issue(20, 5);
    issued.stalls[Stall::Gap] = 8;
    issued.stalls[Stall::Register] = 7; // Ends before the gap does.
    issued.stalls[Stall::Scoreboard] = 12;
    issued.stalls[Stall::Port] = 18;
    EXPECT_THAT(waiting_cycles(issued), testing::ElementsAre(3, 0, 0, 0, 4, 0, 6, 0, 0, 0, 2));
    EXPECT_EQ(last_stall(issued), Stall::NotChosen);
    EXPECT_THAT(waiting_cycles(issued, 10), testing::ElementsAre(0, 0, 0, 0, 2, 0, 6, 0, 0, 0, 2));
}

TEST(WaitingCycles, AreNoneForAnInstructionThatIssuesAtOnce) {
    EXPECT_THAT(waiting_cycles(issue(5, 5)), Each(0));
    EXPECT_EQ(last_stall(issue(5, 5)), std::nullopt);
    // The second instruction of a pair.
    EXPECT_THAT(waiting_cycles(issue(5, 6)), Each(0));
}

// A gap of 6 and additions of 18 cycles: 5 cycles of gap, then 12 for the register; the result of
// the second is available at 36.
TEST(CycleAccount, SplitsADependentAdditionIntoGapAndRegister) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.schedulers, "count", 1);
    const auto program = straight_line({add(1, 2, 3), add(4, 1, 1)});
    const auto result = run(program, machine);
    ASSERT_THAT(result.issues(0), testing::ElementsAre(0, 18, 24));
    const auto account = account_of(program, machine, result);
    const CycleStack& warp = account.warps.at(0);
    EXPECT_EQ(account.instructions, 3);
    EXPECT_EQ(warp.issue, 3);
    EXPECT_EQ(waited(warp, Stall::Gap), 5 + 5);
    EXPECT_EQ(waited(warp, Stall::Register), 12);
    EXPECT_EQ(account.cycles, 36);
    EXPECT_EQ(warp.ended, 36 - 25);
    EXPECT_EQ(warp, account.schedulers.at(0));
    EXPECT_EQ(waited(account.by_instruction.at(1).cycles, Stall::Register), 12);
    EXPECT_EQ(account.by_instruction.at(0).cycles.total(), 1);
}

TEST(CycleAccount, CountsASchedulerWithoutWarpsAsNotStarted) {
    const auto machine = small_machine(models::IssueControl::Interlocked);
    const auto program = straight_line({add(1, 2, 3)});
    const auto account = account_of(program, machine, run(program, machine));
    ASSERT_EQ(account.schedulers.size(), 2U);
    EXPECT_EQ(account.schedulers[1].not_started, account.cycles);
    EXPECT_EQ(account.all_schedulers().total(), 2 * account.cycles);
}

void expect_exact(const CycleAccount& account) {
    std::int64_t between = 0;
    for (const CycleStack& warp : account.warps) {
        EXPECT_EQ(warp.total(), account.cycles);
        between += warp.total() - warp.not_started - warp.ended;
        for (const auto& [category, cycles] : categories_of(warp))
            EXPECT_GE(cycles, 0) << category;
    }
    for (const CycleStack& scheduler : account.schedulers) {
        EXPECT_EQ(scheduler.total(), account.cycles);
        for (const auto& [category, cycles] : categories_of(scheduler))
            EXPECT_GE(cycles, 0) << category;
    }
    std::int64_t of_instructions = 0;
    std::int64_t issues = 0;
    for (const InstructionAccount& instruction : account.by_instruction) {
        of_instructions += instruction.cycles.total();
        issues += instruction.issues;
    }
    EXPECT_EQ(of_instructions, between);
    EXPECT_EQ(issues, account.instructions);
}

// Sums are exact over random programs, machines, policies, draws, and blocks that replace others.
TEST(CycleAccount, SumsExactlyToTheCycles) {
    for (const std::string& name : tests::every_policy) {
        const auto policy = models::read_policy(name);
        ASSERT_TRUE(policy);
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            Case test = random_case(seed);
            if (seed % 3 == 0) {
                set(test.machine.limits, "max-blocks", 2);
                test.launch.blocks = 5;
            }
            const RunOptions options{.seed = seed, .draw = all_draws[seed % 4], .path = {}};
            const auto result =
                run(test.program, test.machine, test.launch, options, policy.value());
            const auto account = account_of(test.program, test.machine, result);
            ASSERT_EQ(account.warps.size(),
                      static_cast<std::size_t>(test.launch.blocks * test.launch.warps_per_block()));
            expect_exact(account);
            if (testing::Test::HasFailure()) {
                ADD_FAILURE() << name << ", seed " << seed;
                return;
            }
        }
    }
}

} // namespace
} // namespace warpbound::harness::trace
