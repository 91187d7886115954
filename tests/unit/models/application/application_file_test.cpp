/// \file
/// The file of an application and its plan: what is read, and what is refused with its line.

#include "models/application/application_file.hpp"
#include "tests/support/application_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::models::application {
namespace {

const std::string machine = "<host name=\"pc\" cores=\"2\"/>\n"
                            "<link name=\"bus\" connects=\"device\" start=\"1us\" "
                            "bandwidth=\"1GB/s\"/>\n"
                            "<device name=\"gpu\" host=\"pc\" count=\"2\" link=\"bus\"/>\n";

TEST(ApplicationFile, TemplateIsReadAndPlanned) {
    const auto read = read_application({.name = "t", .text = std::string{application_template()}});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read.value().parameters.size(), 3U);
    EXPECT_EQ(read.value().processes[0].steps.size(), 6U);
    const auto plan = plan_of(read.value());
    ASSERT_TRUE(plan) << to_string(plan.error());
    // Two nodes: 10 iterations of a launch and a computation, two copies, the last kernel, a
    // message and a computation of the reduction; rank 0 sends in each iteration.
    EXPECT_EQ(plan.value().operations.size(), 2U * (2 * 10 + 2 + 1 + 2) + 10);
    EXPECT_EQ(plan.value().ranks[1].name, "solver 1");
}

TEST(ApplicationPlan, GivesRanksDevicesInTurn) {
    const auto plan =
        tests::plan_of_text(machine + "<kernel name=\"k\" time=\"1us\"/>"
                                      "<process name=\"p\" host=\"pc\" ranks=\"3\" device=\"gpu\">"
                                      "<launch kernel=\"k\"/></process>");
    ASSERT_EQ(plan.operations.size(), 3U);
    EXPECT_EQ(plan.servers[plan.operations[0].server].name, "gpu 0");
    EXPECT_EQ(plan.servers[plan.operations[1].server].name, "gpu 1");
    EXPECT_EQ(plan.servers[plan.operations[2].server].name, "gpu 0");
}

TEST(ApplicationPlan, DistributesRanksEvenlyOverHosts) {
    const auto plan = tests::plan_of_text(
        "<host name=\"node\" cores=\"1\" count=\"2\"/>"
        "<process name=\"p\" host=\"node\" ranks=\"4\"><compute time=\"1us\"/></process>");
    EXPECT_EQ(plan.operations[0].server, plan.operations[1].server);
    EXPECT_NE(plan.operations[1].server, plan.operations[2].server);
    EXPECT_EQ(plan.servers[plan.operations[3].server].name, "cores of node 1");
}

/// A copy of 1 MB at 1 GB/s takes 1 ms, and 1 us to start.
TEST(ApplicationPlan, ComputesTimesOfTransfers) {
    const auto plan = tests::plan_of_text(
        machine + "<process name=\"p\" host=\"pc\" device=\"gpu\">"
                  "<copy direction=\"host-to-device\" bytes=\"1MB\"/></process>");
    EXPECT_EQ(plan.times[plan.operations[0].time].time->typical, Nanoseconds{1'001'000});
}

TEST(ApplicationPlan, UnrollsLoopsWithTheirVariable) {
    const auto plan =
        tests::plan_of_text("<parameter name=\"n\" value=\"4\"/><host name=\"pc\" cores=\"1\"/>"
                            "<process name=\"p\" host=\"pc\"><loop count=\"n\" variable=\"i\">"
                            "<compute time=\"i*1us\" when=\"i > 1\"/></loop></process>");
    ASSERT_EQ(plan.operations.size(), 2U); // i = 2 and 3
    EXPECT_EQ(plan.times[plan.operations[1].time].time->hi, Nanoseconds{3000});
}

TEST(ApplicationPlan, KeepsEqualTimesOnce) {
    const auto plan = tests::plan_of_text(
        "<host name=\"pc\" cores=\"1\"/><process name=\"p\" host=\"pc\" ranks=\"5\">"
        "<loop count=\"7\"><compute time=\"1us\"/></loop></process>");
    EXPECT_EQ(plan.operations.size(), 35U);
    EXPECT_EQ(plan.times.size(), 1U);
}

