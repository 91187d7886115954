/// \file
/// Bundles of launches under time division that claim the times of all schedules.

#include "assembly/support/source_text.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/policies/only_path.hpp"
#include "certification/verify/policies/slotted_state.hpp"
#include "certification/verify/structure.hpp"
#include "certification/verify/terms.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/stated_uniformity.hpp"
#include "tests/unit/certification/launched_bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {
namespace {

using tests::edit;
using verify::Verdict;

/// A use of a port, and a wait for its result that ends in time slots of other warps.
constexpr const char* one_path_in_slots = R"(!Kernel line
S2R R0, SR_TID.X;
MUFU.RSQ R1, R0;
FADD R2, R1, R1;
MUFU.RSQ R3, R2;
EXIT;
!EndKernel
)";

struct SlottedMachine {
    std::int64_t schedulers = 1;
    models::Interval function{30, 30, 30}; ///< Latency of a special function.
};

models::Architecture slotted_machine(const SlottedMachine& wanted) {
    models::Architecture machine = models::load_architecture("fermi-gtx470").value();
    for (auto& [path, group] : models::value_groups(machine))
        for (auto& value : group->values)
            if (value.interval)
                value.interval =
                    models::Interval{value.interval->hi, value.interval->hi, value.interval->hi};
    tests::put_value(machine, "schedulers/count",
                     {wanted.schedulers, wanted.schedulers, wanted.schedulers});
    tests::put_value(machine, "schedulers/issue-slot", {1, 1, 1});
    tests::put_value(machine, "classes/special-function/latency", wanted.function);
    return machine;
}

KernelInput slotted_input(const SlottedMachine& machine, const std::string& launch,
                          std::int64_t multiprocessors, const char* listing = one_path_in_slots) {
    KernelInput input;
    input.kernel = "line";
    input.listing = listing;
    input.architecture = models::write_architecture(slotted_machine(machine));
    input.launch = launch;
    input.policy = "variable-rate:fast=0,every=2";
    input.multiprocessors = multiprocessors;
    return input;
}

Bundle slotted_bundle(KernelInput input) {
    BundleInputs made;
    made.tool_version = "1.2.3";
    made.kernels.push_back(std::move(input));
    return build_bundle(made).value();
}

std::int64_t claimed(const Bundle& bundle, analyzer::Side side) {
    return bundle.reports.front().claim("execution-time", side)->value;
}

bool claims_schedules(const Bundle& bundle) {
    const auto& reports = bundle.reports.front();
    return std::ranges::all_of(
        std::vector{analyzer::Side::Lower, analyzer::Side::Upper}, [&](analyzer::Side side) {
            const auto* claim = reports.claim("execution-time", side);
            return claim->proof == "schedule-exploration" && claim->terms.size() == 1;
        });
}

TEST(LaunchEvidence, OfSchedulesThatFollowFromTheStartStepsThemAgain) {
    const Bundle bundle = slotted_bundle(slotted_input({}, "1x96", 1));
    ASSERT_TRUE(claims_schedules(bundle));
    EXPECT_FALSE(bundle.reports.front().without_evidence);
    EXPECT_THAT(certificates_of_upper_bound(bundle), testing::IsEmpty());
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
}

/// Somebody leaves out the start that takes the most, or the least, or adds one.
TEST(LaunchEvidence, OfSchedulesWithoutAStartFails) {
    const Bundle bundle = slotted_bundle(slotted_input({}, "1x96", 1));
    ASSERT_LT(claimed(bundle, analyzer::Side::Lower), claimed(bundle, analyzer::Side::Upper));
    for (const char* side : {"lower", "upper"})
        for (const std::int64_t cycles : {-1, 1}) {
            const auto step = structure_step(with_claim_moved(bundle.files, side, cycles));
            EXPECT_EQ(step.verdict, Verdict::Failed);
            EXPECT_THAT(step.detail, testing::HasSubstr("its sum lacks"));
        }
}

TEST(LaunchEvidence, OfSchedulesOfAnotherLaunchFails) {
    for (const char* other : {"1x64", "1x128", "2x96"}) {
        EvidenceFiles files = slotted_bundle(slotted_input({}, "1x96", 1)).files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["launch"] = other; });
        EXPECT_NE(structure_of(files), Verdict::Holds) << other;
    }
    for (const char* policy : {"srr", "gto", "variable-rate:fast=0,every=4"}) {
        EvidenceFiles files = slotted_bundle(slotted_input({}, "1x96", 1)).files;
        edit(files, "inputs/K1/launch.json", [&](Json& json) { json["policy"] = policy; });
        EXPECT_NE(structure_of(files), Verdict::Holds) << policy;
    }
}

