// Rules C37 to C41: lanes that diverge and reconverge.

#include "assembly/isa/reader.hpp"
#include "harness/simulator/decode/translation.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/loop_exit_kernel.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/unit/harness/simulator/any_order.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr LaneMask all = 0xffff'ffff;

/// (instruction, lanes) in the order of issue.
std::vector<std::pair<std::size_t, LaneMask>> issues_of(const TestRun& run, int warp = 0) {
    std::vector<std::pair<std::size_t, LaneMask>> issues;
    for (const Event& event : run.events)
        if (const auto* issued = std::get_if<Issued>(&event); issued && issued->warp == warp)
            issues.emplace_back(issued->instruction, issued->lanes);
    return issues;
}

/// if (..) 2; else 3; 4. The code names no reconvergence point.
TestProgram two_sides(bool divergent) {
    using enum assembly::EdgeKind;
    TestProgram program =
        program_of({{add(1, 0, 0), guarded(branch())}, {add(2, 0, 0)}, {add(3, 0, 0)}, {exit()}},
                   {{0, 1, FallThrough}, {0, 2, Taken}, {1, 3, FallThrough}, {2, 3, FallThrough}});
    if (divergent) program.facts.divergents.push_back({.at = 8, .from = {}});
    return program;
}

const RunOptions all_high{.seed = 1, .draw = Draw::AllHigh, .path = {}};

// Lane 0 takes the other path. C39: the taken path is drawn to run first. C41: it starts 12 cycles
// after the branch, and lane 0 follows the add of the other lanes after its gap of 6.
TEST(Lanes, ExecuteBothPathsAndReconvergeAtThePostDominator) {
    const auto machine = small_machine(models::IssueControl::Interlocked);
    const auto result = run(two_sides(true), machine, {1, 32}, all_high);
    EXPECT_THAT(issues_of(result),
                ElementsAre(std::pair{0U, all}, std::pair{1U, all}, std::pair{3U, all - 1},
                            std::pair{2U, LaneMask{1}}, std::pair{4U, all}));
    const auto cycles = result.issues();
    EXPECT_EQ(cycles[2] - cycles[1], 12);
    EXPECT_EQ(cycles[3] - cycles[2], 6);
}

// At one multi-way branch, in any order.
TEST(Lanes, DivergeToMoreThanTwoSuccessors) {
    using enum assembly::EdgeKind;
    TestProgram program = program_of(
        {{add(1, 0, 0), branch()}, {add(2, 0, 0)}, {add(3, 0, 0)}, {add(4, 0, 0)}, {exit()}},
        {{0, 1, Taken},
         {0, 2, Taken},
         {0, 3, Taken},
         {1, 4, FallThrough},
         {2, 4, FallThrough},
         {3, 4, FallThrough}});
    program.facts.divergents.push_back({.at = 8, .from = {}});
    const auto machine = small_machine(models::IssueControl::Interlocked);
    std::set<std::vector<std::size_t>> orders;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto result = run(program, machine, {1, 32}, {seed, Draw::Uniform, {}});
        LaneMask lanes = 0;
        std::vector<std::size_t> order;
        for (const auto& [instruction, mask] : issues_of(result)) {
            if (instruction < 2 || instruction > 4) continue;
            EXPECT_EQ(lanes & mask, 0U);
            lanes |= mask;
            order.push_back(instruction);
        }
        EXPECT_EQ(lanes, all);
        orders.insert(order);
    }
    EXPECT_EQ(orders.size(), 3U + 6U + 6U) << "one successor, two of them, or all";
}

TEST(Lanes, StayConvergedWithoutADivergentFact) {
    const auto machine = small_machine(models::IssueControl::Interlocked);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        const auto issues = issues_of(run(two_sides(false), machine, {1, 32}, options));
        EXPECT_EQ(issues.size(), 4U);
        for (const auto& [instruction, lanes] : issues)
            EXPECT_EQ(lanes, all);
    }
}

TEST(Lanes, AreFewerInTheLastWarpOfABlock) {
    const auto result =
        run(two_sides(false), small_machine(models::IssueControl::Interlocked), {1, 40}, all_high);
    EXPECT_EQ(issues_of(result, 0).front().second, all);
    EXPECT_EQ(issues_of(result, 1).front().second, LaneMask{0xff});
}

