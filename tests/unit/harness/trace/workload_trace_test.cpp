// A run of a workload as a Chrome trace: every operation is on the track of its stream and on that
// of its engine.

#include "harness/trace/workload_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpbound::harness::trace {
namespace {

using models::HostOperation;
using models::HostOperationKind;
using nlohmann::json;
using testing::ElementsAre;

TEST(WorkloadTrace, PutsOperationsOnStreamsAndEngines) {
    const std::vector<HostOperation> operations{
        {.kind = HostOperationKind::CopyToDevice, .name = "in", .stream = 0, .bytes = 64},
        {.kind = HostOperationKind::Launch, .name = "a \"b\"", .stream = 0},
        {.kind = HostOperationKind::Launch, .name = "c"}};
    const std::vector<std::string> streams{"first"};
    const std::vector<OperationTimes> times{
        {0, 0, 0, 0, 100}, {0, 100, 150, 160, 300}, {0, 120, 300, 310, 400}};
    const auto trace = json::parse(chrome_trace_of({"w", "machine", operations, streams, times}));
    EXPECT_EQ(trace.at("otherData").at("machine"), "machine");

    std::map<std::pair<int, int>, std::vector<std::string>> slices;
    std::map<int, std::vector<std::int64_t>> in_queue; // Ends of asynchronous slices by id.
    for (const json& event : trace.at("traceEvents")) {
        const std::pair track{event.at("pid").get<int>(), event.at("tid").get<int>()};
        if (event.at("ph") == "X")
            slices[track].push_back(event.at("name").get<std::string>() + " " +
                                    std::to_string(event.at("ts").get<int>()) + "+" +
                                    std::to_string(event.at("dur").get<int>()));
        else if (event.at("ph") != "M")
            in_queue[event.at("id")].push_back(event.at("ts"));
    }
    EXPECT_THAT((slices[{1, 1}]),
                ElementsAre("in 0+100", "a \"b\": in queue 100+50", "a \"b\" 150+150"));
    EXPECT_THAT((slices[{1, 0}]), ElementsAre("c: in queue 120+180", "c 300+100"));
    EXPECT_THAT((slices[{2, 1}]), ElementsAre("in 0+100"));
    EXPECT_EQ(slices.size(), 3U) << "launches in the queue overlap: no slice of a track";
    EXPECT_THAT(in_queue[1], ElementsAre(100, 160));
    EXPECT_THAT(in_queue[2], ElementsAre(120, 310));
}

} // namespace
} // namespace warpbound::harness::trace
