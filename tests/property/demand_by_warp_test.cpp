/// \file
/// Demand by warp (S85): executed launches of random kernels whose guards depend on the index of
/// the thread take no longer than their upper bound.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/execution/executed_launch.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/guarded_kernel.hpp"
#include "tests/support/simulated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpbound::tests {
namespace {

struct Found {
    int by_warp = 0;
    int smaller = 0; ///< By 10 % or more.
    double closest = 100;
};

void check_case(RandomSource& random_source, Found& found) {
    const GuardedKernel kernel{random_source};
    const models::Architecture machine = machine_of_guarded_kernel(random_source);
    auto program = assembly::read_program({"random", kernel.text});
    ASSERT_TRUE(program) << to_string(program.error()) << kernel.text;
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const std::int64_t blocks = random_source.whole(1, 12);
    const models::Launch launch =
        models::parse_launch(
            fmt::format("{0}x{1},shared-memory=2048,block={1},grid={0}", blocks, kernel.threads))
            .value();
    const auto facts = analyzer::facts_in_use(function, graph, machine, launch, {});
    ASSERT_TRUE(facts) << to_string(facts.error()) << kernel.text;
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph;
    request.architecture = &machine;
    request.facts = &facts.value();
    request.launch = launch;
    request.multiprocessors = random_source.whole(1, 3);
    request.policy = random_conserving_policy(random_source);
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error()) << kernel.text;
    const analyzer::SideResult& upper = analysis.value().execution_time.upper;
    std::int64_t others = std::int64_t{1} << 40U; // The least of the other sums.
    for (const analyzer::BoundExpression& part : upper.bound.parts)
        if (part.text.find("by the indices") == std::string::npos)
            others = std::min(others, analyzer::value_of(part).count());
    const bool is_by_warp =
        analyzer::chosen_sum(upper.bound).text.find("by the indices") != std::string::npos;
    if (is_by_warp) ++found.by_warp;
    if (upper.proved.count() * 10 <= others * 9) ++found.smaller;

    auto run = harness::execution::ExecutedLaunch::run({&function, &graph, launch, {}});
    ASSERT_TRUE(run) << to_string(run.error()) << kernel.text;
    const models::FlowFacts none;
    const harness::Kernel executed{&function, &graph, &none, launch, run.value().get()};
    const auto runs = simulated_runs(machine, executed, request.policy, request.multiprocessors);
    ASSERT_FALSE(runs.empty()) << kernel.text;
    for (const auto& [draw, time] : runs) {
        if (is_by_warp)
            found.closest = std::min(found.closest, static_cast<double>(upper.proved.count()) /
                                                        static_cast<double>(time));
        ASSERT_LE(time, upper.proved.count())
            << kernel.text << models::to_string(launch) << " on " << request.multiprocessors << ", "
            << models::to_string(request.policy) << ", " << harness::to_string(draw) << ": "
            << analyzer::chosen_sum(upper.bound).text;
    }
}

TEST(DemandByWarp, NoExecutedLaunchTakesLongerThanTheUpperBound) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 300));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    RecordProperty("by_warp", found.by_warp);
    RecordProperty("smaller", found.smaller);
    RecordProperty("closest", std::to_string(found.closest));
    EXPECT_GT(found.by_warp, cases / 10);
    EXPECT_GT(found.smaller, cases / 20);
}

} // namespace
} // namespace warpbound::tests
