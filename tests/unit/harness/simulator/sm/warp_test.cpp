// A warp with results whose times it receives after the issue.

#include "harness/simulator/decode/translation.hpp"
#include "harness/simulator/sm/warp.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace warpbound::harness::simulator::test {
namespace {

/// A warp of a straight-line program; the result times of its first `notified` instructions are
/// unknown at issue.
class NotifiedWarp {
public:
    NotifiedWarp(const std::vector<assembly::Instruction>& instructions,
                 models::IssueControl control, std::size_t notified)
        : program_{program_of({instructions})}, code_{translated(control)} {
        for (std::size_t index = 0; index < notified; ++index)
            code_.operations[index].result_is_notified = true;
        if (!start(0, 0)) throw std::runtime_error{"no path"};
    }
    /// The warp of a block occupies the warp slot.
    bool start(std::int64_t block, std::int64_t at) {
        return warp.start(Grid{&code_, 0}, block, 0, at).has_value();
    }
    /// Issues the next instruction as soon as it is ready.
    void issue() { warp.issue(warp.ready_at(), StallEnds{}, 0); }

private:
    [[nodiscard]] KernelCode translated(models::IssueControl control) const {
        auto code = translate(small_machine(control), program_.kernel());
        if (!code) throw std::runtime_error{code.error().what};
        return std::move(code.value());
    }

    TestProgram program_;
    RunOptions options_;
    Listener no_listener_;
    EventLog log_{no_listener_};
    KernelCode code_;

public:
    Warp warp{code_.machine, options_, log_};
};

assembly::Instruction releasing(assembly::Instruction instruction, int scoreboard) {
    assembly::Control control = stall(1);
    control.write_barrier = scoreboard;
    return with(std::move(instruction), control);
}

assembly::Instruction depbar(int scoreboard, std::int64_t most) {
    return with(make("DEPBAR", assembly::OpcodeClass::DependenceBarrier,
                     {assembly::ScoreboardOperand{scoreboard}, number(most)}),
                stall(1));
}

TEST(NotifiedResult, DelaysItsReaderUntilItIsReceived) {
    NotifiedWarp run{
        {load_global(1, 0), add(2, 1, 0), exit()}, models::IssueControl::Interlocked, 1};
    run.issue();
    EXPECT_EQ(run.warp.ready_at(), never);
    EXPECT_TRUE(run.warp.complete(0, 0, 70));
    EXPECT_EQ(run.warp.ready_at(), 70);
}

TEST(NotifiedResult, DelaysNoOtherInstruction) {
    NotifiedWarp run{
        {load_global(1, 0), add(2, 3, 0), add(4, 1, 0)}, models::IssueControl::Interlocked, 1};
    run.issue();
    EXPECT_EQ(run.warp.ready_at(), 6);
    EXPECT_TRUE(run.warp.complete(0, 0, 3)); // Before the gap is over.
    run.issue();
    EXPECT_EQ(run.warp.ready_at(), 12);
}

TEST(NotifiedResult, ReleasesItsScoreboardWhenAllAreReceived) {
    assembly::Control waits = stall(1);
    waits.wait_mask = 1;
    NotifiedWarp run{{releasing(load_global(1, 0), 0), releasing(load_global(2, 0), 0),
                      with(add(3, 1, 2), waits), with(exit(), stall(1))},
                     models::IssueControl::Encoded,
                     2};
    run.issue();
    run.issue();
    EXPECT_TRUE(run.warp.complete(0, 1, 90));
    EXPECT_EQ(run.warp.ready_at(), never);
    EXPECT_TRUE(run.warp.complete(0, 0, 80));
    EXPECT_EQ(run.warp.ready_at(), 90);
}

TEST(NotifiedResult, CountsForDepbarFromTheCycleReceived) {
    NotifiedWarp run{{releasing(load_global(1, 0), 0), releasing(load_global(2, 0), 0),
                      releasing(load_global(3, 0), 0), depbar(0, 1), with(exit(), stall(1))},
                     models::IssueControl::Encoded,
                     3};
    for (int load = 0; load < 3; ++load)
        run.issue();
    EXPECT_TRUE(run.warp.complete(0, 1, 90));
    EXPECT_EQ(run.warp.ready_at(), never); // Two are unreleased.
    EXPECT_TRUE(run.warp.complete(0, 2, 60));
    EXPECT_EQ(run.warp.ready_at(),
              90); // One is unreleased from 90 on, the later of the two known times.
    EXPECT_TRUE(run.warp.complete(0, 0, 300));
    EXPECT_EQ(run.warp.ready_at(), 90);
}

TEST(NotifiedResult, LeavesAReleasedBarrierAsItIs) {
    NotifiedWarp run{
        {load_global(1, 0), barrier(), add(2, 1, 0)}, models::IssueControl::Interlocked, 1};
    run.issue();
    run.issue();
    EXPECT_EQ(run.warp.ready_at(), never);
    run.warp.release(100);
    EXPECT_EQ(run.warp.ready_at(), never);
    EXPECT_TRUE(run.warp.complete(0, 0, 70));
    EXPECT_EQ(run.warp.ready_at(), 100);
}

TEST(NotifiedResult, AfterTheEndOfTheWarpDoesNotAffectTheNextWarp) {
    NotifiedWarp run{{load_global(1, 0), exit()}, models::IssueControl::Interlocked, 1};
    run.issue();
    run.issue();
    EXPECT_FALSE(run.warp.is_live());
    ASSERT_TRUE(run.start(1, 20)); // The next block occupies the warp slot.
    const std::int64_t ready = run.warp.ready_at();
    EXPECT_FALSE(run.warp.complete(0, 0, 500));
    EXPECT_EQ(run.warp.ready_at(), ready);
    EXPECT_EQ(run.warp.completion(), 0);
}

} // namespace
} // namespace warpbound::harness::simulator::test