/// Fewer blocks may take longer, so each number that a multiprocessor may get is stepped.
TEST(LaunchEvidence, OfSchedulesStepsEachDistributionOfBlocks) {
    const Bundle bundle = slotted_bundle(slotted_input({}, "3x64", 2));
    ASSERT_TRUE(claims_schedules(bundle));
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
    EXPECT_EQ(structure_of(with_claim_moved(bundle.files, "lower", 1)), Verdict::Failed);
}

// In which time slot a result that takes 24 to 30 cycles is waited for is open.
TEST(LaunchEvidence, OfTimesThatLeaveTheScheduleOpenHasCertificates) {
    const Bundle bundle = slotted_bundle(slotted_input({1, {24, 27, 30}}, "1x96", 1));
    EXPECT_FALSE(claims_schedules(bundle));
    EXPECT_THAT(certificates_of_upper_bound(bundle), testing::Not(testing::IsEmpty()));
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
}

constexpr SlottedMachine two_schedulers{.schedulers = 2};

// Both schedulers use the port of special functions, which is the multiprocessor's.
TEST(LaunchEvidence, OfSchedulersThatContendExploresEachOrder) {
    const Bundle bundle = slotted_bundle(slotted_input(two_schedulers, "1x192", 1));
    ASSERT_TRUE(claims_schedules(bundle));
    EXPECT_THAT(
        bundle.reports.front().claim("execution-time", analyzer::Side::Upper)->terms.front().text,
        testing::HasSubstr("in every order of issue within a cycle"));
    EXPECT_FALSE(bundle.reports.front().without_evidence);
    EXPECT_THAT(certificates_of_upper_bound(bundle), testing::IsEmpty());
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
}

/// Somebody leaves out an order that takes the most, or the least.
TEST(LaunchEvidence, OfSchedulersThatContendWithoutAnOrderFails) {
    const Bundle bundle = slotted_bundle(slotted_input(two_schedulers, "1x192", 1));
    ASSERT_LT(claimed(bundle, analyzer::Side::Lower), claimed(bundle, analyzer::Side::Upper));
    for (const char* side : {"lower", "upper"})
        for (const std::int64_t cycles : {-1, 1})
            EXPECT_EQ(structure_of(with_claim_moved(bundle.files, side, cycles)), Verdict::Failed);
}

/// Three iterations of each lane, which its data decide.
KernelInput input_of_lanes_with_one_path(const char* policy) {
    KernelInput input = slotted_input({}, "1x96", 1,
                                      "!Kernel line\nL0:\nMUFU.RSQ R1, R0;\nFADD R0, R1, R1;\n"
                                      "@P0 BRA L0;\nEXIT;\n!EndKernel\n");
    input.policy = policy;
    models::FlowFacts facts;
    facts.kernel = "line";
    facts.program_digest = assembly::digest_of(input.listing);
    facts.loops.push_back({0, 3, 3, {}});
    facts.divergents.push_back({16, {}});
    input.flow_facts = models::write_flow_facts(facts);
    return input;
}

// S86: they never diverge.
TEST(LaunchEvidence, OfLanesWithOnePathStepsTheirSchedules) {
    for (const char* policy : {"variable-rate:fast=0,every=2", "srr"}) {
        const Bundle bundle = slotted_bundle(input_of_lanes_with_one_path(policy));
        ASSERT_TRUE(claims_schedules(bundle)) << policy;
        EXPECT_FALSE(bundle.reports.front().without_evidence);
        EXPECT_EQ(structure_of(bundle.files), Verdict::Holds) << policy;
        for (const char* side : {"lower", "upper"})
            for (const std::int64_t cycles : {-1, 1})
                EXPECT_EQ(structure_of(with_claim_moved(bundle.files, side, cycles)),
                          Verdict::Failed)
                    << policy;
    }
}

/// The check's own states of a launch.
struct ExploredLaunch {
    verify::Evidence evidence;
    verify::SideFlows flows;
    verify::LaunchDemand demand;
    std::vector<verify::IssueStep> path;

    explicit ExploredLaunch(const KernelInput& input)
        : evidence{verify::read_evidence(tests::plain(slotted_bundle(input).files))},
          flows{verify::check_flows(kernel())}, demand{verify::demand_of(kernel(), flows)},
          path{verify::only_path_of(demand.code, demand.code.lower_flow, verify::EarlyEnds::None,
                                    1000)
                   .value()} {}
    [[nodiscard]] const verify::KernelCase& kernel() const { return *evidence.kernels.front(); }
    [[nodiscard]] std::vector<verify::SchedulerSlots> slots() const {
        return verify::slots_of_schedulers(kernel().policy, demand.code.geometry, 1);
    }
};

