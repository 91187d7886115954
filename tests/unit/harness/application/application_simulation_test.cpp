/// \file
/// Simulated applications whose times are computed by hand.

#include "harness/application/application_simulation.hpp"
#include "tests/support/application_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::harness {
namespace {

using models::application::Plan;

ApplicationTimes simulated(const Plan& plan, TimeDraw draw = TimeDraw::Typical,
                           std::uint64_t seed = 1) {
    auto times = simulate_application(plan, {.draw = draw, .seed = seed});
    EXPECT_TRUE(times) << to_string(times.error());
    return times ? std::move(times).value() : ApplicationTimes{};
}

const std::string host = "<host name=\"pc\" cores=\"2\"/>\n";
const std::string half_bus = "<link name=\"bus\" connects=\"host\" bandwidth=\"1GB/s\"/>\n";
const std::string full_bus =
    "<link name=\"bus\" connects=\"host\" duplex=\"full\" bandwidth=\"1GB/s\"/>\n";
std::string devices(int count) {
    return "<device name=\"gpu\" host=\"pc\" count=\"" + std::to_string(count) +
           "\" link=\"bus\"/>\n<kernel name=\"k\" time=\"10us\"/>\n";
}

/// Computations of 5 and 7 us before kernels of 10 us on one device: the second kernel arrives at 7
/// and waits from 7 to 15, so that it ends at 25.
TEST(ApplicationSimulation, TwoRanksShareADevice) {
    const auto plan =
        tests::plan_of_text(host + half_bus + devices(1) +
                            "<process name=\"p\" host=\"pc\" ranks=\"2\" device=\"gpu\">"
                            "<compute time=\"(5 + 2*rank)*1us\"/><launch kernel=\"k\"/></process>");
    const auto times = simulated(plan);
    EXPECT_EQ(times.makespan, 25'000);
    EXPECT_EQ(times.ranks[0].end, 15'000);
    EXPECT_EQ(times.ranks[1].queued, 8'000);
    // 5 us of the first rank, its kernel, the other kernel.
    EXPECT_EQ(times.critical_path.size(), 3U);
    EXPECT_EQ(times.served[times.critical_path[0]].rank, 0U);
}

/// Two copies of 10 kB at 1 GB/s, 10 us each, to two devices of one host.
TEST(ApplicationSimulation, CopiesContendForASharedLink) {
    const std::string process = "<process name=\"p\" host=\"pc\" ranks=\"2\" device=\"gpu\">"
                                "<copy direction=\"host-to-device\" bytes=\"10kB\"/></process>";
    EXPECT_EQ(simulated(tests::plan_of_text(host + half_bus + devices(2) + process)).makespan,
              20'000);
    const std::string own =
        "<link name=\"bus\" connects=\"device\" bandwidth=\"1GB/s\"/>\n" + devices(2);
    EXPECT_EQ(simulated(tests::plan_of_text(host + own + process)).makespan, 10'000);
}

/// One rank copies in, another one out: a full-duplex link does both at once.
TEST(ApplicationSimulation, AFullDuplexLinkServesBothDirections) {
    const std::string process = "<process name=\"in\" host=\"pc\" device=\"gpu\">"
                                "<copy direction=\"host-to-device\" bytes=\"10kB\"/></process>"
                                "<process name=\"out\" host=\"pc\" device=\"gpu\" index=\"1\">"
                                "<copy direction=\"device-to-host\" bytes=\"10kB\"/></process>";
    EXPECT_EQ(simulated(tests::plan_of_text(host + half_bus + devices(2) + process)).makespan,
              20'000);
    EXPECT_EQ(simulated(tests::plan_of_text(host + full_bus + devices(2) + process)).makespan,
              10'000);
}

/// Copy and kernel of 10 us in two streams overlap; in one stream they follow each other.
TEST(ApplicationSimulation, StreamsOverlapAndOneStreamDoesNot) {
    const auto plan_with = [](const std::string& stream) {
        return tests::plan_of_text(host + half_bus + devices(1) +
                                   "<process name=\"p\" host=\"pc\" device=\"gpu\">"
                                   "<copy direction=\"host-to-device\" bytes=\"10kB\" wait=\"no\"/>"
                                   "<launch kernel=\"k\" wait=\"no\" stream=\"" +
                                   stream + "\"/><wait/><compute time=\"1us\"/></process>");
    };
    EXPECT_EQ(simulated(plan_with("other")).makespan, 11'000);
    EXPECT_EQ(simulated(plan_with("")).makespan, 21'000);
    EXPECT_EQ(simulated(plan_with("")).ranks[0].blocked, 20'000);
}

/// Three computations of 10 us on two cores: the third one starts at 10.
TEST(ApplicationSimulation, CoresOfAHostAreLimited) {
    const auto times = simulated(tests::plan_of_text(
        host + "<process name=\"p\" host=\"pc\" ranks=\"3\"><compute time=\"10us\"/></process>"));
    EXPECT_EQ(times.makespan, 20'000);
    EXPECT_EQ(times.servers[0].busy, 30'000);
    EXPECT_EQ(times.ranks[2].queued, 10'000);
}

const std::string cluster = "<host name=\"node\" cores=\"1\" count=\"3\"/>\n"
                            "<link name=\"net\" connects=\"cluster\" start=\"1us\" "
                            "bandwidth=\"1GB/s\"/>\n"
                            "<link name=\"own\" connects=\"pair\" start=\"1us\" "
                            "bandwidth=\"1GB/s\"/>\n";

/// Messages of 9 kB, 10 us each. Ranks 1 and 2 send at 0; the link of all hosts serves one of them,
/// then the other. Between pairs of hosts they do not meet. The receiver computes for 1 us.
TEST(ApplicationSimulation, MessagesContendForANetwork) {
    const auto plan_with = [](const std::string& link) {
        return tests::plan_of_text(cluster +
                                   "<process name=\"p\" host=\"node\" ranks=\"3\">"
                                   "<send to=\"p\" bytes=\"9kB\" link=\"" +
                                   link +
                                   "\" when=\"rank > 0\"/>"
                                   "<receive from=\"p\" rank=\"1\" when=\"rank == 0\"/>"
                                   "<receive from=\"p\" rank=\"2\" when=\"rank == 0\"/>"
                                   "<compute time=\"1us\" when=\"rank == 0\"/></process>");
    };
    EXPECT_EQ(simulated(plan_with("net")).makespan, 21'000);
    EXPECT_EQ(simulated(plan_with("own")).makespan, 11'000);
    EXPECT_EQ(simulated(plan_with("own")).ranks[0].blocked, 10'000);
}

/// A long message and a short one between the same ranks arrive in the order in which they were
/// sent, so the first receive ends with the long one.
TEST(ApplicationSimulation, MessagesOfARankArriveInOrder) {
    const auto times = simulated(tests::plan_of_text(
        cluster + "<process name=\"a\" host=\"node\">"
                  "<send to=\"b\" bytes=\"99kB\" link=\"own\" wait=\"no\"/>"
                  "<send to=\"b\" bytes=\"9kB\" link=\"net\" wait=\"no\"/>"
                  "<compute time=\"3us\"/></process>"
                  "<process name=\"b\" host=\"node\" node=\"1\">"
                  "<receive from=\"a\"/><compute time=\"2us\"/><receive from=\"a\"/></process>"));
    EXPECT_EQ(times.ranks[0].end, 3'000); // It does not wait for its messages.
    // Received at 100 and, behind it on another link, at 110; the computation is hidden.
    EXPECT_EQ(times.ranks[1].end, 110'000);
    EXPECT_EQ(times.ranks[1].blocked, 108'000);
}

/// Ranks arrive at 1, 2 and 3 us; the barrier takes 4 us more.
TEST(ApplicationSimulation, ABarrierOpensBehindTheLastArrival) {
    const auto times = simulated(tests::plan_of_text(
        "<host name=\"pc\" cores=\"3\"/>"
        "<process name=\"p\" host=\"pc\" ranks=\"3\"><compute time=\"(rank+1)*1us\"/>"
        "<barrier time=\"4us\"/><compute time=\"1us\"/></process>"));
    EXPECT_EQ(times.makespan, 8'000);
    EXPECT_EQ(times.ranks[0].blocked, 6'000);
    EXPECT_EQ(times.ranks[2].blocked, 4'000);
    ASSERT_EQ(times.critical_path.size(), 3U);
    EXPECT_FALSE(times.served[times.critical_path[1]].operation.has_value());
}

TEST(ApplicationSimulation, RefusesRanksThatWaitForEver) {
    const auto stuck = [](const std::string& steps) {
        const auto plan = tests::plan_of_text(
            host + "<process name=\"p\" host=\"pc\" ranks=\"2\">\n" + steps + "</process>");
        const auto times = simulate_application(plan, {});
        EXPECT_FALSE(times);
        EXPECT_EQ(times.error().line, 4);
        return times.error().what;
    };
    EXPECT_EQ(stuck("<receive from=\"p\" rank=\"1-rank\"/>"),
              "rank 'p 0' waits for ever: for a message of 'p 1'");
    EXPECT_EQ(stuck("<barrier when=\"rank == 0\"/>"),
              "rank 'p 0' waits for ever: for other ranks at barrier 'barrier'");
}

TEST(ApplicationSimulation, TakesTheEndsOfRanges) {
    const auto plan = tests::plan_of_text(
        host + "<process name=\"p\" host=\"pc\"><compute time=\"1us..2us..4us\"/></process>");
    EXPECT_EQ(simulated(plan, TimeDraw::Lower).makespan, 1'000);
    EXPECT_EQ(simulated(plan, TimeDraw::Typical).makespan, 2'000);
    EXPECT_EQ(simulated(plan, TimeDraw::Upper).makespan, 4'000);
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const auto drawn = simulated(plan, TimeDraw::Drawn, seed).makespan;
        EXPECT_GE(drawn, 1'000);
        EXPECT_LE(drawn, 4'000);
    }
}

} // namespace
} // namespace warpbound::harness
