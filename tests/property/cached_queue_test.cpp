/// \file
/// lower bound <= every simulated time <= upper bound, over random accesses through small random
/// caches behind memory queues (C74, S75), of one warp and of several; and what the verifier says.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/bottleneck_accesses.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/mixed_accesses.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/strided_accesses.hpp"
#include "tests/support/verified_sum.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using harness::simulator::test::RandomAccesses;
using harness::simulator::test::set;
using harness::simulator::test::set_memory;

RandomAccesses accesses_of(std::uint64_t seed) {
    switch (seed % 5) {
    case 0:
        return harness::simulator::test::random_accesses(seed);
    case 1:
        return tests::strided_accesses(seed);
    case 2:
        return tests::mixed_accesses(seed);
    case 3:
        return tests::bottleneck_accesses(
            tests::all_bottlenecks[seed / 5 % std::size(tests::all_bottlenecks)], seed,
            seed % 2 == 0);
    default:
        return tests::bottleneck_stores(
            tests::all_store_bottlenecks[seed / 5 % std::size(tests::all_store_bottlenecks)], seed);
    }
}

/// Control fields in place of registers that delay issue: random waits for what loads announce.
void encode(RandomAccesses& made, tests::RandomSource& random) {
    made.machine.issue_control = models::IssueControl::Encoded;
    made.machine.target = assembly::Target{70};
    made.program.function.target = assembly::Target{70};
    for (assembly::Instruction& instruction : made.program.function.instructions) {
        assembly::Control control;
        control.stall = static_cast<std::uint8_t>(random.whole(1, 6));
        const int scoreboard = static_cast<int>(random.whole(0, 3));
        if (instruction.opcode_class == assembly::OpcodeClass::LoadGlobal) {
            control.write_barrier = scoreboard;
            // Outstanding one at a time, or as many as there are.
            if (random.whole(0, 1) == 0)
                control.wait_mask = static_cast<std::uint8_t>(1U << scoreboard);
        } else if (random.whole(0, 1) == 0) {
            control.wait_mask = static_cast<std::uint8_t>(random.whole(0, 15));
        }
        if (instruction.opcode_class == assembly::OpcodeClass::StoreGlobal &&
            random.whole(0, 1) == 0)
            control.read_barrier = scoreboard;
        instruction.control = control;
    }
}

/// Memory queues before one path, for accesses to global memory and perhaps to shared memory. The
/// levels take as long after the hand-over as they took after the issue.
void put_queues(RandomAccesses& made, tests::RandomSource& random) {
    models::Architecture& machine = made.machine;
    const auto range = [&](std::int64_t lo, std::int64_t hi, std::int64_t more) {
        const std::int64_t from = random.whole(lo, hi);
        return harness::simulator::test::Values{from, from + random.whole(0, more)};
    };
    const std::int64_t schedulers = random.whole(1, 2);
    const std::int64_t places = random.whole(1, 5);
    set(machine.schedulers, "count", schedulers);
    set(machine.memory_queue, "places", places);
    const bool is_slow = random.whole(0, 1) == 0; // Handing over takes much of the time.
    set(machine.memory_queue, "interval", range(1, is_slow ? 60 : 8, random.whole(0, 4)));
    if (is_slow) set(machine.schedulers, "same-warp-interval", random.whole(1, 6));
    set(machine.memory_queue, "path-interval", range(1, 4, random.whole(0, 3)));
    if (random.whole(0, 2) == 0) set(machine.memory_queue, "load-return", range(1, 6, 2));
    using enum assembly::OpcodeClass;
    const bool one_entry = random.whole(0, 1) == 0;
    std::int64_t least = 0;
    for (const auto opcode_class : {LoadGlobal, StoreGlobal, LoadShared, StoreShared}) {
        auto& timing = machine.classes[opcode_class];
        timing.unit = "core-unit";
        const auto entry = range(2, 14, one_entry ? 0 : 8);
        if (opcode_class == LoadGlobal) least = entry.lo;
        set(timing.values, "entry", entry);
        set(timing.values, "initiation", range(1, 3, 2));
    }
    for (auto& [opcode_class, timing] : machine.classes)
        if (timing.unit == "core-unit" && timing.values.find("entry") == nullptr)
            set(timing.values, "entry", range(2, 14, 4));
    for (const char* level : {"l1", "l2", "dram"}) {
        const models::Interval before = machine.memory(level)->find("latency")->interval.value();
        set_memory(machine, level, "latency", {before.lo + least, before.hi + least});
    }
    // Few entries beyond those of the queues, or enough.
    set_memory(machine, "l1", "queue",
               places * schedulers + (random.whole(0, 1) == 0 ? random.whole(1, 4) : 200));
}

struct Verdict {
    std::string failure;
    bool several = false;
    bool is_delayed = false;
    bool by_addresses = false;
    double upper = 0; ///< Bound over the longest run.
    double lower = 0; ///< Bound over the shortest run.
};

