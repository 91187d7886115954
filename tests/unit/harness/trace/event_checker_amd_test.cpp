/// \file
/// Logs of random wavefronts of AMD keep the rules of the contract; planted errors are found.

#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/amd/counters.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_wavefront.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::tests {
namespace {

using harness::simulator::Completed;
using harness::simulator::Event;
using harness::simulator::Issued;

/// A kernel of AMD with its machine and launch.
struct WavefrontCase {
    std::string text;
    assembly::Function function;
    assembly::ControlFlowGraph graph;
    models::Architecture machine;
    models::FlowFacts facts;
    models::Launch launch;
    models::WarpPolicy policy;

    [[nodiscard]] harness::Kernel kernel() const { return {&function, &graph, &facts, launch}; }

    [[nodiscard]] RecordedRun run(std::uint64_t seed, harness::Draw draw) const {
        RecordedRun recorded;
        const auto simulator =
            harness::simulator::Machine::prepare(machine, kernel(), policy, 1).value();
        const auto run = simulator->run(
            {seed, draw, {}}, [&](const Event& event) { recorded.events.push_back(event); });
        recorded.execution_time = run.value().execution_time.count();
        return recorded;
    }
    [[nodiscard]] std::vector<std::string> violations_in(const RecordedRun& run) const {
        return violations(kernel(), machine, policy, run);
    }
};

WavefrontCase case_of(std::string text, const WavefrontMachine& wanted,
                      models::Architecture machine, models::Launch launch, RandomSource& random) {
    std::string directives;
    if (wanted.processor != std::string{"gfx90a"}) {
        text = for_rdna(std::move(text), wanted.lanes);
        directives = fmt::format(".amdhsa_wavefront_size32 {}\n", wanted.lanes == 32 ? 1 : 0);
    }
    auto function = assembly::amd::function_of(wanted.processor, text, directives).value();
    auto graph = assembly::build_control_flow_graph(function).value();
    auto facts =
        analyzer::facts_in_use(function, graph, machine, launch, facts_of(graph, random)).value();
    return {std::move(text),
            std::move(function),
            std::move(graph),
            std::move(machine),
            std::move(facts),
            launch,
            policy_of(static_cast<std::size_t>(random.whole(0, 100)))};
}

WavefrontCase random_case(std::uint64_t seed, const WavefrontMachine& wanted,
                          const models::Architecture& described) {
    RandomSource random{seed};
    models::Architecture machine = described;
    vary(machine, random);
    const std::int64_t warps = random.whole(1, 4);
    RandomWavefront wavefront{random, warps > 1};
    return case_of(wavefront.text(), wanted, std::move(machine),
                   {random.whole(1, 2), wanted.lanes * warps}, random);
}

class AmdEvents : public testing::TestWithParam<WavefrontMachine> {};

TEST_P(AmdEvents, KeepTheContract) {
    const auto described = models::load_architecture(GetParam().description).value();
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto test = random_case(seed, GetParam(), described);
        for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes})
            EXPECT_EQ(test.violations_in(test.run(seed, draw)), std::vector<std::string>{})
                << "seed " << seed << "\n"
                << test.text;
    }
}

INSTANTIATE_TEST_SUITE_P(All, AmdEvents, testing::ValuesIn(wavefront_machines),
                         [](const auto& machine) { return name_of(machine.param); });

/// One wavefront of gfx90a that passes straight-line code.
WavefrontCase straight(const std::string& text) {
    RandomSource random{7};
    auto machine = models::load_architecture("cdna2-mi210").value();
    vary(machine, random);
    return case_of(text, wavefront_machines.front(), std::move(machine), {1, 64}, random);
}

/// The issue of the instruction at this index.
Issued& issue_of(RecordedRun& run, std::size_t instruction) {
    for (Event& event : run.events)
        if (auto* issued = std::get_if<Issued>(&event);
            issued != nullptr && issued->instruction == instruction)
            return *issued;
    throw std::runtime_error{"no such issue"};
}

/// Whether a change of the log of straight-line code is found by a violation of the rule.
void expect_found(const std::string& text, const std::string& rule,
                  const std::function<void(RecordedRun&)>& plant) {
    const auto test = straight(text);
    auto run = test.run(3, harness::Draw::Uniform);
    ASSERT_EQ(test.violations_in(run), std::vector<std::string>{});
    plant(run);
    const auto found = test.violations_in(run);
    EXPECT_TRUE(std::ranges::any_of(
        found,
        [&](const std::string& violation) { return violation.find(rule) != std::string::npos; }))
        << rule << " is not among " << found.size() << " violations"
        << (found.empty() ? "" : ": " + found.front());
}

