/// \file
/// Bounds of small kernels in which some lanes leave by BREAK the point at which the others
/// reconverge.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/loop_exit_kernel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace warpbound {
namespace {

struct ExitVerdict {
    std::string failure;
    std::string refusal;
    std::int64_t slack = 0; ///< Of the upper bound over the longest run; `Unit:` core cycles.
};

ExitVerdict check_exit_kernel(std::uint64_t seed, const models::Architecture& architecture) {
    const tests::LoopExitKernel kernel = tests::loop_exit_kernel(seed);
    const auto program = assembly::read_program({"test", kernel.text});
    if (!program) return {to_string(program.error()) + "\n" + kernel.text, {}};
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    if (!graph) return {to_string(graph.error()) + "\n" + kernel.text, {}};
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph.value();
    request.architecture = &architecture;
    request.facts = &kernel.facts;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return {{}, analysis.error().what};
    const auto bounds = analysis.value().execution_time.bounds();
    const auto machine = harness::simulator::Machine::prepare(
        architecture, {&function, &graph.value(), &kernel.facts, request.launch}, request.policy);
    if (!machine) return {to_string(machine.error()) + "\n" + kernel.text, {}};
    ExitVerdict verdict;
    std::int64_t longest = 0;
    for (std::uint64_t run = 0; run < 60; ++run) {
        // The values of this machine are nearly all exact: what is drawn is the path of each lane.
        const auto draw = run % 2 == 0 ? harness::Draw::Extremes : harness::Draw::Adversarial;
        const auto observed = machine.value()->run({seed * 6007 + run, draw, {}});
        if (!observed) return {to_string(observed.error()) + "\n" + kernel.text, {}};
        const auto time = observed.value().execution_time;
        longest = std::max(longest, time.count());
        if (!bounds.contains(time))
            return {fmt::format("simulated {} outside [{}, {}], seed {}\n{}", time.count(),
                                bounds.lower().count(), bounds.upper().count(), seed, kernel.text),
                    {}};
    }
    verdict.slack = bounds.upper().count() - longest;
    return verdict;
}

TEST(LoopExits, NoSimulatedTimeLeavesItsEnvelope) {
    const auto architecture = tests::machine_of_loop_exit_kernels();
    ASSERT_TRUE(architecture);
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const auto first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    std::uint64_t bounded = 0;
    std::uint64_t near = 0; // the upper bound is nearly reached
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + cases && failures < 3; ++seed) {
        const ExitVerdict verdict = check_exit_kernel(seed, architecture.value());
        if (!verdict.failure.empty()) {
            ADD_FAILURE() << verdict.failure;
            ++failures;
        }
        if (!verdict.refusal.empty()) continue;
        ++bounded;
        near += verdict.slack <= 5 ? 1 : 0;
    }
    RecordProperty("bounded", std::to_string(bounded));
    RecordProperty("within_5_cycles", std::to_string(near));
    EXPECT_GT(bounded * 2, cases);
    EXPECT_GT(near * 5, bounded);
}

} // namespace
} // namespace warpbound
