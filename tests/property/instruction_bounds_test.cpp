/// \file
/// Issues of random kernels of AMD on the simulated device, held against the bounds of single
/// instructions (S68), with parts of the record missing.

#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/policies/instruction_bounds.hpp"
#include "analyzer/preparation.hpp"
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
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound {
namespace {

using Change = std::function<void(models::Architecture&)>;

/// What the runs of a case showed.
struct IssueVerdict {
    std::string failure;
    std::int64_t lower = 0; ///< Issues with a lower bound.
    std::int64_t upper = 0; ///< Issues with an upper bound as well.
    std::int64_t met_lower = 0;
    std::int64_t met_upper = 0;
    bool is_below = false;
    bool is_above = false;

    void add(const IssueVerdict& other) {
        lower += other.lower;
        upper += other.upper;
        met_lower += other.met_lower;
        met_upper += other.met_upper;
    }
};

using Issues = std::map<int, std::vector<std::pair<std::size_t, std::int64_t>>>; // By warp.

void hold(const Issues& issues, analyzer::InstructionBounds& bounds, tests::RandomSource& random,
          IssueVerdict& verdict) {
    for (const auto& [warp, steps] : issues) {
        bounds.start();
        std::int64_t before = 0;
        const bool loses = random.whole(0, 3) == 0;
        for (const auto& [instruction, cycle] : steps) {
            if (loses && random.whole(0, 9) == 0) {
                bounds.gap();
                continue;
            }
            const auto bound = bounds.issue(instruction, cycle - before);
            const std::int64_t distance = cycle - std::exchange(before, cycle);
            if (!bound) continue;
            const bool is_below = distance < bound->lower;
            const bool is_above = bound->upper && distance > *bound->upper;
            verdict.is_below = verdict.is_below || is_below;
            verdict.is_above = verdict.is_above || is_above;
            ++verdict.lower;
            verdict.upper += bound->upper ? 1 : 0;
            verdict.met_lower += distance == bound->lower ? 1 : 0;
            verdict.met_upper += bound->upper == distance ? 1 : 0;
            if ((is_below || is_above) && verdict.failure.empty())
                verdict.failure = fmt::format("warp {}, instruction {} at {}: {} outside {}..{}",
                                              warp, instruction, cycle, distance, bound->lower,
                                              bound->upper.value_or(-1));
        }
    }
}

/// `change`: what the description that is analyzed has otherwise than the machine that runs.
IssueVerdict check_issues(std::uint64_t seed, const models::Architecture& described,
                          const tests::WavefrontMachine& wanted, const Change& change = {}) {
    tests::RandomSource random{seed};
    models::Architecture machine = described;
    tests::vary(machine, random);
    models::Architecture claimed = machine;
    if (change) change(claimed);
    // One wavefront, one of a SIMD, or several of each.
    const std::int64_t kind = random.whole(0, 3);
    const std::int64_t warps = kind < 2 ? 1 : random.whole(2, kind == 2 ? 4 : 6);
    tests::RandomWavefront wavefront{random, warps > 1};
    const std::string text = tests::text_for(wanted, wavefront.text());
    IssueVerdict verdict;
    const auto fail = [&](const std::string& what) {
        verdict.failure = fmt::format("{}\nseed {}\n{}", what, seed, text);
        return verdict;
    };
    const auto function =
        assembly::amd::function_of(wanted.processor, text, tests::directives_for(wanted));
    if (!function) return fail("not read: " + to_string(function.error()));
    const auto graph = assembly::build_control_flow_graph(function.value());
    if (!graph) return fail("no graph: " + to_string(graph.error()));
    const models::Launch launch{kind < 3 ? 1 : random.whole(1, 3), wanted.lanes * warps};
    const auto facts = analyzer::facts_in_use(function.value(), graph.value(), machine, launch,
                                              tests::facts_of(graph.value(), random));
    if (!facts) return fail("facts: " + to_string(facts.error()));
    analyzer::Request request;
    request.function = &function.value();
    request.graph = &graph.value();
    request.architecture = &claimed;
    request.facts = &facts.value();
    request.launch = launch;
    request.policy = tests::policy_of(static_cast<std::size_t>(random.whole(0, 100)));
    auto context = analyzer::prepare(request);
    if (!context) return fail("not prepared: " + to_string(context.error()));
    auto bounds = analyzer::InstructionBounds::of(std::move(context).value());
    if (!bounds) return fail("not bounded: " + to_string(bounds.error()));
    const harness::Kernel launched{request.function, request.graph, request.facts, launch};
    const auto simulator =
        harness::simulator::Machine::prepare(machine, launched, request.policy, 1);
    if (!simulator) return fail("not simulated: " + to_string(simulator.error()));
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllHigh,
                            harness::Draw::AllLow, harness::Draw::Adversarial}) {
        Issues issues;
        const auto run =
            simulator.value()->run({seed, draw, {}}, [&](const harness::simulator::Event& event) {
                if (const auto* issued = std::get_if<harness::simulator::Issued>(&event))
                    issues[issued->warp].emplace_back(issued->instruction, issued->cycle);
            });
        if (!run) return fail("run refused: " + to_string(run.error()));
        hold(issues, bounds.value(), random, verdict);
        if (!verdict.failure.empty()) return fail(verdict.failure);
    }
    return verdict;
}

class InstructionBoundsOf : public testing::TestWithParam<tests::WavefrontMachine> {};

TEST_P(InstructionBoundsOf, NoIssueLeavesThem) {
    const auto described = models::load_architecture(GetParam().description);
    ASSERT_TRUE(described) << to_string(described.error());
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 200);
    const auto first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261129);
    IssueVerdict all;
    for (std::uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
        const IssueVerdict verdict = check_issues(seed, described.value(), GetParam());
        EXPECT_EQ(verdict.failure, "");
        all.add(verdict);
    }
    EXPECT_GT(all.upper * 10, all.lower);
    EXPECT_GT(all.met_lower * 3, all.lower);
    EXPECT_GT(all.met_upper * 3, all.upper);
}

INSTANTIATE_TEST_SUITE_P(All, InstructionBoundsOf, testing::ValuesIn(tests::wavefront_machines),
                         [](const auto& machine) { return tests::name_of(machine.param); });

/// A description with one value that the machine does not have is refuted.
TEST(InstructionBounds, AWrongValueIsFound) {
    const auto described = models::load_architecture("cdna2-mi210").value();
    const auto claims = [](const char* path, std::int64_t lo, std::int64_t hi) {
        return [=](models::Architecture& machine) {
            tests::put_value(machine, path, {lo, std::nullopt, hi});
        };
    };
    const auto finds = [&](const Change& change, bool IssueVerdict::*found) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed)
            if (check_issues(seed, described, tests::wavefront_machines.front(), change).*found)
                return true;
        return false;
    };
    const char* const scalar_load = "classes/load-constant/latency";
    EXPECT_TRUE(finds(claims("classes/float-add/latency", 14, 40), &IssueVerdict::is_below));
    EXPECT_TRUE(finds(claims(scalar_load, 121, 140), &IssueVerdict::is_below));
    EXPECT_TRUE(finds(claims(scalar_load, 1, 2), &IssueVerdict::is_above));
}

} // namespace
} // namespace warpbound