TEST(Lanes, EndOneByOneAndTheWarpWithTheLast) {
    using enum assembly::EdgeKind;
    TestProgram program =
        program_of({{guarded(exit())}, {add(1, 0, 0), exit()}}, {{0, 1, FallThrough}}, {0});
    program.facts.divergents.push_back({.at = 0, .from = {}});
    const auto result =
        run(program, small_machine(models::IssueControl::Interlocked), {1, 32}, all_high);
    EXPECT_THAT(issues_of(result),
                ElementsAre(std::pair{0U, all}, std::pair{1U, all - 1}, std::pair{2U, all - 1}));
}

/// Reads a bare listing; `divergent` are addresses.
struct Listing {
    Listing(int sm, const std::string& body, const std::vector<std::int64_t>& divergent) {
        const auto arch = sm == 20 ? std::string{} : "!Arch sm_" + std::to_string(sm) + "\n";
        program =
            assembly::read_program({"test", arch + "!Kernel k\n" + body + "!EndKernel\n"}).value();
        test.function = program.functions.front();
        test.graph = assembly::build_control_flow_graph(test.function).value();
        for (const std::int64_t at : divergent)
            test.facts.divergents.push_back({.at = at, .from = {}});
    }
    assembly::Program program;
    TestProgram test;
};

Result<models::Observation> observe(const TestProgram& program, const models::Architecture& machine,
                                    models::Launch launch) {
    const auto prepared = Machine::prepare(machine, program.kernel(launch));
    if (!prepared) return prepared.as_failure();
    return prepared.value()->run(all_high);
}

models::Architecture described_machine(const char* name) {
    return models::load_architecture(name).value();
}

TEST(Lanes, ReconvergeWhereTheCodeStates) {
    const Listing listing{20,
                          "SSY J; @P0 BRA E; MOV R1, R2; NOP.S; E: MOV R3, R2; NOP.S; "
                          "MOV R4, R2; J: MOV R5, R2; EXIT;",
                          {0x08}};
    const auto result = run(listing.test, described_machine("fermi-gtx470"), {1, 32}, all_high);
    EXPECT_THAT(issues_of(result),
                ElementsAre(std::pair{0U, all}, std::pair{1U, all}, std::pair{4U, all - 1},
                            std::pair{5U, all - 1}, std::pair{2U, LaneMask{1}},
                            std::pair{3U, LaneMask{1}}, std::pair{7U, all}, std::pair{8U, all}));
}

// The lanes that wait at B0 become a pending path at the BREAK, and the other lanes diverge only
// after it: instruction 4 follows both paths of these (C39).
TEST(Lanes, PendingAtAPointResumeAfterLanesThatDivergeLater) {
    const Listing listing{75,
                          "BSSY B1, OUT ?trans1; BSSY B0, MEET ?trans1; @P0 BRA PAST ?trans5;"
                          "MEET: BSYNC B0 ?trans5; MOV R3, R1 ?trans5; BRA OUT ?trans5;"
                          "PAST: BREAK B0 ?trans1; @P1 BRA OUT ?trans5; MOV R4, R1 ?trans5;"
                          "OUT: BSYNC B1 ?trans5; EXIT ?trans5;",
                          {0x20, 0x70}};
    int diverged_twice = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const RunOptions options{.seed = seed, .draw = Draw::Uniform, .path = {}};
        std::vector<std::size_t> order;
        for (const auto& [instruction, lanes] :
             issues_of(run(listing.test, described_machine("turing-t4"), {1, 32}, options)))
            if (lanes != all) order.push_back(instruction);
        const auto at = [&](std::size_t instruction) {
            return std::find(order.begin(), order.end(), instruction) - order.begin();
        };
        if (std::count(order.begin(), order.end(), 9) != 3 || at(3) > at(6)) continue;
        ++diverged_twice;
        EXPECT_LT(at(8), at(4)) << seed;
    }
    EXPECT_GT(diverged_twice, 2);
}

TEST(Lanes, ThatWaitForEachOtherAreExplained) {
    const Listing crossed{75,
                          "BSSY B0, X ?trans5; BSSY B1, Y ?trans5; @P0 BRA L ?trans5;"
                          "X: BSYNC B0 ?trans5; BRA Y ?trans5;"
                          "L: BRA Y ?trans5; Y: BSYNC B1 ?trans5; EXIT ?trans5;",
                          {0x20}};
    const auto refused = observe(crossed.test, described_machine("turing-t4"), {1, 32});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what,
                HasSubstr("lanes of a warp wait for each other: lanes 0x1 wait at"));
}

