// The experiments find every planted fault, and none in devices without one: on the queue model
// and, with random workloads, on the simulated machine.
#include "harness/hypotheses/judgement.hpp"
#include "harness/hypotheses/run_experiments.hpp"
#include "harness/hypotheses/simulated_scheduling.hpp"
#include "tests/support/queue_model/observed_play.hpp"
#include "tests/support/random_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace warpbound::harness::hypotheses {
namespace {

using tests::Fault;
using tests::ModelledDevice;

/// What pipelines assume beyond the rules, and the rules themselves break.
const std::set<Rule> broken_by_the_rules{Rule::Q1, Rule::Q2, Rule::Q4};

std::vector<ObservedWorkload> play_all(const ModelledDevice& device) {
    std::vector<ObservedWorkload> runs;
    for (const Experiment& experiment : all_experiments())
        if (!experiment.operations.empty()) runs.push_back(observe_play(device, experiment));
    return runs;
}

TEST(PlantedFaults, AreFoundByTheExperimentsOfTheirRules) {
    const std::vector<std::pair<Fault, Rule>> planted{
        {Fault::StreamTakesNewestFirst, Rule::G1},
        {Fault::ExecutionQueueTakesLast, Rule::G2},
        {Fault::KernelHoldsQueueUntilItsEnd, Rule::G3},
        {Fault::KernelLeavesStreamDispatched, Rule::G4},
        {Fault::BlocksOfAllKernels, Rule::X1},
        {Fault::TooManyBlocks, Rule::R1},
        {Fault::TooManyThreads, Rule::R2},
        {Fault::TooMuchSharedMemory, Rule::R3},
        {Fault::CopyQueueTakesLast, Rule::C1},
        {Fault::TwoCopiesAtOnce, Rule::C2},
        {Fault::EngineIdles, Rule::C3},
        {Fault::CopyLeavesStreamAtOnce, Rule::C4},
        {Fault::NullStreamDoesNotWait, Rule::N1},
        {Fault::NobodyWaitsForNullStream, Rule::N2},
        {Fault::OnePriority, Rule::A1},
        {Fault::PriorityOnlyBetweenKernels, Rule::A2},
        {Fault::BlocksAreInterrupted, Rule::Q3},
        {Fault::CopiesWaitForKernels, Rule::Q5},
        {Fault::DeviceIdles, Rule::Q7}};
    for (const auto& [fault, rule] : planted) {
        const auto runs = play_all({.idle = 5 * tests::model_latency, .fault = fault});
        const TestedRule tested = test_rule(rule, runs);
        EXPECT_EQ(tested.verdict, Verdict::Violated)
            << entry_of(rule).id << ": " << tested.compared << " " << tested.reason;
        if (!tested.counter_example) continue;
        EXPECT_EQ(tested.counter_example->experiment, entry_of(rule).experiment)
            << entry_of(rule).id;
    }
}

TEST(PlantedFaults, AreNotFoundWhereThereAreNone) {
    for (const int engines : {1, 2}) {
        const auto runs = play_all({.copy_engines = engines});
        for (const RuleEntry& rule : all_rules()) {
            const TestedRule tested = test_rule(rule.rule, runs);
            const Verdict expected = broken_by_the_rules.contains(rule.rule) ? Verdict::Violated
                                     : rule.rule == Rule::Q6                 ? Verdict::NotTested
                                                                             : Verdict::Holds;
            EXPECT_EQ(tested.verdict, expected)
                << rule.id << ": "
                << (tested.counter_example ? tested.counter_example->text : tested.reason);
        }
    }
}

/// Of up to four streams and the NULL stream.
Experiment random_experiment(std::uint64_t seed, bool copies, bool priorities) {
    tests::RandomSource random{seed};
    static constexpr std::array<std::string_view, 8> names{"O1", "O2", "O3", "O4",
                                                           "O5", "O6", "O7", "O8"};
    Experiment experiment{"random", "", {}};
    const auto count = static_cast<std::size_t>(random.whole(2, 8));
    double call = 0;
    for (std::size_t i = 0; i < count; ++i) {
        PlannedOperation one{.name = names.at(i)};
        if (random.whole(0, 9) > 0) one.stream = static_cast<std::size_t>(random.whole(0, 3));
        call += static_cast<double>(random.whole(0, 2)) * random.real(0, 0.7);
        one.call = call;
        one.waves = random.real(0, 2.5);
        one.length = random.real(0.1, 1.5);
        one.filling = static_cast<Filling>(random.whole(0, 2));
        one.is_urgent = priorities && one.stream.value_or(0) % 2 == 1;
        const auto kind = random.whole(0, copies ? 3 : 0);
        if (kind == 1) one.kind = models::HostOperationKind::CopyToDevice;
        if (kind == 2) one.kind = models::HostOperationKind::CopyToHost;
        experiment.operations.push_back(one);
    }
    return experiment;
}

std::uint64_t first_seed() {
    const char* stated = std::getenv("WARPBOUND_PROPERTY_SEED");
    return stated == nullptr ? 1 : std::strtoull(stated, nullptr, 10);
}

/// No rule but those of the set; compared counts are added.
void expect_no_violation(const ObservedWorkload& run, std::uint64_t seed,
                         std::map<Rule, std::int64_t>& compared) {
    for (const RuleEntry& rule : all_rules()) {
        if (broken_by_the_rules.contains(rule.rule)) continue;
        const Judgement judged = judge(rule.rule, run);
        compared[rule.rule] += judged.compared;
        ASSERT_FALSE(judged.violated)
            << rule.id << ", seed " << seed << ": " << judged.violated->text;
    }
}

TEST(RandomWorkloads, OnTheQueueModelViolateNoRule) {
    std::map<Rule, std::int64_t> compared;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 2000; ++seed) {
        const ModelledDevice device{.copy_engines = 1 + static_cast<int>(seed % 2)};
        expect_no_violation(observe_play(device, random_experiment(seed, true, true)), seed,
                            compared);
        if (HasFatalFailure()) return;
    }
    for (const RuleEntry& rule : all_rules())
        if (rule.rule != Rule::Q6 && !broken_by_the_rules.contains(rule.rule)) {
            EXPECT_GT(compared[rule.rule], 10) << rule.id;
        }
}

