/// \file
/// Simulated pipelines whose times are known.

#include "harness/pipeline/pipeline_simulation.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness {
namespace {

std::vector<ObservedPipeline> simulated(const std::string& order, const std::string& priorities) {
    const auto kernel = [&](const std::string& name, const std::string& priority,
                            const std::string& time) {
        return "<pipeline name=\"" + name +
               "\" period=\"100ns\"><kernel name=\"k\" partition=\"all\" " +
               (priorities.empty() ? "" : "priority=\"" + priority + "\" ") + "at-least=\"" + time +
               "\" at-most=\"" + time + "\"/></pipeline>";
    };
    const auto system = models::read_pipelines(
        {.name = "pipelines",
         .text = "<pipelines><device copy-engines=\"1\" memory-interference=\"none\"><partition "
                 "name=\"all\" multiprocessors=\"4\" order=\"" +
                 order + "\"/></device>" + kernel("a", "1", "10ns") + kernel("b", "2", "20ns") +
                 "</pipelines>"});
    EXPECT_TRUE(system) << to_string(system.error());
    std::vector<ObservedPipeline> observed;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        simulate_pipelines(system.value(), {.seed = seed, .jobs = 5, .starts_together = true},
                           observed);
    return observed;
}

TEST(PipelineSimulation, OfSimultaneousKernelsTakesEitherFirst) {
    for (const std::string order : {"fifo", "any"}) {
        const auto seen = simulated(order, "");
        EXPECT_EQ(seen[0].latency.best, 10);
        EXPECT_EQ(seen[0].latency.worst, 30);
        EXPECT_EQ(seen[1].latency.best, 20);
        EXPECT_EQ(seen[1].latency.worst, 30);
    }
}

TEST(PipelineSimulation, LetsAnUrgentKernelWaitForOneThatHasStarted) {
    const auto seen = simulated("priority", "stated");
    EXPECT_EQ(seen[0].latency.worst, 30);
    EXPECT_EQ(seen[1].latency.worst, 30);
    EXPECT_GE(seen[0].latency.count, 250);
    ASSERT_EQ(seen[0].slowest.size(), 1U);
    EXPECT_EQ(seen[0].slowest[0].start, 20);
}

TEST(PipelineSimulation, CountsEachJobInItsClassOfLatency) {
    for (const auto& seen : simulated("fifo", "")) {
        std::int64_t jobs = 0;
        for (const auto& [lower, count] : seen.latencies)
            jobs += count;
        EXPECT_EQ(jobs, seen.latency.count);
        EXPECT_EQ(seen.latencies.begin()->first, seen.latency.best);
        EXPECT_EQ(seen.latencies.rbegin()->first, seen.latency.worst);
    }
}

TEST(PipelineSimulation, ClassesOfLatenciesHaveNineDigits) {
    EXPECT_EQ(latency_class(0), 0);
    EXPECT_EQ(latency_class(511), 511); // 9 digits
    EXPECT_EQ(latency_class(513), 512); // 10 digits: the last one is left out
    EXPECT_EQ(latency_class(1'000'003), 1'000'003 / 2048 * 2048); // 20 digits
}

} // namespace
} // namespace warpbound::harness