// Every iteration pushes a reconvergence point, and none is popped.
TEST(Lanes, ThatPushPointsWithoutEndAreRefused) {
    Listing pushing{20, "L: SSY J; @P0 BRA L; @P1 EXIT; J: EXIT;", {0x10}};
    pushing.test.facts.loops.push_back({.header = 0, .min = 1, .max = 1'000'000, .from = {}});
    const auto refused = observe(pushing.test, described_machine("fermi-gtx470"), {1, 32});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("the reconvergence stack grows without limit"));
}

TEST(Lanes, ArriveAtABarrierAsAWarpBeforeSm70) {
    const std::string divergent = "@P0 BRA L; BAR.SYNC 0x0; L: EXIT;";
    const Listing fermi{20, divergent, {0}};
    EXPECT_TRUE(observe(fermi.test, described_machine("fermi-gtx470"), {1, 64}));
    const Listing turing{75, "@P0 BRA L ?trans5; BAR.SYNC 0x0 ?trans5; L: EXIT ?trans5;", {0}};
    const auto refused = observe(turing.test, described_machine("turing-t4"), {1, 64});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("threads arrive one by one"));
}

TEST(Lanes, MayNotDifferInTheGuardOfABarrierFromSm70) {
    TestProgram program = program_of({{guarded(barrier(0)), exit()}});
    program.facts.divergents.push_back({.at = 0, .from = {}});
    auto machine = small_machine(models::IssueControl::Interlocked);
    EXPECT_EQ(refusal(program, machine), "");
    machine.target = program.function.target = assembly::Target{70};
    EXPECT_THAT(refusal(program, machine), HasSubstr("threads arrive one by one"));
}

TEST(Lanes, DivergeOnlyWhereAnInstructionDecides) {
    TestProgram program = two_sides(false);
    program.facts.divergents.push_back({.at = 0, .from = {}});
    EXPECT_THAT(refusal(program, small_machine(models::IssueControl::Interlocked)),
                HasSubstr("IADD at 0x0000 decides nothing"));
    program.facts.divergents.front().at = 4;
    EXPECT_THAT(refusal(program, small_machine(models::IssueControl::Interlocked)),
                HasSubstr("test has no instruction at 0x0004"));
}

// The checker finds errors planted in a log, one for each rule that concerns lanes.
TEST(Lanes, AreCheckedByTheEventChecker) {
    const auto machine = small_machine(models::IssueControl::Interlocked);
    const TestProgram program = two_sides(true);
    const auto result = run(program, machine, {1, 32}, all_high);
    using Plant = std::function<void(Issued&)>;
    const auto found = [&](const TestProgram& of, const Plant& plant, bool split_end = false) {
        tests::RecordedRun record{result.events, result.observation.execution_time.count()};
        for (Event& event : record.events)
            if (auto* issued = std::get_if<Issued>(&event)) plant(*issued);
        if (split_end) { // Lane 0 reaches the end after the other lanes.
            const auto end =
                std::find_if(record.events.begin(), record.events.end(), [](const Event& event) {
                    const auto* issued = std::get_if<Issued>(&event);
                    return issued != nullptr && issued->instruction == 4;
                });
            Issued late = std::get<Issued>(*end);
            late.lanes = late.executing = 1;
            std::get<Issued>(*end).lanes = std::get<Issued>(*end).executing = all - 1;
            record.events.insert(end + 1, late);
        }
        std::string text;
        for (const auto& violation : tests::violations(of.kernel(), machine, {}, record))
            text += violation + "\n";
        return text;
    };
    const Plant nothing = [](Issued&) {};
    EXPECT_EQ(found(program, nothing), "");
    EXPECT_THAT(found(two_sides(false), nothing), HasSubstr("C38: "));
    EXPECT_THAT(found(program, nothing, true), HasSubstr("C40: "));
    const Plant predicated_off_twice = [](Issued& issued) {
        if (issued.instruction == 2) issued.executing = 0;
    };
    EXPECT_THAT(found(program, predicated_off_twice), HasSubstr("C37: "));
    const Plant both_in_one = [](Issued& issued) {
        if (issued.instruction == 2) issued.lanes = issued.executing = all;
    };
    EXPECT_THAT(found(program, both_in_one), HasSubstr("C18: "));
    const Plant fewer_begin = [](Issued& issued) {
        if (issued.instruction == 0) issued.lanes = issued.executing = 2;
    };
    EXPECT_THAT(found(program, fewer_begin), HasSubstr("C18: "));
}

