/// \file
/// Execution times of random kernels of AMD on compute units like that of cdna2-mi210, and on
/// work-group processors like those of RDNA 2 and 3, whose values vary (S54, C99, C105).

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_wavefront.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound {
namespace {

struct Verdict {
    std::string failure;
    bool is_bounded = false;
    bool is_met = false; ///< A simulated time is the upper bound.
};

using Machine = tests::WavefrontMachine;

Verdict check_case(std::uint64_t seed, const models::Architecture& described,
                   const Machine& wanted) {
    tests::RandomSource random{seed};
    models::Architecture machine = described;
    tests::vary(machine, random);
    const bool is_straight = random.whole(0, 2) == 0;
    const std::int64_t warps = is_straight ? 1 : random.whole(1, 6);
    tests::RandomWavefront wavefront{random, warps > 1};
    const std::string text =
        tests::text_for(wanted, is_straight ? wavefront.straight_line() : wavefront.text());
    Verdict verdict;
    const auto fail = [&](const std::string& what) {
        verdict.failure = fmt::format("{}\nseed {}\n{}", what, seed, text);
        return verdict;
    };
    const auto function =
        assembly::amd::function_of(wanted.processor, text, tests::directives_for(wanted));
    if (!function) return fail("not read: " + to_string(function.error()));
    const auto graph = assembly::build_control_flow_graph(function.value());
    if (!graph) return fail("no graph: " + to_string(graph.error()));
    const models::Launch launch{is_straight ? 1 : random.whole(1, 3), wanted.lanes * warps};
    const auto facts = analyzer::facts_in_use(function.value(), graph.value(), machine, launch,
                                              tests::facts_of(graph.value(), random));
    if (!facts) return fail("facts: " + to_string(facts.error()));
    analyzer::Request request;
    request.function = &function.value();
    request.graph = &graph.value();
    request.architecture = &machine;
    request.facts = &facts.value();
    request.launch = launch;
    request.policy = tests::policy_of(static_cast<std::size_t>(random.whole(0, 100)));
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        if (analysis.error().what.find("not bounded under policy") != std::string::npos)
            return verdict;
        return fail("not analyzed: " + to_string(analysis.error()));
    }
    verdict.is_bounded = true;
    const auto bounds = analysis.value().execution_time.bounds();
    const harness::Kernel launched{request.function, request.graph, request.facts, launch};
    const auto simulator =
        harness::simulator::Machine::prepare(machine, launched, request.policy, 1);
    if (!simulator) return fail("not simulated: " + to_string(simulator.error()));
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllHigh,
                            harness::Draw::AllLow, harness::Draw::Adversarial}) {
        const auto run = simulator.value()->run({seed, draw, {}});
        if (!run) return fail("run refused: " + to_string(run.error()));
        const auto time = run.value().execution_time;
        if (!bounds.contains(time))
            return fail(fmt::format("simulated {} outside {} to {} ({} x {})", time.count(),
                                    bounds.lower().count(), bounds.upper().count(), launch.blocks,
                                    launch.threads));
        verdict.is_met = verdict.is_met || time == bounds.upper();
    }
    return verdict;
}

/// C103: vmcnt(1) waits for the atomic, since the load behind it is not released before.
TEST(AmdProperty, ALoadBehindAnAtomicIsReleasedNoEarlier) {
    auto machine = models::load_architecture("cdna2-mi210").value();
    for (const auto& [path, cycles] :
         {std::pair{"classes/atomic-global/latency", 500}, std::pair{"memories/l2/atomic", 1},
          std::pair{"classes/atomic-global/initiation", 4},
          std::pair{"classes/atomic-global/pass-cost", 0}, std::pair{"memories/l1/latency", 98},
          std::pair{"memories/l2/latency", 99}, std::pair{"memories/dram/latency", 100}})
        tests::put_value(machine, path, {cycles, cycles, cycles});
    const auto function =
        assembly::amd::function_of("gfx90a", "global_atomic_add v[2:3], v1, off\n"
                                             "global_load_dword v4, v[6:7], off\n"
                                             "s_waitcnt vmcnt(1)\nv_mov_b32 v5, 0\n"
                                             "s_waitcnt vmcnt(0)\n")
            .value();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const models::Launch launch{1, 64};
    const auto facts =
        analyzer::facts_in_use(function, graph, machine, launch, models::FlowFacts{}).value();
    const harness::Kernel launched{&function, &graph, &facts, launch};
    const auto simulator =
        harness::simulator::Machine::prepare(machine, launched, models::WarpPolicy{}, 1).value();
    // The instruction behind the wait issues last but two.
    std::vector<std::int64_t> issues;
    const auto run =
        simulator->run({1, harness::Draw::AllLow, {}}, [&](const harness::simulator::Event& event) {
            if (const auto* issued = std::get_if<harness::simulator::Issued>(&event))
                issues.push_back(issued->cycle);
        });
    ASSERT_TRUE(run) << to_string(run.error());
    ASSERT_EQ(issues.size(), 6U);
    EXPECT_EQ(issues[2], issues[0] + 500);
    EXPECT_LT(issues[5], issues[2] + 50);
}

class AmdMachine : public testing::TestWithParam<Machine> {};

TEST_P(AmdMachine, NoExecutionTimeLeavesItsBounds) {
    const auto described = models::load_architecture(GetParam().description);
    ASSERT_TRUE(described) << to_string(described.error());
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const auto first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261129);
    std::uint64_t bounded = 0;
    std::uint64_t met = 0;
    for (std::uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
        const Verdict verdict = check_case(seed, described.value(), GetParam());
        EXPECT_EQ(verdict.failure, "");
        bounded += verdict.is_bounded ? 1U : 0U;
        met += verdict.is_met ? 1U : 0U;
    }
    EXPECT_GT(bounded * 10, cases * 9);
    EXPECT_GT(met * 6, cases); // One wavefront without branches is bounded exactly.
}

INSTANTIATE_TEST_SUITE_P(All, AmdMachine, testing::ValuesIn(tests::wavefront_machines),
                         [](const auto& machine) { return tests::name_of(machine.param); });

} // namespace
} // namespace warpbound