struct Mistake {
    std::string elements;
    std::int64_t line;
    std::string says;
};
TEST(ApplicationFile, RefusesMistakesWithTheirLine) {
    const std::string process = "<process name=\"p\" host=\"pc\" device=\"gpu\">\n";
    const std::string net = "<host name=\"h\" cores=\"1\" count=\"2\"/>\n<link name=\"net\" "
                            "connects=\"cluster\" bandwidth=\"1GB/s\"/>\n"
                            "<process name=\"p\" host=\"h\" ranks=\"2\">\n";
    const std::vector<Mistake> mistakes{
        {"<host name=\"pc\" cores=\"1\"/>", 1, "without a <process>"},
        {machine + "<process name=\"p\" host=\"pcc\">\n<compute time=\"1us\"/></process>", 5,
         "'host' is \"pcc\"; expected pc"},
        {machine + process + "<compute time=\"m*1us\"/></process>", 6,
         "there is no 'm' here; expected rank or ranks"},
        {machine + process + "<compute time=\"1\"/></process>", 6, "the unit is missing"},
        {machine + process + "<launch kernel=\"k\"/></process>", 6,
         "expected one that is declared before"},
        {machine + "<process name=\"p\" host=\"pc\">\n<copy direction=\"host-to-device\" "
                   "bytes=\"1B\"/></process>",
         6, "process 'p' has no device"},
        {machine + process + "<sleep time=\"1us\"/></process>", 6, "unknown step <sleep>"},
        {machine + process + "<send to=\"p\" bytes=\"1B\" link=\"bus\"/></process>", 6,
         "link 'bus' carries no messages"},
        {machine + "<kernel name=\"k\"/>" + process + "<launch kernel=\"k\"/></process>", 5,
         "one source of its time"},
        {machine + "<kernel name=\"k\" file=\"k.cubin\"/>", 5, "expected 'blocks' and 'threads'"},
        {machine + "<kernel name=\"k\" time=\"1us\" basis=\"bounds\"/>", 5,
         "'source' is missing: where does the bound come from?"},
        {machine + process + "<loop count=\"2\" variable=\"rank\">\n<wait/></loop></process>", 6,
         "'rank' has a value already"},
        {"<parameter name=\"rank\" value=\"1\"/>", 2, "cannot be the name of a parameter"},
        {"<device name=\"gpu\" host=\"pc\"/>", 2, "'host' is \"pc\""},
        {"<host name=\"pc\" cores=\"1\"/>\n<device name=\"gpu\" host=\"pc\"/>", 3,
         "neither 'machine' nor 'link'"},
        {net + "<reduce bytes=\"1kB\" link=\"net\"/></process>", 5, "<reduce> without 'combine'"},
        {net + "<broadcast bytes=\"1kB\" link=\"net\" combine=\"1GB/s\"/></process>", 5,
         "unknown attribute 'combine'"},
        {net + "<broadcast bytes=\"rank*1kB\" link=\"net\"/></process>", 5,
         "'rank' differs between ranks"},
        {net + "<allreduce bytes=\"1kB\" link=\"net\" combine=\"1GB/s\" "
               "algorithm=\"tree\"/></process>",
         5, "expected recursive-doubling or ring"},
        {net + "<barrier link=\"net\" time=\"1us\"/></process>", 5, "'time' and 'link'"}};
    for (const auto& mistake : mistakes) {
        const auto plan = tests::plan_in(mistake.elements);
        ASSERT_FALSE(plan) << mistake.says;
        EXPECT_EQ(plan.error().line, mistake.line) << to_string(plan.error());
        EXPECT_NE(plan.error().what.find(mistake.says), std::string::npos)
            << to_string(plan.error());
    }
}

