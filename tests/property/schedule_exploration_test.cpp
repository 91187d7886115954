/// \file
/// Random slotted launches whose schedulers share ports and the write buffer, every value a number:
/// no simulated time leaves the times of all schedules.

#include "analyzer/analyze.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/single_schedule.hpp"
#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace warpbound {
namespace {

constexpr std::array policies{"variable-rate:fast=0,every=2", "variable-rate:fast=1,every=3",
                              "variable-rate:fast=2,every=2", "variable-rate:fast=0,every=5"};
constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes,
                           harness::Draw::Adversarial};

struct Verdict {
    std::string failure;
    bool stepped = false; ///< All schedules were.
    bool varied = false;  ///< They differ.
    bool stored = false;
    bool spread = false; ///< Over several multiprocessors.
};

/// Numbers in place of intervals; schedulers, scopes of units and the write buffer at random.
models::Architecture random_machine(models::Architecture machine, tests::RandomSource& draw) {
    tests::draw_ends(machine, draw);
    tests::set(machine.schedulers, "count", draw.whole(1, 4));
    tests::set(machine.schedulers, "issue-slot", draw.whole(1, 3));
    tests::set(machine.write_buffer, "entries", draw.whole(1, 4));
    tests::set(machine.write_buffer, "drain", draw.whole(1, 40));
    for (auto& unit : machine.units)
        if (draw.whole(0, 1) == 0) unit.scope = models::UnitScope::Core;
    return machine;
}

/// One path, if no branch of the text leaves others.
tests::RandomKernel random_code(std::uint64_t seed, int sm) {
    tests::RandomKernel kernel = tests::random_kernel(seed, tests::options_of_one_path(seed, sm));
    tests::leave_one_path(kernel);
    return kernel;
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource draw{seed};
    models::Architecture machine = random_machine(described.architecture, draw);
    const std::int64_t multiprocessors = draw.whole(1, 2);
    tests::set(machine.geometry, "multiprocessors", multiprocessors);
    const tests::RandomKernel kernel = random_code(seed, described.sm);
    const models::Launch launch{draw.whole(1, 1 + multiprocessors), 32 * draw.whole(1, 3)};
    const auto policy =
        models::read_policy(policies[static_cast<std::size_t>(draw.whole(0, 3))]).value();
    Verdict verdict;
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + machine.name + ", " +
                          std::to_string(multiprocessors) + " multiprocessors, " +
                          models::to_string(launch) + ", " + models::to_string(policy) + "\n" +
                          kernel.text;
        return verdict;
    };
    const auto made = tests::read(kernel);
    if (!made) return fail("not read: " + to_string(made.error()));
    analyzer::Request request;
    request.function = made.value()->function;
    request.graph = &made.value()->graph;
    request.architecture = &machine;
    request.facts = &made.value()->facts;
    request.launch = launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return fail("not analyzed: " + to_string(analysis.error()));
    const auto& envelope = analysis.value().execution_time;
    for (const auto* side : {&envelope.lower, &envelope.upper})
        for (const auto& term : side->terms)
            verdict.stepped =
                verdict.stepped ||
                term.text.find("in every order of issue within a cycle") != std::string::npos;
    const auto bounds = envelope.bounds();
    verdict.varied = verdict.stepped && bounds.lower() < bounds.upper();
    verdict.spread = verdict.stepped && multiprocessors > 1 && launch.blocks > 1;
    verdict.stored = verdict.stepped && kernel.text.find("ST") != std::string::npos;
    const harness::Kernel launched{request.function, request.graph, request.facts, launch};
    const auto prepared =
        harness::simulator::Machine::prepare(machine, launched, policy, multiprocessors);
    if (!prepared) return fail("not simulated: " + to_string(prepared.error()));
    for (std::uint64_t run = 0; run < 6; ++run) {
        const auto seen = prepared.value()->run({seed * 7919 + run, draws[run % 3], {}});
        if (!seen) return fail("run refused: " + to_string(seen.error()));
        const auto time = seen.value().execution_time;
        if (!bounds.contains(time))
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(bounds.upper().count()) + "]");
    }
    return verdict;
}

TEST(ScheduleExploration, NoSimulatedTimeOfARandomLaunchLeavesThem) {
    std::uint64_t stepped = 0;
    std::uint64_t varied = 0;
    std::uint64_t stored = 0;
    std::uint64_t spread = 0;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const Verdict& verdict) {
        if (verdict.stepped) ++stepped;
        if (verdict.varied) ++varied;
        if (verdict.stored) ++stored;
        if (verdict.spread) ++spread;
    });
    RecordProperty("stepped", std::to_string(stepped));
    RecordProperty("varied", std::to_string(varied));
    RecordProperty("stored", std::to_string(stored));
    RecordProperty("spread", std::to_string(spread));
    EXPECT_GT(stepped * 5, cases) << "hardly a launch was stepped";
    EXPECT_GT(varied * 20, cases) << "hardly a choice mattered";
    EXPECT_GT(stored * 20, cases) << "hardly a launch stored";
    EXPECT_GT(spread * 20, cases) << "hardly a launch was on several multiprocessors";
}

} // namespace
} // namespace warpbound
