/// \file
/// Latencies that are computed by hand.

#include "analyzer/pipeline/latency.hpp"
#include "analyzer/pipeline/sensitivity.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace warpbound::analyzer {
namespace {

models::PipelineSystem read(const std::string& text) {
    const auto system = models::read_pipelines({.name = "pipelines", .text = text});
    EXPECT_TRUE(system) << to_string(system.error());
    return system.value();
}

const std::string device =
    "<pipelines><device copy-engines=\"1\" copy-order=\"fifo\" "
    "memory-interference=\"none\">"
    "<partition name=\"all\" multiprocessors=\"4\" order=\"fifo\"/></device>";
/// Capture 5, upload 10, detect 20 to 30, download 10.
std::string camera(const std::string& attributes) {
    return "<pipeline name=\"camera\" " + attributes +
           "><host name=\"capture\" at-least=\"5ns\" at-most=\"5ns\"/>"
           "<copy name=\"upload\" after=\"capture\" direction=\"host-to-device\" bytes=\"64B\" "
           "at-least=\"10ns\" at-most=\"10ns\"/>"
           "<kernel name=\"detect\" after=\"upload\" partition=\"all\" at-least=\"20ns\" "
           "at-most=\"30ns\"/>"
           "<copy name=\"download\" after=\"detect\" direction=\"device-to-host\" bytes=\"64B\" "
           "at-least=\"10ns\" at-most=\"10ns\"/></pipeline>";
}

TEST(Latency, OfAPipelineAloneIsTheSumOfItsStages) {
    const auto found =
        bound_latency(read(device + camera("period=\"100ns\" jitter=\"7ns\"") + "</pipelines>"));
    EXPECT_EQ(found.pipelines[0].lower, 45);
    EXPECT_EQ(found.pipelines[0].upper, 7 + 55);
}

/// Two copies of the other pipeline (10 ns each) and 30 ns of its kernel come first; the upload may
/// also meet the own download of the job before in the queue, the download the next upload.
TEST(Latency, TogetherCountsWhatMayBeInTheQueueBefore) {
    const std::string text =
        device + camera("period=\"1us\"") +
        "<pipeline name=\"other\" period=\"1us\">"
        "<copy name=\"in\" direction=\"host-to-device\" bytes=\"64B\" at-most=\"10ns\"/>"
        "<kernel name=\"work\" after=\"in\" partition=\"all\" at-most=\"30ns\"/></pipeline>"
        "</pipelines>";
    const auto system = read(text);
    const auto found = bound_latency(system);
    EXPECT_EQ(found.pipelines[0].upper, 5 + (10 + 10 + 10) + (30 + 30) + (10 + 10 + 10));
    EXPECT_EQ(bound_latency(models::alone(system, 0)).pipelines[0].upper, 55);
}

TEST(Latency, WhereJobsWaitForEachOtherNeedsTimeForAJobWithinTheDistance) {
    const auto fits = bound_latency(read(device + camera("period=\"55ns\"") + "</pipelines>"));
    EXPECT_EQ(fits.pipelines[0].upper, 55);
    const auto late = bound_latency(read(device + camera("period=\"54ns\"") + "</pipelines>"));
    EXPECT_FALSE(late.pipelines[0].upper);
    EXPECT_NE(late.refusal.find("camera"), std::string::npos) << late.refusal;
}

TEST(Latency, TogetherIsRefusedWithoutBudgets) {
    std::string text = device + camera("period=\"1us\"") + "<client name=\"load\"/></pipelines>";
    text.replace(text.find(" memory-interference=\"none\""), 27, "");
    const auto found = bound_latency(read(text));
    EXPECT_FALSE(found.pipelines[0].upper);
    EXPECT_EQ(found.missing.size(), 2U); // The client's budget at both memories.
    for (const std::string& what : found.missing)
        EXPECT_NE(what.find("traffic budget of client 'load'"), std::string::npos) << what;
}

/// 64 + 8 bytes at 1 byte per ns delay the copy; while they do, 8 more bytes come.
TEST(Latency, GrowsByTheServiceOfBudgets) {
    const std::string text =
        "<pipelines><device copy-engines=\"1\" l2-lines=\"kept\">"
        "<memory level=\"dram\" bandwidth=\"1GB/s\"/>"
        "<partition name=\"all\" multiprocessors=\"4\"/></device>"
        "<pipeline name=\"p\" period=\"1us\"><copy name=\"c\" direction=\"host-to-device\" "
        "bytes=\"64B\" at-most=\"16ns\"/></pipeline>"
        "<client name=\"load\"><traffic level=\"l2\" burst=\"0B\" rate=\"0B/s\"/>"
        "<traffic level=\"dram\" burst=\"64B\" rate=\"100MB/s\"/></client></pipelines>";
    const auto found = bound_latency(read(text));
    // end = 16 + 64 + ceil(end / 10): 80 -> 88 -> 89 -> 89.
    EXPECT_EQ(found.pipelines[0].upper, 89);
    EXPECT_EQ(found.pipelines[0].stages[0].memory, 73);
}

TEST(Sensitivity, NamesTheLastValuesWithWhichDeadlinesAreMet) {
    const auto system =
        read(device + camera("period=\"100ns\" deadline=\"70ns\"") + "</pipelines>");
    const auto found = sensitivity(system);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stages[2].now, 30);
    EXPECT_EQ(found->stages[2].most, 30 + 15);
    EXPECT_EQ(found->rates[0].least, 55);
    EXPECT_FALSE(found->lowest_clock);
    EXPECT_FALSE(
        sensitivity(read(device + camera("period=\"100ns\" deadline=\"54ns\"") + "</pipelines>")));
}

