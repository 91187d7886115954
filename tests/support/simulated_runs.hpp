#pragma once
/// \file
/// Simulated execution times of a launch, one for each kind of draw.

#include "harness/simulator/machine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace warpbound::tests {

struct SimulatedRun {
    harness::Draw draw = harness::Draw::AllHigh;
    std::int64_t cycles = 0; ///< Its execution time.
};

/// One run of each kind of draw. None, and a failure of the test: the launch is refused.
inline std::vector<SimulatedRun> simulated_runs(const models::Architecture& machine,
                                                const harness::Kernel& kernel,
                                                const models::WarpPolicy& policy,
                                                std::int64_t multiprocessors) {
    constexpr std::array draws{harness::Draw::AllHigh, harness::Draw::Adversarial,
                               harness::Draw::Extremes, harness::Draw::Uniform};
    const auto simulated =
        harness::simulator::Machine::prepare(machine, kernel, policy, multiprocessors);
    EXPECT_TRUE(simulated) << to_string(simulated.error());
    std::vector<SimulatedRun> runs;
    if (!simulated) return runs;
    std::uint64_t seed = 0;
    for (const harness::Draw draw : draws) {
        const auto observed = simulated.value()->run({++seed, draw, {}});
        EXPECT_TRUE(observed) << to_string(observed.error());
        if (observed) runs.push_back({draw, observed.value().execution_time.count()});
    }
    return runs;
}

} // namespace warpbound::tests
