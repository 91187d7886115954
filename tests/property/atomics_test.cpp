/// \file
/// lower bound <= every simulated time <= upper bound where global atomics of several SMs wait for
/// each other at slices of the L2 (C57), among other accesses, under every policy. The events of a
/// run of each case keep the rules.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/atomic_accesses.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/mixed_accesses.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/strided_accesses.hpp"
#include "tests/unit/harness/simulator/machines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using harness::simulator::test::RandomAccesses;

RandomAccesses random_case(std::uint64_t seed) {
    tests::RandomSource choose{seed * 13 + 5};
    RandomAccesses made = seed % 3 == 0   ? harness::simulator::test::random_accesses(seed)
                          : seed % 3 == 1 ? tests::mixed_accesses(seed)
                                          : tests::strided_accesses(seed);
    made = tests::with_atomics(std::move(made), seed);
    harness::simulator::test::set(made.machine.geometry, "multiprocessors", 4);
    harness::simulator::test::set(made.machine.schedulers, "count", choose.whole(1, 3));
    if (choose.whole(0, 3) == 0) made.launch = {1, 32};
    if (choose.whole(0, 3) == 0)
        harness::simulator::test::set(made.machine.limits, "max-blocks", choose.whole(1, 2));
    if (choose.whole(0, 1) == 0) made.launch.blocks = choose.whole(1, 8);
    return made;
}

class Case {
public:
    explicit Case(std::uint64_t seed)
        : Case{seed, random_case(seed), tests::policy_of(seed / 3),
               static_cast<std::int64_t>(1 + seed / 24 % 4)} {}
    Case(std::uint64_t seed, RandomAccesses made, models::WarpPolicy policy,
         std::int64_t multiprocessors)
        : seed_{seed}, made_{std::move(made)}, policy_{policy}, multiprocessors_{multiprocessors} {
        request_.function = &made_.program.function;
        request_.graph = &made_.program.graph;
        request_.architecture = &made_.machine;
        request_.facts = &made_.program.facts;
        request_.launch = made_.launch;
        request_.multiprocessors = multiprocessors_;
        request_.policy = policy_;
    }

    /// Text of a failure, empty when all holds.
    std::string check() {
        const auto analysis = analyzer::analyze(request_);
        if (!analysis) return about("not analyzed: " + to_string(analysis.error()));
        analyzer::CertificateStore certificates;
        request_.certificates = &certificates;
        const auto proved = analyzer::analyze(request_);
        if (!proved) return about("no evidence: " + to_string(proved.error()));
        const auto bounds = analysis.value().execution_time.bounds();
        const auto certified = proved.value().execution_time.bounds();
        if (certified.upper() < bounds.upper() || bounds.lower() < certified.lower())
            return about("evidence of a tighter bound than was found");
        const harness::Kernel kernel = made_.program.kernel(made_.launch);
        const auto machine =
            harness::simulator::Machine::prepare(made_.machine, kernel, policy_, multiprocessors_);
        if (!machine) return about("not simulated: " + to_string(machine.error()));
        std::uint64_t run = seed_ * 7919;
        for (const auto draw :
             {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
              harness::Draw::AllHigh, harness::Draw::Adversarial}) {
            tests::RecordedRun record;
            // The event checker takes the L1 for the nearest level, which `mixed_accesses` does
            // not.
            const bool is_recorded = draw == harness::Draw::Extremes && seed_ % 3 != 1;
            harness::simulator::Listener listener;
            if (is_recorded)
                listener = [&](const harness::simulator::Event& event) {
                    record.events.push_back(event);
                };
            const auto seen = machine.value()->run({++run, draw, {}}, listener);
            if (!seen) return about("run refused: " + to_string(seen.error()));
            const models::Cycles time = seen.value().execution_time;
            worst_ = std::max(worst_, time.count());
            if (!bounds.contains(time) || !certified.contains(time))
                return about("simulated " + std::to_string(time.count()) + " outside [" +
                             std::to_string(bounds.lower().count()) + ", " +
                             std::to_string(bounds.upper().count()) + "]");
            record.execution_time = time.count();
            record.multiprocessors = static_cast<int>(multiprocessors_);
            const auto broken = is_recorded
                                    ? tests::violations(kernel, made_.machine, policy_, record)
                                    : std::vector<std::string>{};
            if (!broken.empty()) return about(broken.front());
        }
        upper_ = bounds.upper().count();
        return {};
    }
    [[nodiscard]] double ratio() const {
        return static_cast<double>(upper_) / static_cast<double>(worst_);
    }

private:
    [[nodiscard]] std::string about(std::string what) const {
        return what + ", seed " + std::to_string(seed_) + ", launch " +
               models::to_string(made_.launch) + " on " + std::to_string(multiprocessors_) + ", " +
               models::to_string(policy_);
    }

    std::uint64_t seed_;
    RandomAccesses made_;
    models::WarpPolicy policy_;
    std::int64_t multiprocessors_;
    analyzer::Request request_;
    std::int64_t upper_ = 0;
    std::int64_t worst_ = 1;
};

TEST(Atomics, NoSimulatedTimeLeavesItsEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261124);
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    std::vector<double> ratios;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        Case one{seed};
        const std::string failure = one.check();
        ASSERT_TRUE(failure.empty()) << failure;
        ratios.push_back(one.ratio());
    }
    std::ranges::sort(ratios);
    testing::Test::RecordProperty("least_upper_ratio", std::to_string(ratios.front()));
    testing::Test::RecordProperty("median_upper_ratio", std::to_string(ratios[ratios.size() / 2]));
    EXPECT_LT(ratios[ratios.size() / 2], 8.0);
}

} // namespace
} // namespace warpbound
