/// \file
/// Miss probabilities that are computed by hand, and what is refused.

#include "analyzer/pipeline/miss_probability.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace warpbound::analyzer {
namespace {

constexpr double rounding = 1e-9;

models::PipelineSystem read(const std::string& pipeline, const std::string& stages) {
    const auto system = models::read_pipelines(
        {.name = "pipelines",
         .text = "<pipelines><device copy-engines=\"1\" memory-interference=\"none\"><partition "
                 "name=\"all\" multiprocessors=\"1\"/></device><pipeline name=\"p\" "
                 "period=\"1us\" " +
                 pipeline + ">" + stages + "</pipeline></pipelines>"});
    EXPECT_TRUE(system) << to_string(system.error());
    return system.value();
}

const std::string two_kernels =
    "<kernel name=\"a\" partition=\"all\" at-most=\"10ns\"><samples file=\"a.csv\" unit=\"ns\"/>"
    "</kernel><kernel name=\"b\" partition=\"all\" at-most=\"10ns\"/>";

MissProbability estimate(const models::PipelineSystem& system, const ObservedOwnTimes& samples) {
    const auto bounds = bound_latency(system);
    return miss_probability(system.pipelines[0], bounds.pipelines[0], samples).value();
}

/// Stage a takes 2, 4, 6 or 8 ns, b at most 10, jitter 3: late when a > 20 - 13 = 7.
TEST(MissProbability, StagesWithoutSamplesTakeTheirLongestTime) {
    const auto system = read("deadline=\"20ns\" jitter=\"3ns\"", two_kernels);
    const auto found = estimate(system, {{2, 4, 6, 8}, {}});
    EXPECT_NEAR(found.value.value(), 0.25, rounding);
    ASSERT_EQ(found.stages.size(), 1U);
    const double band = std::sqrt(std::log(2 / 0.05) / (2 * 4));
    EXPECT_NEAR(found.stages[0].band, band, rounding);
    EXPECT_NEAR(found.upper.value(), 0.25 + band, rounding);
}

/// Both take 1 or 10, each half of the time; late when both take 10.
TEST(MissProbability, DependsOnTheStatedDependence) {
    const std::string stages =
        "<kernel name=\"a\" partition=\"all\" at-most=\"10ns\"><samples file=\"a\" unit=\"ns\"/>"
        "</kernel><kernel name=\"b\" partition=\"all\" at-most=\"10ns\"><samples file=\"b\" "
        "unit=\"ns\"/></kernel>";
    const ObservedOwnTimes samples{{1, 10}, {10, 1}};
    const auto with = [&](const std::string& dependence) {
        return estimate(read("deadline=\"15ns\"" + dependence, stages), samples).value.value();
    };
    EXPECT_NEAR(with(""), 0.5, rounding);
    EXPECT_NEAR(with(" dependence=\"unknown\""), 0.5, rounding);
    EXPECT_NEAR(with(" dependence=\"independent\""), 0.25, rounding);
    EXPECT_NEAR(with(" dependence=\"comonotone\""), 0.5, rounding);
}

/// Two host tasks at a time, 1 or 10 each; late when one of them takes 10.
TEST(MissProbability, OfStagesSideBySideTakesTheLater) {
    const std::string stages =
        "<host name=\"a\" at-most=\"10ns\"><samples file=\"a\" unit=\"ns\"/></host>"
        "<host name=\"b\" at-most=\"10ns\"><samples file=\"b\" unit=\"ns\"/></host>"
        "<host name=\"c\" after=\"a b\" at-most=\"5ns\"/>";
    const ObservedOwnTimes samples{{1, 1, 1, 10}, {1, 1, 1, 10}, {}};
    const auto with = [&](const std::string& dependence) {
        return estimate(read("deadline=\"14ns\"" + dependence, stages), samples).value.value();
    };
    EXPECT_NEAR(with(""), 0.5, rounding);
    EXPECT_NEAR(with(" dependence=\"independent\""), 1 - 0.75 * 0.75, rounding);
    EXPECT_NEAR(with(" dependence=\"comonotone\""), 0.25, rounding);
}

/// The queue behind another kernel counts with its bound, 7 ns: late when a > 25 - 7 - 10.
TEST(MissProbability, QueuesCountWithTheirBound) {
    const auto system = models::read_pipelines(
        {.name = "pipelines",
         .text = "<pipelines><device copy-engines=\"1\" memory-interference=\"none\"><partition "
                 "name=\"all\" multiprocessors=\"1\" order=\"fifo\"/></device>"
                 "<pipeline name=\"p\" period=\"1us\" deadline=\"25ns\"><kernel name=\"a\" "
                 "partition=\"all\" at-most=\"10ns\"><samples file=\"a.csv\" unit=\"ns\"/></kernel>"
                 "<host name=\"b\" after=\"a\" at-most=\"10ns\"/></pipeline>"
                 "<pipeline name=\"q\" period=\"1us\"><kernel name=\"k\" partition=\"all\" "
                 "at-most=\"7ns\"/></pipeline></pipelines>"});
    ASSERT_TRUE(system) << to_string(system.error());
    EXPECT_NEAR(estimate(system.value(), {{2, 4, 8, 9, 10}, {}}).value.value(), 0.4, rounding);
}

TEST(MissProbability, IsNoneWhereTheBoundExcludesAMiss) {
    const auto found = estimate(read("deadline=\"20ns\"", two_kernels), {{10, 10, 10}, {}});
    EXPECT_EQ(found.value.value(), 0);
    EXPECT_EQ(found.upper.value(), 0);
}

TEST(MissProbability, HasNoValueWithoutABoundOnQueuesAndMemory) {
    auto system = read("deadline=\"20ns\"", two_kernels);
    auto bounds = bound_latency(system).pipelines[0];
    bounds.upper.reset();
    const auto found = miss_probability(system.pipelines[0], bounds, {{1, 2}, {}});
    ASSERT_TRUE(found);
    EXPECT_NE(found->refusal, "");
    system.pipelines[0].tolerated_miss_rate = "0.5";
    EXPECT_FALSE(verdict_on(system.pipelines[0], *found));
    EXPECT_FALSE(miss_probability(system.pipelines[0], bounds, {{}, {}}));
}

/// By its upper end, not by the value.
TEST(MissProbability, IsComparedByItsUpperEnd) {
    models::Pipeline pipeline;
    MissProbability found;
    found.value = models::Estimate<MissRate>{0.02};
    found.upper = models::Estimate<MissRate>{0.05};
    EXPECT_FALSE(verdict_on(pipeline, found));
    pipeline.tolerated_miss_rate = "0.05";
    EXPECT_EQ(verdict_on(pipeline, found), ToleranceVerdict::Below);
    pipeline.tolerated_miss_rate = "0.03";
    EXPECT_EQ(verdict_on(pipeline, found), ToleranceVerdict::Undecided);
}

TEST(MissProbability, AddsItsAssumptions) {
    EXPECT_EQ(sample_assumptions(read("deadline=\"20ns\"", two_kernels)).size(), 1U);
    EXPECT_EQ(sample_assumptions(read("deadline=\"20ns\" dependence=\"independent\"", two_kernels))
                  .size(),
              2U);
}

} // namespace
} // namespace warpbound::analyzer
