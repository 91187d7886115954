/// \file
/// Work ends where its scope asks for it, and what can be weaker is weaker.

#include "assembly/support/stop_monitor.hpp"
#include "assembly/support/stop_token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace warpbound {
namespace {

constexpr int more_checks_than_between_looks = 1000;

bool raised() {
    return true;
}
bool lowered() {
    return false;
}

StopToken expired() {
    return StopToken{std::chrono::steady_clock::now()};
}

void work(const char* step) {
    for (int i = 0; i < more_checks_than_between_looks; ++i)
        check_stop(step);
}

TEST(StopToken, NeverStopsByDefault) {
    EXPECT_FALSE(StopToken{}.stop_requested());
    EXPECT_FALSE(stop_requested());
    EXPECT_NO_THROW(work("no scope"));
}

TEST(StopToken, StopsAtItsDeadlineOrFlag) {
    EXPECT_TRUE(expired().stop_requested());
    EXPECT_TRUE((StopToken{std::nullopt, raised}.stop_requested()));
    EXPECT_FALSE((StopToken{std::nullopt, lowered}.stop_requested()));
    EXPECT_FALSE(StopToken{deadline_after(std::chrono::hours{1})}.stop_requested());
}

TEST(StopToken, ALimitOfYearsIsNone) {
    EXPECT_FALSE(deadline_after(std::chrono::duration<double>{1e9}).has_value());
    EXPECT_TRUE(deadline_after(std::chrono::duration<double>{1}).has_value());
}

TEST(StopToken, AShareEndsEarlierAndKeepsTheFlag) {
    const auto now = std::chrono::steady_clock::now();
    const StopToken whole{now + std::chrono::hours{10}, raised};
    const StopToken part = whole.with_share(0.5);
    EXPECT_LT(*part.deadline(), now + std::chrono::hours{6});
    EXPECT_GT(*part.deadline(), now + std::chrono::hours{4});
    EXPECT_TRUE(part.was_interrupted());
    EXPECT_FALSE(StopToken{}.with_share(0.5).deadline().has_value());
}

TEST(StopScope, CheckThrowsWithTheStepAndWhatToType) {
    const StopScope scope{expired()};
    try {
        work("the fixed point");
        FAIL() << "was not stopped";
    } catch (const Stopped& stopped) {
        EXPECT_STREQ(stopped.step(), "the fixed point");
        EXPECT_THAT(stopped.what(), testing::HasSubstr("--time-limit"));
    }
}

TEST(StopScope, InterruptIsNamed) {
    const StopScope scope{StopToken{std::nullopt, raised}};
    try {
        work("the fixed point");
        FAIL() << "was not stopped";
    } catch (const Stopped& stopped) {
        EXPECT_THAT(stopped.what(), testing::HasSubstr("interrupt"));
        EXPECT_THAT(stopped.what(), testing::Not(testing::HasSubstr("--time-limit")));
    }
}

TEST(StopScope, FewChecksDoNotLookAtTheClock) {
    const StopScope scope{expired()};
    EXPECT_NO_THROW(check_stop("short work"));
}

TEST(StopScope, InnerScopeReplacesTheOuterOneWhileItLives) {
    const StopScope outer{expired()};
    {
        const StopScope inner{StopToken{}};
        EXPECT_FALSE(stop_requested());
        EXPECT_NO_THROW(work("inner"));
    }
    EXPECT_TRUE(stop_requested());
}

TEST(StopScope, IsOfItsThread) {
    const StopScope scope{expired()};
    bool stops = true;
    std::thread{[&] { stops = stop_requested(); }}.join();
    EXPECT_FALSE(stops);
}

TEST(UnlessStopped, GivesTheResult) {
    StopScope scope{StopToken{}};
    EXPECT_EQ(unless_stopped([] { return 7; }), 7);
    EXPECT_TRUE(scope.dropped().empty());
}

TEST(UnlessStopped, GivesNothingAndNotesTheStepOnceInAllScopesAround) {
    StopScope outer{expired()};
    const StopScope inner{expired()};
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(unless_stopped([] {
                      work("a refinement");
                      return 7;
                  }),
                  std::nullopt);
    EXPECT_THAT(inner.dropped(), testing::ElementsAre("a refinement"));
    EXPECT_THAT(outer.dropped(), testing::ElementsAre("a refinement"));
}

TEST(UnlessStopped, PassesOtherExceptionsOn) {
    EXPECT_THROW(unless_stopped([]() -> int { throw std::logic_error{"broken"}; }),
                 std::logic_error);
}

TEST(StopToken, UntilEndsAtTheEarlierDeadlineAndKeepsTheFlag) {
    const auto now = std::chrono::steady_clock::now();
    const StopToken token{now + std::chrono::hours{2}, lowered};
    EXPECT_EQ(token.until(now + std::chrono::hours{1}).deadline(), now + std::chrono::hours{1});
    EXPECT_EQ(token.until(now + std::chrono::hours{3}).deadline(), token.deadline());
    EXPECT_EQ(token.until({}).deadline(), token.deadline());
    EXPECT_TRUE(
        (StopToken{std::nullopt, raised}.until(now + std::chrono::hours{1})).was_interrupted());
}

TEST(StopMonitor, InterruptsAgainAndAgainOnceTheTokenStops) {
    std::atomic<int> interrupts{0};
    const StopMonitor monitor{expired(), [&interrupts] { ++interrupts; }};
    while (interrupts < 2)
        std::this_thread::yield();
}

TEST(StopMonitor, EndsAtOnceWithoutAnInterrupt) {
    std::atomic<int> interrupts{0};
    {
        const StopMonitor monitor{StopToken{}, [&interrupts] { ++interrupts; }};
    }
    EXPECT_EQ(interrupts, 0);
}

} // namespace
} // namespace warpbound
