#pragma once
/// \file
/// Runs a test program and keeps its events.

#include "harness/simulator/machine.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpbound::harness::simulator::test {

inline constexpr Draw all_draws[] = {Draw::Uniform, Draw::Extremes, Draw::AllLow, Draw::AllHigh,
                                     Draw::Adversarial};

struct TestRun {
    models::Observation observation;
    std::vector<Event> events;

    /// Issue cycles of a warp.
    [[nodiscard]] std::vector<std::int64_t> issues(int warp = 0) const {
        std::vector<std::int64_t> cycles;
        for (const Event& event : events)
            if (const auto* issued = std::get_if<Issued>(&event); issued && issued->warp == warp)
                cycles.push_back(issued->cycle);
        return cycles;
    }
};

/// Fails the test, with the refusal's text, when the program is refused.
inline TestRun run(const TestProgram& program, const models::Architecture& machine,
                   models::Launch launch = {1, 32}, const RunOptions& options = {},
                   const models::WarpPolicy& policy = {}, std::int64_t multiprocessors = 1) {
    TestRun result;
    const auto prepared =
        Machine::prepare(machine, program.kernel(launch), policy, multiprocessors);
    if (!prepared) {
        ADD_FAILURE() << prepared.error().what;
        return result;
    }
    auto observation =
        prepared.value()->run(options, [&](const Event& event) { result.events.push_back(event); });
    if (!observation)
        ADD_FAILURE() << observation.error().what;
    else
        result.observation = std::move(observation.value());
    return result;
}

/// The text of a refusal by `prepare`; empty when it accepts.
inline std::string refusal(const TestProgram& program, const models::Architecture& machine,
                           models::Launch launch = {1, 32}, std::int64_t multiprocessors = 1) {
    const auto prepared = Machine::prepare(machine, program.kernel(launch), {}, multiprocessors);
    return prepared ? std::string{} : prepared.error().what;
}

} // namespace warpbound::harness::simulator::test
