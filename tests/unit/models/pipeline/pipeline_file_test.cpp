/// \file
/// The file of pipelines: what is read, and what is refused with its line.

#include "models/pipeline/pipeline_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

Result<PipelineSystem> read(const std::string& text) {
    return read_pipelines({.name = "pipelines.xml", .text = text});
}

TEST(PipelineFile, TemplateIsRead) {
    const auto system = read(std::string{pipelines_template()});
    ASSERT_TRUE(system) << to_string(system.error());
    ASSERT_EQ(system.value().pipelines.size(), 1U);
    const Pipeline& camera = system.value().pipelines[0];
    ASSERT_EQ(camera.stages.size(), 5U);
    EXPECT_EQ(camera.stages[2].basis, TimeBasis::Measured);
    EXPECT_EQ(camera.stages[2].traffic[0], 200'000'000);
    EXPECT_EQ(camera.stages[1].traffic[1], 8'000'000 + 32); // Derived: sectors that it may touch.
    EXPECT_EQ(system.value().servers[*camera.stages[3].server].name, "device-to-host engine");
    EXPECT_EQ(system.value().clients[0].traffic[1]->rate, 40'000'000'000);
}

/// Operations of a stream run in its order, also where `after` does not say so.
TEST(PipelineFile, OperationsOfAStreamFollowEachOther) {
    const std::string stages =
        "<kernel name=\"a\" partition=\"all\" at-most=\"1ns\"/>"
        "<kernel name=\"b\" partition=\"all\" at-most=\"1ns\"/>"
        "<kernel name=\"c\" partition=\"all\" at-most=\"1ns\" stream=\"own\"/>";
    const std::string head = "<pipelines><device copy-engines=\"2\"><partition name=\"all\" "
                             "multiprocessors=\"1\"/></device>";
    const auto system =
        read(head + "<pipeline name=\"p\" period=\"1s\">" + stages + "</pipeline></pipelines>");
    ASSERT_TRUE(system) << to_string(system.error());
    EXPECT_EQ(system.value().pipelines[0].stages[1].after, std::vector<std::size_t>{0});
    EXPECT_TRUE(system.value().pipelines[0].stages[2].after.empty());
    const auto refused = read(head + "<pipeline name=\"p\" period=\"1s\" jobs=\"overlap\">\n" +
                              stages + "</pipeline></pipelines>");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().line, 2);
    EXPECT_NE(refused.error().what.find("stream 'p' holds 'a'"), std::string::npos);
}

} // namespace
} // namespace warpbound::models
