#pragma once
/// \file
/// Components read only what is visible, so the order in which they tick cannot matter.

#include "harness/simulator/machine_run.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace warpbound::harness::simulator::test {

/// Runs once in the usual order, with the listener, and several times in orders drawn from the
/// seed. Fails the test where an observation differs.
inline models::Observation run_in_any_order(const KernelCode& code, std::uint64_t seed,
                                            const Listener& listener = {}) {
    const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
    const auto expected = run_once(code, options, listener);
    if (!expected) {
        ADD_FAILURE() << expected.error().what;
        return {};
    }
    std::mt19937_64 engine{seed};
    const TickOrder shuffle = [&](std::span<Component*> ticking) {
        for (std::size_t left = ticking.size(); left > 1; --left)
            std::swap(ticking[left - 1], ticking[engine() % left]);
    };
    for (int repetition = 0; repetition < 4; ++repetition) {
        const auto shuffled = run_once(code, options, {}, shuffle);
        EXPECT_TRUE(shuffled && shuffled.value() == expected.value()) << "seed " << seed;
    }
    return expected.value();
}

} // namespace warpbound::harness::simulator::test