TEST(RandomWorkloads, OnTheSimulatedMachineViolateNoRule) {
    const auto architecture = models::load_architecture("maxwell-gtx970");
    ASSERT_TRUE(architecture);
    const auto device = simulated_scheduling(architecture.value(), {});
    ASSERT_TRUE(device) << to_string(device.error());
    std::map<Rule, std::int64_t> compared;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 40; ++seed) {
        const auto run = device.value()->run(random_experiment(seed, true, false), seed);
        ASSERT_TRUE(run) << to_string(run.error());
        expect_no_violation(run.value(), seed, compared);
        if (HasFatalFailure()) return;
    }
    for (const Rule rule :
         {Rule::G1, Rule::G2, Rule::G3, Rule::G4, Rule::X1, Rule::R2, Rule::C1, Rule::C2, Rule::C3,
          Rule::C4, Rule::N1, Rule::N2, Rule::Q3, Rule::Q5, Rule::Q7})
        EXPECT_GT(compared[rule], 0) << entry_of(rule).id;
}

TEST(SimulatedScheduling, RefusesWhatTheMachineLacks) {
    const auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    const auto device = simulated_scheduling(architecture.value(), {});
    ASSERT_TRUE(device) << to_string(device.error());
    const auto recording = run_experiments(*device.value(), read_rules("A1,C2,Q6").value(), 2, 1);
    EXPECT_TRUE(recording.runs.empty());
    ASSERT_EQ(recording.not_run.size(), 3U);
    EXPECT_THAT(recording.not_run[0].reason, testing::HasSubstr("transfers/"));
    EXPECT_THAT(recording.not_run[1].reason, testing::HasSubstr("no priorities of streams"));
    EXPECT_THAT(recording.not_run[2].reason, testing::HasSubstr("MIG"));
    EXPECT_THAT(recording.notes, testing::ElementsAre(testing::HasSubstr("no blocks/launch")));
}

/// Its description has no limit of the shared memory of a block.
TEST(SimulatedScheduling, LeavesOutOnlyWhatNeedsAnAbsentLimit) {
    const auto architecture = models::load_architecture("gtx480-gpgpusim");
    ASSERT_TRUE(architecture);
    const auto device = simulated_scheduling(architecture.value(), {});
    ASSERT_TRUE(device) << to_string(device.error());
    const auto recording = run_experiments(*device.value(), read_rules("X1,R3").value(), 2, 1);
    const auto of = [&](Rule rule) {
        return test_rule(rule, recording.runs, recording.not_run).verdict;
    };
    EXPECT_EQ(of(Rule::X1), Verdict::Holds);
    EXPECT_EQ(of(Rule::R3), Verdict::NotTested);
}

TEST(SimulatedScheduling, GivesEqualRunsForEqualSeeds) {
    const auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    const auto rules = read_rules("X1").value();
    std::vector<std::string> texts;
    for (const std::uint64_t seed : {1U, 1U, 2U}) {
        const auto device = simulated_scheduling(architecture.value(), {});
        texts.push_back(write_recording(run_experiments(*device.value(), rules, 1, seed)));
    }
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_NE(texts[0], texts[2]);
}

} // namespace
} // namespace warpbound::harness::hypotheses