Verdict check_case(std::uint64_t seed, const std::vector<std::string>& policies) {
    tests::RandomSource random{seed};
    RandomAccesses made = accesses_of(seed);
    if (random.whole(0, 1) == 0) encode(made, random);
    put_queues(made, random);
    if (seed % 3 == 0) made.launch = {1, 32};
    set(made.machine.geometry, "multiprocessors", 2);
    if (seed % 3 == 1) set(made.machine.limits, "max-blocks", 1);
    const auto policy = models::read_policy(policies[seed / 3 % policies.size()]).value();
    const std::int64_t multiprocessors = seed % 7 == 1 ? 2 : 1;
    Verdict verdict;
    verdict.several = made.launch.blocks * made.launch.threads > 32;
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + ", seed " + std::to_string(seed) + ", launch " +
                          models::to_string(made.launch) + ", " + models::to_string(policy);
        return verdict;
    };
    analyzer::Request request;
    request.function = &made.program.function;
    request.graph = &made.program.graph;
    request.architecture = &made.machine;
    request.facts = &made.program.facts;
    request.launch = made.launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return fail("not analyzed: " + to_string(analysis.error()));
    const auto bounds = analysis.value().execution_time.bounds();
    analyzer::CertificateStore certificates;
    request.certificates = &certificates;
    const auto proved = analyzer::analyze(request);
    if (!proved) return fail("no evidence: " + to_string(proved.error()));
    const auto certified = proved.value().execution_time.bounds();
    if (certified != bounds) return fail("evidence of other bounds than were found");
    if (const std::string rejected = tests::rejection_of_sum(request, proved.value(), certificates);
        !rejected.empty())
        return fail("the verifier: " + rejected);
    verdict.by_addresses = proved.value().execution_time.upper.queueing.has_value();
    const harness::Kernel kernel{request.function, request.graph, request.facts, made.launch};
    const auto machine =
        harness::simulator::Machine::prepare(made.machine, kernel, policy, multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    std::uint64_t run = seed * 7919;
    using enum harness::Draw;
    for (const auto draw : {Uniform, Extremes, AllLow, AllHigh, Adversarial}) {
        const auto seen = machine.value()->run({++run, draw, {}});
        if (!seen) return fail("run refused: " + to_string(seen.error()));
        const std::int64_t time = seen.value().execution_time.count();
        best = std::min(best, time);
        worst = std::max(worst, time);
        if (!bounds.contains(seen.value().execution_time) ||
            !certified.contains(seen.value().execution_time))
            return fail("simulated " + std::to_string(time) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(std::min(bounds.upper(), certified.upper()).count()) +
                        "], draw " + std::string{harness::to_string(draw)});
    }
    verdict.upper = static_cast<double>(bounds.upper().count()) / static_cast<double>(worst);
    verdict.lower = static_cast<double>(bounds.lower().count()) / static_cast<double>(best);
    models::Architecture roomy = made.machine;
    set(roomy.memory_queue, "interval", 1);
    set(roomy.memory_queue, "path-interval", 1);
    const auto without =
        harness::simulator::Machine::prepare(roomy, kernel, policy, multiprocessors);
    if (!without) return fail("not simulated: " + to_string(without.error()));
    const auto fast = without.value()->run({run, AllHigh, {}});
    const auto slow = machine.value()->run({run, AllHigh, {}});
    verdict.is_delayed =
        fast && slow && slow.value().execution_time.count() > fast.value().execution_time.count();
    return verdict;
}

double middle_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// `least_share`: one of so many launches is bounded by addresses.
void check_launches(const std::vector<std::string>& policies, std::uint64_t least_share) {
    std::array<std::vector<double>, 2> upper; // Of one warp, of several.
    std::array<std::vector<double>, 2> lower;
    std::uint64_t delayed = 0;
    std::uint64_t by_addresses = 0;
    const std::uint64_t cases = tests::run_campaign(
        [&](std::uint64_t seed, const tests::DescribedMachine&) {
            return check_case(seed, policies);
        },
        [&](const Verdict& verdict) {
            if (!verdict.failure.empty()) return;
            upper.at(verdict.several ? 1 : 0).push_back(verdict.upper);
            lower.at(verdict.several ? 1 : 0).push_back(verdict.lower);
            if (verdict.is_delayed) ++delayed;
            if (verdict.by_addresses) ++by_addresses;
        },
        100);
    if (testing::Test::HasFailure()) return;
    const auto record = [](const std::string& name, const std::string& value) {
        testing::Test::RecordProperty(name, value);
    };
    for (const std::size_t several : {std::size_t{0}, std::size_t{1}}) {
        const std::string of = several == 0 ? "_of_one_warp" : "_of_several_warps";
        record("median_upper_ratio" + of, std::to_string(middle_of(upper.at(several))));
        record("least_upper_ratio" + of,
               std::to_string(*std::ranges::min_element(upper.at(several))));
        record("median_lower_ratio" + of, std::to_string(middle_of(lower.at(several))));
        EXPECT_LT(middle_of(upper.at(several)), 6.5);
    }
    record("delayed", std::to_string(delayed));
    record("by_addresses", std::to_string(by_addresses));
    EXPECT_GT(delayed * 25, cases) << "queues delayed hardly a run";
    EXPECT_GT(by_addresses * least_share, cases);
}

TEST(CachedMemoryQueues, NoSimulatedTimeLeavesItsEnvelope) {
    check_launches(tests::conserving_policies(
                       {"variable-rate:fast=0,every=2,conserving", "two-level:active=48"}),
                   10);
}

TEST(CachedMemoryQueues, HoldWherePoliciesHoldWarpsBack) {
    check_launches({"srr", "two-level:active=1", "variable-rate:fast=0,every=2", "srr",
                    "two-level:active=2", "variable-rate:fast=1,every=3"},
                   20);
}

} // namespace
} // namespace warpbound