TEST(Lanes, DoNotDependOnTheOrderOfComponents) {
    const auto machine = described_machine("fermi-gtx470");
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        tests::RandomKernelOptions options;
        options.divergence = true;
        options.further_facts = false;
        const auto loaded = tests::read(tests::random_kernel(seed, options));
        ASSERT_TRUE(loaded);
        const tests::ReadKernel& read = *loaded.value();
        const auto code = translate(machine, {read.function, &read.graph, &read.facts, {2, 100}});
        ASSERT_TRUE(code) << code.error().what;
        run_in_any_order(code.value(), seed);
    }
}

// Random kernels with and without reconvergence points in the code, on a machine of every
// generation.
TEST(Lanes, ObeyEveryRuleInRandomKernels) {
    std::int64_t diverged_issues = 0;
    for (const auto& [name, sm] : {std::pair{"fermi-gtx470", 20},
                                   {"maxwell-gtx970", 52},
                                   {"turing-t4", 75},
                                   {"hopper-h200", 90}}) {
        const auto machine = described_machine(name);
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            tests::RandomKernelOptions options;
            options.sm = sm;
            options.divergence = true;
            options.memory = seed % 2 == 0;
            options.barriers = sm < 70 && seed % 3 == 0;
            options.breaks = sm >= 70 && seed / 2 % 2 == 0;
            options.tables = seed / 4 % 2 == 0;
            const auto generated = tests::random_kernel(seed, options);
            const auto loaded = tests::read(generated);
            ASSERT_TRUE(loaded) << loaded.error().what << "\n" << generated.text;
            const tests::ReadKernel& read = *loaded.value();
            const Kernel kernel{read.function,
                                &read.graph,
                                &read.facts,
                                {1 + static_cast<std::int64_t>(seed % 2), 48}};
            const auto policy = tests::policy_of(seed);
            const auto prepared = Machine::prepare(machine, kernel, policy);
            ASSERT_TRUE(prepared) << prepared.error().what << "\n" << generated.text;
            for (const Draw draw : all_draws) {
                tests::RecordedRun record;
                const auto observed = prepared.value()->run(
                    {seed, draw, {}}, [&](const Event& event) { record.events.push_back(event); });
                if (!observed) {
                    EXPECT_TRUE(read.has_further_facts() ||
                                observed.error().what.find("deadlock") != std::string::npos)
                        << name << ", seed " << seed << ": " << observed.error().what << "\n"
                        << generated.text;
                    continue;
                }
                record.execution_time = observed.value().execution_time.count();
                for (const Event& event : record.events)
                    if (const auto* issued = std::get_if<Issued>(&event))
                        diverged_issues += issued->lanes != all && issued->lanes != 0xffff ? 1 : 0;
                EXPECT_THAT(tests::violations(kernel, machine, policy, record), IsEmpty())
                    << name << ", seed " << seed << ", draw " << to_string(draw) << "\n"
                    << generated.text;
                if (testing::Test::HasFailure()) return;
            }
        }
    }
    EXPECT_GT(diverged_issues, 1000);
}

// Lanes become a pending path at a BREAK or diverge after it: the order of the paths shows which.
TEST(Lanes, ObeyEveryRuleWhereTheyLeaveReconvergencePoints) {
    const auto machine = tests::machine_of_loop_exit_kernels();
    ASSERT_TRUE(machine) << machine.error().what;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const auto generated = tests::loop_exit_kernel(seed);
        const auto program = assembly::read_program({"test", generated.text});
        ASSERT_TRUE(program) << program.error().what << "\n" << generated.text;
        const auto& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << graph.error().what;
        const Kernel kernel{&function, &graph.value(), &generated.facts, {1, 32}};
        const auto prepared = Machine::prepare(machine.value(), kernel, {});
        ASSERT_TRUE(prepared) << prepared.error().what << "\n" << generated.text;
        for (const Draw draw : {Draw::Uniform, Draw::Extremes, Draw::Adversarial}) {
            tests::RecordedRun record;
            const auto observed = prepared.value()->run(
                {seed, draw, {}}, [&](const Event& event) { record.events.push_back(event); });
            ASSERT_TRUE(observed) << observed.error().what << "\n" << generated.text;
            record.execution_time = observed.value().execution_time.count();
            EXPECT_THAT(tests::violations(kernel, machine.value(), {}, record), testing::IsEmpty())
                << "seed " << seed << ", draw " << to_string(draw) << "\n"
                << generated.text;
            if (testing::Test::HasFailure()) return;
        }
    }
}

} // namespace
} // namespace warpbound::harness::simulator::test
