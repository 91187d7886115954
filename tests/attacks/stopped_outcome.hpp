#pragma once
/// \file
/// What a command leaves that a limit or a signal stopped.

#include "tests/attacks/run_limited.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace warpbound::tests {

inline constexpr int undecided = 4;
/// Of processor time, after the limit or the signal: other programs may run at the same time.
inline constexpr double soon = 2;

inline void expect_undecided(const Outcome& outcome, double limit) {
    const double most_threads = std::max(1U, std::thread::hardware_concurrency());
    EXPECT_EQ(misbehaviour_of(outcome), "") << outcome.err;
    EXPECT_EQ(outcome.exit_code, undecided) << outcome.out << outcome.err;
    EXPECT_LT(outcome.processor_seconds, most_threads * limit + soon);
    EXPECT_THAT(outcome.out + outcome.err, testing::Not(testing::HasSubstr("holds")));
    EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("internal error")));
}

inline Limits interrupted_after(double seconds) {
    Limits limits;
    limits.interrupt_after = std::chrono::duration<double>{seconds};
    return limits;
}

} // namespace warpbound::tests
