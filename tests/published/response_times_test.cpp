/// \file
/// Response times at one server against published values.

#include "analyzer/pipeline/latency.hpp"
#include "analyzer/pipeline/response_time.hpp"
#include "assembly/support/source_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

using models::ServerOrder;

/// Davis, Burns, Bril, Lukkien, "Controller Area Network (CAN) schedulability analysis: Refuted,
/// revisited and revised", Real-Time Systems 35, 2007, section 3.2, Table 1: three messages of
/// 1 ms. The earlier analysis gave 3 ms for C; its second instance takes 3.5 ms, after the deadline
/// of 3.25 ms. `Unit:` here a microsecond.
TEST(ResponseTimes, OfCanMessagesAreTheRevisedOnes) {
    ServerLoad bus;
    bus.order = ServerOrder::Priority;
    bus.operations = {{1000, 2500, 0, 0, 1}, {1000, 3500, 0, 0, 2}, {1000, 3500, 0, 0, 3}};
    const ResponseTimes times = response_times(bus);
    ASSERT_EQ(times.bounds.size(), 3U) << times.refusal;
    EXPECT_EQ(times.bounds[0].from_arrival, 2000);
    EXPECT_EQ(times.bounds[1].from_arrival, 3000);
    EXPECT_EQ(times.bounds[2].from_arrival, 3500);
    // The busy period of C holds two instances, which wait for 2 and, from its begin, 6 ms.
    EXPECT_EQ(times.bounds[2].busy_period, 7000);
    EXPECT_EQ(times.bounds[2].starts, (std::vector<std::int64_t>{2000, 6000}));
}

/// The same messages as pipelines, as `pipeline` bounds them: kernels without a preemption.
TEST(ResponseTimes, OfCanMessagesAreThoseOfPipelines) {
    models::PipelineSystem bus;
    bus.servers = {{"bus", ServerOrder::Priority, 1}};
    bus.memory.is_excluded = true;
    const std::array<std::int64_t, 3> distances{2500, 3500, 3500};
    for (std::size_t i = 0; i < distances.size(); ++i) {
        models::PipelineStage message;
        message.name = "message";
        message.kind = models::StageKind::Kernel;
        message.server = 0;
        message.priority = static_cast<std::int64_t>(i);
        message.time.emplace(models::Nanoseconds{1000}, models::Nanoseconds{1000});
        models::Pipeline pipeline;
        pipeline.name = std::to_string(i);
        pipeline.distance = models::Nanoseconds{distances.at(i)};
        pipeline.overlaps = true;
        pipeline.stages = {message};
        bus.pipelines.push_back(pipeline);
    }
    const SystemLatency latency = bound_latency(bus);
    ASSERT_EQ(latency.refusal, "");
    EXPECT_EQ(latency.pipelines[0].upper, 2000);
    EXPECT_EQ(latency.pipelines[1].upper, 3000);
    EXPECT_EQ(latency.pipelines[2].upper, 3500);
}

struct PublishedTask {
    RecurringOperation operation;
    std::int64_t in_order = 0;
    std::int64_t by_priority = 0;
};

/// Shape: [set][task].
std::vector<std::vector<PublishedTask>> published_sets() {
    const auto source =
        assembly::read_source(WARPBOUND_SOURCE_DIR "/tests/published/response_times.csv");
    EXPECT_TRUE(source);
    std::vector<std::vector<PublishedTask>> sets;
    const std::string& text = source.value().text;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data() + text.find('\n') + 1; at < end;) {
        std::array<std::int64_t, 7> row{};
        for (std::int64_t& number : row)
            at = std::from_chars(at, end, number).ptr + 1;
        if (static_cast<std::size_t>(row[0]) == sets.size()) sets.emplace_back();
        sets.back().push_back({{row[3], row[1], 0, row[2], row[4]}, row[5], row[6]});
    }
    return sets;
}

/// The analyses of response-time-analysis 0.1.1, verified in Prosa, on 1,000 random sets
/// (response_times.py).
TEST(ResponseTimes, InOrderOfArrivalAreThoseOfTheVerifiedAnalysis) {
    const auto sets = published_sets();
    ASSERT_EQ(sets.size(), 1000U);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        ServerLoad load;
        load.order = ServerOrder::Fifo;
        for (const PublishedTask& task : sets[i])
            load.operations.push_back(task.operation);
        const ResponseTimes times = response_times(load);
        ASSERT_EQ(times.bounds.size(), sets[i].size()) << times.refusal;
        std::int64_t worst = 0;
        for (const ResponseTime& bound : times.bounds)
            worst = std::max(worst, bound.from_arrival);
        EXPECT_EQ(worst, sets[i].front().in_order) << "set " << i;
    }
}

/// Time is discrete there: an operation that blocks has begun one unit earlier at least. The less
/// urgent ones are therefore given as blocking of one unit less.
TEST(ResponseTimes, UnderFixedPrioritiesAreThoseOfTheVerifiedAnalysis) {
    const auto sets = published_sets();
    ASSERT_EQ(sets.size(), 1000U);
    for (std::size_t i = 0; i < sets.size(); ++i)
        for (const PublishedTask& own : sets[i]) {
            ServerLoad load;
            load.order = ServerOrder::Priority;
            for (const PublishedTask& task : sets[i]) {
                if (task.operation.priority <= own.operation.priority)
                    load.operations.push_back(task.operation);
                else
                    load.blocking = std::max(load.blocking, task.operation.cost - 1);
            }
            const ResponseTimes times = response_times(load);
            ASSERT_FALSE(times.bounds.empty()) << times.refusal;
            EXPECT_EQ(times.bounds.back().from_arrival, own.by_priority)
                << "set " << i << ", priority " << own.operation.priority;
        }
}

} // namespace
} // namespace warpbound::analyzer