/// Issues in the cycle before, as if the instruction waited for less.
std::function<void(RecordedRun&)> hasten(std::size_t instruction, harness::simulator::Stall stall) {
    return [=](RecordedRun& run) {
        Issued& issued = issue_of(run, instruction);
        --issued.cycle;
        --issued.port_until;
        --issued.stalls[stall];
    };
}

TEST(AmdEventChecker, FindsAWaitForZeroThatEndsEarly) {
    expect_found("global_load_dword v4, v[6:7], off\ns_waitcnt vmcnt(0)\nv_mov_b32 v8, 0\n", "C6",
                 hasten(1, harness::simulator::Stall::Scoreboard));
}

TEST(AmdEventChecker, FindsACountedWaitThatEndsEarly) {
    expect_found("global_load_dword v4, v[6:7], off\nglobal_load_dword v5, v[6:7], off\n"
                 "s_waitcnt vmcnt(1)\nv_mov_b32 v8, 0\n",
                 "C6", hasten(2, harness::simulator::Stall::Scoreboard));
}

/// C99: the second load releases its counter no earlier than the first one.
TEST(AmdEventChecker, FindsLoadsThatReturnOutOfOrder) {
    const auto test = straight("global_load_dword v4, v[6:7], off\n"
                               "global_load_dword v5, v[6:7], off\n"
                               "s_waitcnt vmcnt(1)\nv_mov_b32 v8, 0\n");
    int reordered = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        auto run = test.run(seed, harness::Draw::Extremes);
        ASSERT_EQ(test.violations_in(run), std::vector<std::string>{}) << seed;
        std::vector<std::int64_t> times(2);
        for (const Event& event : run.events)
            if (const auto* completed = std::get_if<Completed>(&event);
                completed != nullptr && completed->number < 2)
                times[static_cast<std::size_t>(completed->number)] = completed->cycle;
        Issued& wait = issue_of(run, 2);
        if (times[1] >= times[0] || wait.stalls[harness::simulator::Stall::Scoreboard] != times[0])
            continue;
        wait.stalls[harness::simulator::Stall::Scoreboard] = times[1];
        EXPECT_FALSE(test.violations_in(run).empty()) << seed;
        ++reordered;
    }
    EXPECT_GT(reordered, 0);
}

/// C104: work-groups of one wavefront need none of the barriers, of which there are max-blocks.
TEST(AmdEventChecker, AcceptsMoreGroupsOfOneWavefrontThanBarriers) {
    for (const std::int64_t warps : {1, 2}) {
        RandomSource random{9};
        auto machine = models::load_architecture("cdna2-mi210").value();
        vary(machine, random);
        for (const auto& [path, number] :
             {std::pair{"limits/max-blocks", 2}, std::pair{"geometry/multiprocessors", 1}})
            put_value(machine, path, {number, number, number});
        const auto test =
            case_of("v_mov_b32 v8, 0\ns_sleep 3\nv_mov_b32 v9, 0\n", wavefront_machines.front(),
                    std::move(machine), {6, 64 * warps}, random);
        auto run = test.run(5, harness::Draw::Uniform);
        EXPECT_EQ(test.violations_in(run), std::vector<std::string>{}) << warps;
        std::int64_t first = 0;
        for (const Event& event : run.events)
            if (const auto* started = std::get_if<harness::simulator::WarpStarted>(&event);
                started != nullptr && started->cycle == 0)
                ++first;
        EXPECT_EQ(first, warps == 1 ? 6 : 4);
    }
}

TEST(AmdEventChecker, FindsANopThatIsTooShort) {
    expect_found("v_mov_b32 v8, 0\ns_nop 3\nv_mov_b32 v9, 0\n", "C4",
                 hasten(2, harness::simulator::Stall::Gap));
}

TEST(AmdEventChecker, FindsASleepThatIsTooShort) {
    expect_found("v_mov_b32 v8, 0\ns_sleep 3\nv_mov_b32 v9, 0\n", "C4", [](RecordedRun& run) {
        Issued& issued = issue_of(run, 2);
        const std::int64_t before = issue_of(run, 1).cycle;
        issued.cycle = before + 2 * 64 - 1;
        issued.stalls[harness::simulator::Stall::Gap] = issued.cycle;
    });
}

/// C100: EXEC has a lane at the start, so nothing is predicated off there.
TEST(AmdEventChecker, FindsAVectorInstructionThatIsPredicatedOffAtTheStart) {
    expect_found("v_mov_b32 v8, 0\nv_mov_b32 v9, 0\n", "C10",
                 [](RecordedRun& run) { issue_of(run, 0).executed = false; });
}

} // namespace
} // namespace warpbound::tests
