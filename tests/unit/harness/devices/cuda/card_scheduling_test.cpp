// Experiments on scheduling on the stand-in driver, which plays the queue model in real time.
#include "harness/devices/cuda/card_scheduling.hpp"
#include "harness/hypotheses/run_experiments.hpp"
#include "tests/support/queue_model/queue_model.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::harness::cuda {
namespace {

using hypotheses::Recording;
using hypotheses::Rule;
using hypotheses::TestedRule;
using hypotheses::Verdict;
using testing::HasSubstr;
using tests::Fault;
using tests::StandIn;

/// Blocks of 2 ms: a busy host may need more than 50 ms.
class PatientStandIn : public StandIn {
public:
    explicit PatientStandIn(const std::string& script = "") : StandIn{script} {
        setenv("WARPBOUND_CUDA_TIME_OUT", "5000", 1);
    }
};

Recording run(const std::string& rules, std::int64_t runs = 1) {
    DeviceIdentity identity;
    const auto device = card_scheduling("cuda:0", identity);
    if (!device) throw std::runtime_error{to_string(device.error())};
    return run_experiments(*device.value(), hypotheses::read_rules(rules).value(), runs, 1);
}

TestedRule tested(Rule rule, const Recording& recording) {
    return test_rule(rule, recording.runs, recording.not_run);
}

TEST(CardScheduling, ViolatesNoRuleOnADriverThatObeysThem) {
    const PatientStandIn driver;
    const Recording recording = run("", 2);
    ASSERT_EQ(recording.runs.size(), 12U)
        << (recording.not_run.empty() ? "" : recording.not_run.front().reason);
    for (const auto& rule : hypotheses::all_rules()) {
        if (rule.rule == Rule::Q1 || rule.rule == Rule::Q2 || rule.rule == Rule::Q4) continue;
        const TestedRule one = tested(rule.rule, recording);
        EXPECT_NE(one.verdict, Verdict::Violated)
            << rule.id << ": " << (one.counter_example ? one.counter_example->text : "");
    }
    // Of one stream whose operations are called at once: the host may be as slow as it likes.
    for (const Rule rule : {Rule::G1, Rule::G4, Rule::R1, Rule::R2, Rule::R3, Rule::Q3, Rule::Q7})
        EXPECT_EQ(tested(rule, recording).verdict, Verdict::Holds)
            << entry_of(rule).id << ": " << tested(rule, recording).reason;
    EXPECT_THAT(recording.notes, testing::Contains(HasSubstr("in steps of 32 ns")));
}

TEST(CardScheduling, FindsPlantedFaults) {
    for (const auto& [fault, rule] : {std::pair{Fault::KernelLeavesStreamDispatched, Rule::G4},
                                      std::pair{Fault::TooManyThreads, Rule::R2},
                                      std::pair{Fault::TooMuchSharedMemory, Rule::R3},
                                      std::pair{Fault::BlocksAreInterrupted, Rule::Q3}}) {
        const PatientStandIn driver{"schedule-fault " + std::to_string(static_cast<int>(fault))};
        const Recording recording = run(std::string{entry_of(rule).id}, 2);
        const TestedRule one = tested(rule, recording);
        EXPECT_EQ(one.verdict, Verdict::Violated) << entry_of(rule).id << ": " << one.reason;
    }
}

TEST(CardScheduling, DoesNotTestPrioritiesWhereTheDriverHasNone) {
    {
        const PatientStandIn driver{"priorities 1"};
        EXPECT_EQ(tested(Rule::A1, run("A1")).reason, "streams have one priority, 0");
    }
    const PatientStandIn driver{"fail-call cuCtxGetStreamPriorityRange 801 0"};
    EXPECT_THAT(tested(Rule::A2, run("A2")).reason,
                HasSubstr("cuCtxGetStreamPriorityRange failed"));
}

TEST(CardScheduling, RefusesATimerThatIsTooCoarse) {
    const PatientStandIn driver{"timer-step 1000000"};
    DeviceIdentity identity;
    const auto device = card_scheduling("cuda:0", identity);
    ASSERT_FALSE(device);
    EXPECT_THAT(device.error().what, HasSubstr("the nanosecond timer is too coarse"));
}

TEST(CardScheduling, SaysWhichCallOfTheDriverFailed) {
    struct Row {
        const char* script;
        const char* rule;
        const char* reason;
    };
    for (const auto& [script, rule, reason] :
         {Row{"fail-call cuStreamCreate 999 1", "G1", "cuStreamCreate failed"},
          Row{"fail-call cuStreamCreateWithPriority 2 1", "A1",
              "cuStreamCreateWithPriority failed: CUDA_ERROR_OUT_OF_MEMORY"},
          Row{"fail-call cuEventCreate 2 4", "G1", "cuEventCreate failed"},
          Row{"fail-call cuEventRecord 2 9", "G1", "cuEventRecord failed"},
          Row{"fail-call cuEventElapsedTime 2 1", "G1", "cuEventElapsedTime failed"},
          Row{"fail-call cuLaunchKernel 2 18", "G1", "cuLaunchKernel failed"},
          Row{"fail-call cuMemAllocHost_v2 2 0", "C2", "cuMemAllocHost_v2 failed"},
          Row{"fail-call cuMemcpyHtoDAsync_v2 2 3", "C2", "cuMemcpyHtoDAsync_v2 failed"},
          Row{"fail-call cuMemcpyDtoHAsync_v2 2 1", "C2", "cuMemcpyDtoHAsync_v2 failed"},
          Row{"no-record-at 18", "G1", "left no record"},
          Row{"lost-at 18", "G1", "cuLaunchKernel failed"},
          Row{"illegal-address-at 18", "G1", "CUDA_ERROR_ILLEGAL_ADDRESS"}}) {
        const PatientStandIn driver{script};
        const Recording recording = run(rule, 3);
        const Rule chosen = hypotheses::read_rules(rule).value().front();
        ASSERT_EQ(recording.not_run.size(), 1U) << script;
        EXPECT_THAT(recording.not_run.front().reason, HasSubstr(reason)) << script;
        if (recording.runs.empty()) {
            EXPECT_EQ(tested(chosen, recording).reason, recording.not_run.front().reason);
        }
    }
    const PatientStandIn driver{"fail-call cuDeviceGetAttribute 2 7"};
    DeviceIdentity identity;
    EXPECT_THAT(card_scheduling("cuda:0", identity).error().what,
                HasSubstr("cuDeviceGetAttribute failed"));
}

TEST(CardScheduling, GivesUpOnWorkThatDoesNotEnd) {
    const StandIn driver{"time-out-at 18"}; // Within 50 ms.
    const Recording recording = run("G1", 2);
    ASSERT_EQ(recording.not_run.size(), 1U);
    EXPECT_THAT(recording.not_run.front().reason, HasSubstr("did not end within 50 ms"));
}

} // namespace
} // namespace warpbound::harness::cuda
