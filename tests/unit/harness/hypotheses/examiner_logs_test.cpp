// Logs of cuda_scheduling_examiner: made ones with known verdicts, and refusals with their path.
#include "harness/hypotheses/examiner_logs.hpp"
#include "harness/hypotheses/judgement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness::hypotheses {
namespace {

using testing::HasSubstr;

std::vector<assembly::SourceText> logs(const std::vector<std::string>& names) {
    std::vector<assembly::SourceText> all;
    for (const std::string& name : names)
        all.push_back(
            assembly::read_source(WARPBOUND_SOURCE_DIR "/tests/data/examiner/" + name).value());
    return all;
}

TestedRule tested(Rule rule, const std::vector<std::string>& names,
                  const ExaminerOptions& options = {}) {
    const auto runs = read_examiner_logs(logs(names), options);
    if (!runs) throw std::runtime_error{to_string(runs.error())};
    return test_rule(rule, runs.value());
}

TEST(ExaminerLogs, OfOneScenarioAreOneWorkload) {
    const auto runs = read_examiner_logs(logs({"obeys.2.json", "obeys.1.json"}), {});
    ASSERT_TRUE(runs) << to_string(runs.error());
    ASSERT_EQ(runs.value().size(), 1U);
    const ObservedWorkload& run = runs.value().front();
    EXPECT_EQ(run.experiment, "two streams");
    EXPECT_EQ(run.limits.device_threads, 4096);
    ASSERT_EQ(run.operations.size(), 3U);
    const ObservedOperation& first = run.operations.front();
    EXPECT_EQ(first.name, "first/K1");
    EXPECT_EQ(first.stream, 1U);
    EXPECT_EQ(first.issued, (TimeRange{1'000'000'000, 1'000'020'000}));
    EXPECT_EQ(first.begin, (TimeRange{1'001'000'000, 1'001'000'000}));
    EXPECT_EQ(first.dispatched, 2'002'000'000);
    EXPECT_EQ(first.end, (TimeRange{3'002'000'000, 3'003'000'000}));
    EXPECT_EQ(first.threads, 1024);
    EXPECT_EQ(first.shared_memory, 0);
    EXPECT_EQ(first.registers, std::nullopt);
    EXPECT_EQ(first.blocks[4], (ObservedBlock{2'002'000'000, 3'002'000'000, 0}));
    EXPECT_EQ(run.operations.back().name, "first/K3");
}

TEST(ExaminerLogs, AreJudgedAsOtherRunsAre) {
    const std::vector<std::string> obeys{"obeys.1.json", "obeys.2.json"};
    for (const Rule rule : {Rule::X1, Rule::R2}) {
        const TestedRule one = tested(rule, obeys);
        EXPECT_EQ(one.verdict, Verdict::Holds) << entry_of(rule).id << one.reason;
    }
    EXPECT_EQ(tested(Rule::Q1, obeys).verdict, Verdict::Violated);
    const TestedRule broken = tested(Rule::X1, {"violates.1.json", "violates.2.json"});
    ASSERT_EQ(broken.verdict, Verdict::Violated);
    EXPECT_EQ(broken.counter_example->text,
              "block 0 of 'second/K2' on SM 0 began at 2002000000, before block 4 of 'first/K1' on "
              "SM 0 began at 2502000000; 'first/K1' had begun at 1001000000");
    EXPECT_EQ(tested(Rule::C2, obeys).verdict, Verdict::NotTested);
}

TEST(ExaminerLogs, TakePrioritiesAndMultiprocessorsFromOutside) {
    const std::vector<std::string> names{"priority.1.json", "priority.2.json"};
    EXPECT_EQ(tested(Rule::A2, names).reason, "all streams had one priority");
    const TestedRule stated = tested(Rule::A2, names, {.priorities = {{"high", -1}}});
    ASSERT_EQ(stated.verdict, Verdict::Violated);
    EXPECT_THAT(stated.counter_example->text, HasSubstr("block 4 of 'low/L' (priority 0)"));
    const auto runs = read_examiner_logs(logs(names), {.multiprocessors = 2});
    EXPECT_EQ(runs.value().front().limits.threads, 2048);
}

TEST(ExaminerLogs, AreRefusedWithThePlaceInTheDocument) {
    const auto refusal = [](const std::string& from, const std::string& to) {
        auto source = logs({"violates.2.json"}).front();
        const auto at = source.text.find(from);
        if (at == std::string::npos) return "no " + from;
        source.text.replace(at, from.size(), to);
        auto all = logs({"violates.1.json"});
        all.push_back(source);
        const auto read = read_examiner_logs(all, {});
        return read ? std::string{"accepted"} : read.error().what;
    };
    EXPECT_EQ(refusal("\"scenario_name\"", "\"name\""), "/scenario_name: is missing");
    EXPECT_EQ(
        refusal("\"PID\": 100", "\"PID\": 101"),
        "/PID: 101, and another log of 'two streams, X1 broken' has 100; expected logs of one "
        "process, whose kernels share an execution queue");
    EXPECT_EQ(refusal("\"max_resident_threads\": 4096", "\"max_resident_threads\": 2048"),
              "/max_resident_threads: 2048, and another log of 'two streams, X1 broken' has 4096");
    EXPECT_EQ(refusal("\"block_count\": 2", "\"block_count\": 3"),
              "/times/2/block_count: disagrees with the number of block_smids");
    EXPECT_EQ(refusal("\"cuda_launch_times\"", "\"launch_times\""),
              "/times/2/kernel_launch_times: is missing");
    EXPECT_EQ(refusal("\"thread_count\": 1024", "\"thread_count\": 0"),
              "/times/2/thread_count: expected a whole number from 1 to 1073741824");
    EXPECT_EQ(refusal("\"thread_count\": 1024", "\"thread_count\": [32, 4, 8]"), "accepted");
    EXPECT_EQ(refusal("2.502", "1.502"), "/times/2/block_times/1: the block ends before it begins");
    EXPECT_EQ(refusal("2.502", "1e300"),
              "/times/2/block_times/1: expected seconds from the start of the run");
    EXPECT_EQ(refusal("\"block_times\"", "\"times_of_blocks\""),
              "/times: no entry has block_times");
    EXPECT_EQ(refusal("\"times\": [\n  {}", "\"times\": [\n  7"), "/times/0: expected an object");
}

TEST(ExaminerLogs, ThatAreNotWholeAreRefusedWithTheirLine) {
    auto source = logs({"violates.2.json"}).front();
    source.text.resize(source.text.find("\"TID\""));
    const auto read = read_examiner_logs({source}, {});
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().what, HasSubstr("this is no JSON"));
    EXPECT_EQ(read.error().line, 9);
}

} // namespace
} // namespace warpbound::harness::hypotheses