TEST(SlottedSteps, ContendForPortsOfTheMultiprocessorOnly) {
    const ExploredLaunch launch{slotted_input(two_schedulers, "1x64", 1)};
    verify::PathStates path{launch.demand.code, launch.path};
    ASSERT_TRUE(path.has_exact_uses());
    verify::SlottedSteps steps{launch.demand.code, path, {launch.slots().front()}};
    verify::SlottedState state = steps.start({0, 0}, {0, 0});
    // S2R uses a port of each scheduler.
    ASSERT_EQ(steps.next_cycle(state), 0);
    ASSERT_EQ(steps.issuing_in(0, state), 3U);
    EXPECT_EQ(steps.contending(state, 3, 0), 0U);
    ASSERT_TRUE(steps.issue_on(state, 0, 0));
    ASSERT_TRUE(steps.issue_on(state, 1, 0));
    // Then MUFU.
    const auto cycle = steps.next_cycle(state);
    ASSERT_TRUE(cycle);
    ASSERT_EQ(steps.issuing_in(*cycle, state), 3U);
    EXPECT_EQ(steps.contending(state, 3, *cycle), 3U);
    // Who is second waits for the port.
    ASSERT_TRUE(steps.issue_on(state, 1, *cycle));
    EXPECT_EQ(steps.issuing_in(*cycle, state), 0U);
}

/// States that differ must not be merged.
TEST(SlottedSteps, TellApartWhateverComesDifferently) {
    const ExploredLaunch launch{slotted_input(two_schedulers, "1x192", 1)};
    verify::PathStates path{launch.demand.code, launch.path};
    verify::SlottedSteps steps{launch.demand.code, path, launch.slots()};
    const auto started = [&](std::int64_t first, std::int64_t second) {
        return steps.start({0, 0}, {first, second});
    };
    const verify::SlottedState state = started(0, 1);
    const auto description = steps.description(state, 0);
    // Schedulers have no names, and places no numbers.
    EXPECT_EQ(steps.description(started(1, 0), 0), description);
    EXPECT_EQ(steps.description(started(2, 1), 0), description);
    EXPECT_NE(steps.description(started(0, 0), 0), description);
    const auto differs = [&](auto change) {
        verify::SlottedState other = state;
        change(other);
        return steps.description(other, 0) != description;
    };
    EXPECT_TRUE(differs([](verify::SlottedState& other) { other.ports.front() = 3; }));
    EXPECT_TRUE(differs([](auto& other) { other.schedulers.front().ports.front() = 3; }));
    EXPECT_TRUE(differs([](auto& other) { other.schedulers.front().free_from = 3; }));
    EXPECT_TRUE(differs([](auto& other) { other.drains.push_back(5); }));
    EXPECT_TRUE(differs([](auto& other) {
        other.schedulers.front().warps.front().state = verify::PathStates::ended;
    }));
    // What is over by now is over.
    EXPECT_FALSE(differs([](auto& other) { other.drains.push_back(0); }));
    // The description is all there is.
    EXPECT_EQ(steps.description(steps.described(description), 0), description);
}

/// Two starts of sixteen warps, each of 100,001 issues. The interval forbids exploration.
KernelInput input_of_many_issues() {
    KernelInput input = slotted_input({1, {24, 27, 30}}, "1x512", 1,
                                      "!Kernel line\nL0:\nMUFU.RSQ R1, R0;\n@P0 BRA L0;\nEXIT;\n"
                                      "!EndKernel\n");
    models::FlowFacts facts;
    facts.kernel = "line";
    facts.program_digest = assembly::digest_of(input.listing);
    facts.loops.push_back({0, 50'000, 50'000, {}});
    tests::state_uniform_elsewhere(facts, input.listing);
    input.flow_facts = models::write_flow_facts(facts);
    return input;
}

TEST(LaunchEvidence, OfMoreSchedulesThanAreSteppedHasCertificatesAndIsIncompleteWithout) {
    const Bundle bundle = slotted_bundle(input_of_many_issues());
    EXPECT_FALSE(claims_schedules(bundle));
    EXPECT_EQ(structure_of(bundle.files), Verdict::Holds);
    verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.files));
    verify::KernelCase& kernel = *evidence.kernels.front();
    kernel.certificates.clear();
    const auto step = verify::check_structure(evidence);
    EXPECT_EQ(step.verdict, Verdict::Incomplete);
    EXPECT_THAT(step.detail, testing::HasSubstr("it has more schedules than are explored"));
}

} // namespace
} // namespace warpbound::certification
