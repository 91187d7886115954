// Each rule judged by hand-made times: seen to hold, violated, and nothing to compare.
#include "harness/hypotheses/judgement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness::hypotheses {
namespace {

using models::HostOperationKind;
using testing::HasSubstr;

/// A launch called at `call` whose blocks have these times; each on the SM of its index.
ObservedOperation launch(std::string name, std::optional<std::size_t> stream, std::int64_t call,
                         std::vector<ObservedBlock> blocks) {
    ObservedOperation one{.name = std::move(name), .stream = stream, .issued = {call, call}};
    one.blocks = std::move(blocks);
    one.threads = 512;
    one.registers = 16;
    one.shared_memory = 0;
    return one;
}

ObservedOperation copy(std::string name, std::size_t stream, std::int64_t call, std::int64_t begin,
                       std::int64_t end) {
    return {.kind = HostOperationKind::CopyToDevice,
            .name = std::move(name),
            .stream = stream,
            .issued = {call, call},
            .begin = {begin, begin},
            .end = {end, end}};
}

ObservedWorkload workload(std::vector<ObservedOperation> operations) {
    ObservedWorkload run;
    run.experiment = "by hand";
    run.latency = 5;
    run.interruption = 50;
    run.limits = {2, 1024, 16, 65536, 65536, {}};
    run.operations = std::move(operations);
    if (auto completed = complete(run); !completed) throw std::logic_error{"not complete"};
    return run;
}

struct Row {
    Rule rule;
    ObservedWorkload holds;
    ObservedWorkload violated;
    std::int64_t at;  ///< Of the counter-example.
    const char* text; ///< In it.
};

std::vector<Row> rows() {
    using Blocks = std::vector<ObservedBlock>;
    std::vector<Row> rows;
    const Blocks first{{100, 200, 0}};
    // G1: B is called after A, in its stream.
    rows.push_back({Rule::G1,
                    workload({launch("A", 0, 0, first), launch("B", 0, 1, {{200, 300, 0}})}),
                    workload({launch("A", 0, 0, first), launch("B", 0, 1, {{50, 90, 0}})}), 50,
                    "'B' began by 50, before 'A' of its stream at 100"});
    // G2: A is first in its stream at 0, B at 10; both can begin from 15 on.
    rows.push_back({Rule::G2,
                    workload({launch("A", 0, 0, first), launch("B", 1, 10, {{100, 300, 0}})}),
                    workload({launch("A", 0, 0, first), launch("B", 1, 10, {{50, 90, 0}})}), 50,
                    "it began at 100, the other at 50"});
    // G3: SM 1 is empty; B is alone from 15 on, may take until 30, and A runs until 200.
    rows.push_back(
        {Rule::G3, workload({launch("A", 0, 0, {{5, 200, 0}}), launch("B", 1, 10, {{16, 300, 1}})}),
         workload({launch("A", 0, 0, {{5, 200, 0}}), launch("B", 1, 10, {{201, 300, 1}})}), 201,
         "'B' could begin at 25 beside 'A'"});
    rows.push_back({Rule::G4,
                    workload({launch("A", 0, 0, first), launch("B", 0, 1, {{200, 300, 0}})}),
                    workload({launch("A", 0, 0, first), launch("B", 0, 1, {{199, 300, 1}})}), 199,
                    "while blocks of 'A' of its stream ran until 200"});
    // X1: the last block of A begins at 100.
    rows.push_back(
        {Rule::X1,
         workload(
             {launch("A", 0, 0, {{5, 90, 0}, {100, 200, 0}}), launch("B", 1, 10, {{100, 300, 1}})}),
         workload(
             {launch("A", 0, 0, {{5, 90, 0}, {100, 200, 0}}), launch("B", 1, 10, {{99, 300, 1}})}),
         99, "block 0 of 'B' on SM 1 began at 99, before block 1 of 'A' on SM 0 began at 100"});
    // R2: two blocks of 512 threads fill an SM, a third does not fit.
    rows.push_back({Rule::R2, workload({launch("A", 0, 0, {{5, 90, 0}, {5, 90, 0}, {90, 95, 0}})}),
                    workload({launch("A", 0, 0, {{5, 90, 0}, {5, 90, 0}, {89, 95, 0}})}), 89,
                    "block 2 of 'A' on SM 0 began at 89: the blocks of SM 0 then need 1536 "
                    "threads of 1024"});
    const auto with = [](ObservedOperation one, std::int64_t registers, std::int64_t shared) {
        one.registers = registers;
        one.shared_memory = shared;
        one.threads = 256;
        return one;
    };
    // R1: 128 registers of 256 threads are half of 65536. R3: likewise 32768 bytes.
    rows.push_back(
        {Rule::R1,
         workload({with(launch("A", 0, 0, {{5, 90, 0}, {5, 90, 0}, {90, 95, 0}}), 128, 0)}),
         workload({with(launch("A", 0, 0, {{5, 90, 0}, {5, 90, 0}, {80, 95, 0}}), 128, 0)}), 80,
         "98304 registers of 65536"});
    rows.push_back(
        {Rule::R3,
         workload({with(launch("A", 0, 0, {{5, 90, 0}, {5, 90, 0}, {90, 95, 0}}), 8, 32768)}),
         workload({with(launch("A", 0, 0, {{5, 90, 0}, {5, 90, 0}, {80, 95, 0}}), 8, 32768)}), 80,
         "98304 bytes of shared memory of 65536"});
    rows.push_back({Rule::C1, workload({copy("A", 0, 0, 20, 60), copy("B", 1, 10, 60, 90)}),
                    workload({copy("A", 0, 0, 60, 90), copy("B", 1, 10, 20, 60)}), 20,
                    "from 60 to 90 and from 20 to 60"});
    rows.push_back({Rule::C2, workload({copy("A", 0, 0, 20, 60), copy("B", 1, 10, 60, 90)}),
                    workload({copy("A", 0, 0, 20, 60), copy("B", 1, 10, 59, 90)}), 59,
                    "'A' (from 20 to 60) overlaps 'B' (from 59 to 90)"});
    rows.push_back({Rule::C3, workload({copy("A", 0, 0, 20, 60), copy("B", 1, 10, 65, 90)}),
                    workload({copy("A", 0, 0, 20, 60), copy("B", 1, 10, 66, 90)}), 66,
                    "'B' was next after 'A', which ended at 60"});
    rows.push_back({Rule::C4,
                    workload({copy("A", 0, 0, 20, 60), launch("B", 0, 10, {{60, 90, 0}})}),
                    workload({copy("A", 0, 0, 20, 60), launch("B", 0, 10, {{59, 90, 0}})}), 59,
                    "'A' of its stream lasted until 60"});
    rows.push_back({Rule::N1,
                    workload({launch("A", 0, 0, first), launch("B", {}, 10, {{200, 300, 0}})}),
                    workload({launch("A", 0, 0, first), launch("B", {}, 10, {{150, 300, 1}})}), 150,
                    "'B' (NULL stream) began by 150"});
    rows.push_back({Rule::N2,
                    workload({launch("A", {}, 0, first), launch("B", 0, 10, {{200, 300, 0}})}),
                    workload({launch("A", {}, 0, first), launch("B", 0, 10, {{150, 300, 1}})}), 150,
                    "while 'A' (NULL stream)"});
    const auto urgent = [](ObservedOperation one) {
        one.priority = -1;
        return one;
    };
    // A1: U may begin from 25 on, B from 15 on; A occupies the device until 100.
    const auto running = launch("A", 2, 0, {{5, 100, 0}, {5, 100, 1}});
    rows.push_back({Rule::A1,
                    workload({running, launch("B", 0, 10, {{200, 300, 0}}),
                              urgent(launch("U", 1, 20, {{100, 200, 0}}))}),
                    workload({running, launch("B", 0, 10, {{100, 200, 0}}),
                              urgent(launch("U", 1, 20, {{200, 300, 0}}))}),
                    100, "'B' (priority 0) began at 100, while 'U' (priority -1) waited from 25"});
    // A2: A has begun when U comes; its second block may not begin before that of U.
    rows.push_back({Rule::A2,
                    workload({launch("A", 0, 0, {{5, 100, 0}, {200, 300, 0}}),
                              urgent(launch("U", 1, 20, {{100, 200, 0}}))}),
                    workload({launch("A", 0, 0, {{5, 100, 0}, {100, 200, 0}}),
                              urgent(launch("U", 1, 20, {{200, 300, 0}}))}),
                    100, "block 1 of 'A' (priority 0) on SM 0 began at 100"});
    rows.push_back({Rule::Q1,
                    workload({launch("A", 0, 0, first), launch("B", 1, 10, {{200, 300, 0}})}),
                    workload({launch("A", 0, 0, first), launch("B", 1, 10, {{199, 300, 1}})}), 199,
                    "block 0 of 'B' on SM 1 began at 199"});
    rows.push_back({Rule::Q2,
                    workload({launch("A", 0, 0, first), launch("B", 1, 10, {{150, 200, 1}})}),
                    workload({launch("A", 0, 0, first), launch("B", 1, 10, {{150, 160, 1}})}), 160,
                    "it ended at 200, the other at 160"});
    rows.push_back({Rule::Q3, workload({launch("A", 0, 0, {{100, 200, 0, 50}})}),
                    workload({launch("A", 0, 0, {{100, 200, 0, 51}})}), 100,
                    "made no step for 51 cycles; more than 50"});
    rows.push_back({Rule::Q4,
                    workload({launch("A", 0, 0, {{5, 90, 0}, {100, 200, 0}}),
                              launch("B", 1, 10, {{100, 300, 1}})}),
                    workload({launch("A", 0, 0, {{5, 90, 0}, {100, 200, 0}}),
                              urgent(launch("B", 1, 10, {{90, 300, 1}}))}),
                    90, "block 0 of 'B' on SM 1 began at 90, while blocks of 'A' waited"});
    rows.push_back({Rule::Q5, workload({launch("A", 0, 0, first), copy("C", 1, 110, 115, 150)}),
                    workload({launch("A", 0, 0, first), copy("C", 1, 110, 201, 250)}), 201,
                    "'C' could begin at 115, while 'A' ran from 100 to 200"});
    const auto of = [](std::string partition, ObservedOperation one) {
        one.partition = std::move(partition);
        return one;
    };
    rows.push_back({Rule::Q6,
                    workload({of("a", launch("A", 0, 0, {{5, 90, 0}, {95, 99, 0}})),
                              of("b", launch("B", 1, 0, {{5, 90, 1}}))}),
                    workload({of("a", launch("A", 0, 0, {{5, 90, 0}, {95, 99, 0}})),
                              of("b", launch("B", 1, 0, {{100, 110, 0}}))}),
                    100, "(partition b) began at 100 on SM 0"});
    rows.push_back({Rule::Q7,
                    workload({launch("A", 0, 0, {{5, 90, 0}}), launch("B", 0, 1, {{95, 99, 0}})}),
                    workload({launch("A", 0, 0, {{5, 90, 0}}), launch("B", 0, 1, {{96, 99, 0}})}),
                    96, "nothing ran since 90; it began at 96, more than 5 cycles later"});
    return rows;
}

TEST(Judgement, ComparesEveryRule) {
    std::vector<Rule> judged;
    for (const Row& row : rows()) {
        judged.push_back(row.rule);
        const auto id = entry_of(row.rule).id;
        const TestedRule holds = test_rule(row.rule, {row.holds});
        EXPECT_EQ(holds.verdict, Verdict::Holds)
            << id << (holds.counter_example ? holds.counter_example->text : holds.reason);
        EXPECT_EQ(holds.runs, 1) << id;
        const TestedRule violated = test_rule(row.rule, {row.holds, row.violated, row.violated});
        ASSERT_EQ(violated.verdict, Verdict::Violated) << id;
        EXPECT_EQ(violated.counter_example->run, 1U) << id;
        EXPECT_EQ(violated.counter_example->at, row.at) << id;
        EXPECT_THAT(violated.counter_example->text, HasSubstr(row.text)) << id;
        EXPECT_EQ(violated.counter_example->experiment, "by hand") << id;
    }
    EXPECT_EQ(judged.size(), all_rules().size());
}

TEST(Judgement, ClaimsNoViolationWithinTheResolution) {
    for (Row& row : rows()) {
        if (row.rule == Rule::Q3 || row.rule == Rule::Q6) continue; // They order no times.
        row.violated.resolution = 250;
        EXPECT_NE(test_rule(row.rule, {row.violated}).verdict, Verdict::Violated)
            << entry_of(row.rule).id;
    }
}

TEST(Judgement, SaysWhyNothingWasCompared) {
    const ObservedWorkload alone = workload({launch("A", 0, 0, {{5, 90, 0}})});
    const auto reason = [&](Rule rule) {
        const TestedRule tested = test_rule(rule, {alone});
        EXPECT_EQ(tested.verdict, Verdict::NotTested) << entry_of(rule).id;
        return tested.reason;
    };
    EXPECT_EQ(reason(Rule::X1), "no kernel waited while blocks of another one waited");
    EXPECT_EQ(reason(Rule::C2), "there was no copy");
    EXPECT_EQ(reason(Rule::A1), "all streams had one priority");
    EXPECT_EQ(reason(Rule::Q3), "the steps of blocks were not recorded");
    EXPECT_EQ(reason(Rule::Q6), "all kernels were of one partition");
    EXPECT_EQ(reason(Rule::R2), "no SM ran out of threads");
    ObservedWorkload unknown = alone;
    unknown.limits = {};
    EXPECT_EQ(test_rule(Rule::R2, {unknown}).reason, "how many threads an SM has is not known");
    EXPECT_EQ(test_rule(Rule::A1, {}, {{"priorities", "the driver has one priority"}}).reason,
              "the driver has one priority");
    EXPECT_EQ(test_rule(Rule::A1, {}).reason, "no run");
}

TEST(Judgement, ComparesAllThreadsOfTheDeviceWhereThoseOfAnSmAreUnknown) {
    ObservedWorkload run = workload({launch("A", 0, 0, {{5, 90, 0}, {5, 90, 1}, {89, 95, 2}})});
    run.limits = {};
    run.limits.device_threads = 1024;
    const TestedRule tested = test_rule(Rule::R2, {run});
    ASSERT_EQ(tested.verdict, Verdict::Violated);
    EXPECT_THAT(tested.counter_example->text,
                HasSubstr("the blocks of all SMs then need 1536 threads of 1024"));
}

TEST(Judgement, DoesNotExpectABlockToFitWhoseDemandIsUnknown) {
    // Both SMs hold a block of A; that of B would fit by its threads, but its registers are
    // unknown.
    auto b = launch("B", 1, 10, {{201, 300, 1}});
    auto run = workload({launch("A", 0, 0, {{5, 200, 0}, {5, 200, 1}}), b});
    EXPECT_EQ(test_rule(Rule::G3, {run}).verdict, Verdict::Violated);
    run.operations.back().registers.reset();
    EXPECT_EQ(test_rule(Rule::G3, {run}).verdict, Verdict::NotTested);
}

TEST(Judgement, ExpectsNothingOfOperationsWhoseOrderOfCallsIsUnknown) {
    // B may have been called before A or after it.
    auto a = launch("A", 0, 0, {{100, 200, 0}});
    auto b = launch("B", 0, 0, {{150, 300, 1}});
    a.issued = b.issued = {0, 20};
    ObservedWorkload run = workload({a, b});
    EXPECT_EQ(test_rule(Rule::G4, {run}).verdict, Verdict::NotTested);
    EXPECT_EQ(test_rule(Rule::G3, {run}).verdict, Verdict::NotTested);
    run.calls_in_order = true;
    EXPECT_EQ(test_rule(Rule::G4, {run}).verdict, Verdict::Violated);
}

TEST(Rules, AreReadByTheirIds) {
    EXPECT_EQ(read_rules("").value().size(), all_rules().size());
    EXPECT_EQ(read_rules("X1,G3,X1").value(), (std::vector<Rule>{Rule::G3, Rule::X1}));
    EXPECT_THAT(read_rules("G5").error().what, HasSubstr("'G5' is no rule"));
    for (const RuleEntry& rule : all_rules())
        EXPECT_EQ(&entry_of(rule.rule), &rule);
}

TEST(ObservedWorkload, RefusesTimesThatGoBack) {
    ObservedWorkload run;
    run.operations = {launch("A", 0, 0, {{5, 4, 0}})};
    EXPECT_THAT(complete(run).error().what, HasSubstr("begins at 5 and ends at 4"));
    run.operations = {launch("A", 0, 0, {})};
    EXPECT_THAT(complete(run).error().what, HasSubstr("has no blocks"));
    run.operations = {copy("C", 0, 0, 9, 3)};
    EXPECT_THAT(complete(run).error().what, HasSubstr("ends before it begins"));
}

} // namespace
} // namespace warpbound::harness::hypotheses