TEST(Deadline, VerdictFollowsFromTheBounds) {
    using models::DeadlineVerdict;
    for (const auto& [deadline, verdict] :
         {std::pair{"44ns", DeadlineVerdict::Violated},
          std::pair{"45ns", DeadlineVerdict::Undecided}, std::pair{"55ns", DeadlineVerdict::Met}}) {
        const auto system =
            read(device + camera(std::string{"period=\"100ns\" deadline=\""} + deadline + "\"") +
                 "</pipelines>");
        EXPECT_EQ(verdict_on(system.pipelines[0], bound_latency(system).pipelines[0]), verdict);
    }
}

/// One host task of this long; `verify` has the same limit
/// (PipelineEvidence.OfTheLongestLatency..).
models::PipelineSystem of_one_task(std::int64_t nanoseconds) {
    models::PipelineSystem system;
    models::Pipeline pipeline;
    pipeline.name = "long";
    pipeline.distance = models::longest_latency;
    models::PipelineStage stage;
    stage.name = "task";
    stage.time.emplace(models::Nanoseconds{nanoseconds}, models::Nanoseconds{nanoseconds});
    pipeline.stages.push_back(stage);
    pipeline.overlaps = true;
    system.pipelines.push_back(pipeline);
    return system;
}

TEST(Latency, IsBoundedUpToItsLimitAndRefusedBeyond) {
    const std::int64_t longest = models::longest_latency.count();
    EXPECT_EQ(longest, std::int64_t{1} << 57U);
    EXPECT_EQ(bound_latency(of_one_task(longest)).pipelines[0].upper, longest);
    const auto beyond = bound_latency(of_one_task(longest + 1));
    EXPECT_FALSE(beyond.pipelines[0].upper.has_value());
    EXPECT_EQ(beyond.refusal, "the latency of 'long' grows beyond 2^57 ns, four and a half years");
}

TEST(Latency, WhoseSumsAreTooLargeIsRefusedAndItsLowerBoundHolds) {
    models::PipelineSystem system = of_one_task(std::numeric_limits<std::int64_t>::max() - 5);
    auto& stages = system.pipelines[0].stages;
    stages.push_back(stages.front());
    stages.back().after = {0};
    const auto found = bound_latency(system);
    EXPECT_FALSE(found.refusal.empty());
    EXPECT_EQ(found.pipelines[0].lower, std::numeric_limits<std::int64_t>::max());
    stages.front().time.emplace(models::Nanoseconds{0},
                                models::Nanoseconds{std::numeric_limits<std::int64_t>::max()});
    system.pipelines[0].jitter = models::Nanoseconds{1};
    EXPECT_EQ(bound_latency(system).refusal, "a sum of times or of traffic is beyond 2^63");
}

TEST(Latency, EndsWhenItsTimeIsOver) {
    const StopScope scope{StopToken{std::chrono::steady_clock::now()}};
    const std::string text = device + camera("period=\"100ns\" jobs=\"one-after-another\"") +
                             "<client name=\"c\"><kernel partition=\"all\" at-most=\"70ns\" "
                             "distance=\"101ns\"/></client></pipelines>";
    const auto system = read(text);
    EXPECT_THROW(for (int i = 0; i < 1000; ++i) static_cast<void>(bound_latency(system)), Stopped);
}

} // namespace
} // namespace warpbound::analyzer