TEST(ApplicationPlan, RefusesMistakesWithTheirLine) {
    const std::string hosts = "<host name=\"pc\" cores=\"1\"/>\n"
                              "<link name=\"net\" connects=\"pair\" bandwidth=\"1GB/s\"/>\n";
    const std::vector<Mistake> mistakes{
        {"<host name=\"pc\" cores=\"1.5\"/>\n<process name=\"p\" host=\"pc\"><compute "
         "time=\"1us\"/></process>",
         2, "'cores' of host pc is 1.5; expected a whole number from 1 to 4096"},
        {hosts + "<process name=\"p\" host=\"pc\" ranks=\"2\">\n<send to=\"p\" rank=\"rank+1\" "
                 "bytes=\"1B\" link=\"net\"/></process>",
         5, "ranks 'p 0' and 'p 1' are in one host"},
        {hosts +
             "<process name=\"p\" host=\"pc\">\n<receive from=\"p\" rank=\"rank+1\"/></process>",
         5, "'rank' of process p is 1; expected a whole number from 0 to 0"},
        {hosts + "<process name=\"p\" host=\"pc\">\n<loop count=\"1e6\">\n<compute "
                 "time=\"1us\"/></loop></process>",
         5, "more than 500,000 steps"},
        {hosts + "<process name=\"p\" host=\"pc\" ranks=\"2\">\n<barrier "
                 "time=\"(rank+1)*1us\"/></process>",
         5, "different times for barrier"},
        {hosts + "<process name=\"p\" host=\"pc\">\n<broadcast bytes=\"1B\" link=\"net\" "
                 "root=\"1\"/></process>",
         5, "'root' of broadcast is 1; expected a whole number from 0 to 0"},
        {"<host name=\"h\" cores=\"1\" count=\"1024\"/>\n<link name=\"net\" connects=\"cluster\" "
         "bandwidth=\"1GB/s\"/>\n<process name=\"p\" host=\"h\" ranks=\"1024\">\n<allreduce "
         "bytes=\"1MB\" link=\"net\" algorithm=\"ring\" combine=\"1GB/s\"/></process>",
         5, "more than 500,000 steps"}};
    for (const auto& mistake : mistakes) {
        const auto plan = tests::plan_in(mistake.elements);
        ASSERT_FALSE(plan) << mistake.says;
        EXPECT_EQ(plan.error().line, mistake.line) << to_string(plan.error());
        EXPECT_NE(plan.error().what.find(mistake.says), std::string::npos)
            << to_string(plan.error());
    }
}

std::optional<Nanoseconds> deadline_of(const std::string& attribute, std::string_view n,
                                       std::string& says) {
    const auto application = read_application(
        {.name = "t",
         .text = "<application " + attribute + "><parameter name=\"n\" value=\"" + std::string{n} +
                 "\"/><host name=\"h\" cores=\"1\"/><process name=\"p\" host=\"h\">"
                 "<compute time=\"1us\"/></process></application>"});
    const auto plan =
        application ? plan_of(application.value()) : Result<Plan>{application.error()};
    if (!plan) says = plan.error().what;
    return plan ? plan.value().deadline : std::nullopt;
}

TEST(ApplicationPlan, HasADeadlineByItsParameters) {
    std::string says;
    EXPECT_EQ(deadline_of("", "1", says), std::nullopt);
    EXPECT_EQ(deadline_of("deadline=\"n*2ms\"", "3", says), Nanoseconds{6'000'000});
    EXPECT_EQ(deadline_of("deadline=\"n*1ns\"", "2.75", says), Nanoseconds{2}); // Rounded down.
    EXPECT_EQ(says, "");
    for (const auto& [attribute, refusal] :
         {std::pair{"deadline=\"0ms\"", "one time above 0"},
          std::pair{"deadline=\"1ms..2ms\"", "one time above 0"},
          std::pair{"deadline=\"m*2ms\"", "there is no 'm' here"},
          std::pair{"deadline=\"5\"", "the unit is missing"},
          std::pair{"deadline=\"-5ms\"", "it is negative"}}) {
        EXPECT_EQ(deadline_of(attribute, "1", says), std::nullopt);
        EXPECT_NE(says.find(refusal), std::string::npos) << attribute << ": " << says;
    }
}

} // namespace
} // namespace warpbound::models::application
