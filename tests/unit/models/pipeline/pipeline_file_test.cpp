/// \file
/// The file of pipelines: what is read, and what is refused with its line.

#include "models/pipeline/pipeline_file.hpp"
#include "models/pipeline/sample_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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
    EXPECT_EQ(camera.stages[1].traffic[1],
              2 * (8'000'000 + 128)); // Derived: lines, each filled and evicting one.
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

/// A pipeline of one kernel with what is between its tags.
Result<PipelineSystem> with_samples(const std::string& pipeline, const std::string& samples) {
    return read("<pipelines><device copy-engines=\"2\"><partition name=\"all\" "
                "multiprocessors=\"1\"/></device>\n<pipeline name=\"p\" period=\"1s\" " +
                pipeline + "><kernel name=\"k\" partition=\"all\" at-most=\"1ms\">\n" + samples +
                "</kernel></pipeline></pipelines>");
}

TEST(PipelineFile, SamplesAreReadFromAFileOrACampaign) {
    const auto file = with_samples("deadline=\"1s\" dependence=\"comonotone\"",
                                   "<samples file=\"k.csv\" unit=\"us\"/>");
    ASSERT_TRUE(file) << to_string(file.error());
    EXPECT_EQ(file.value().pipelines[0].dependence, Dependence::Comonotone);
    EXPECT_EQ(file.value().pipelines[0].stages[0].samples->unit, "us");
    const auto campaign =
        with_samples("deadline=\"1s\"", "<samples campaign=\"k.db\" series=\"saxpy\"/>");
    ASSERT_TRUE(campaign) << to_string(campaign.error());
    EXPECT_EQ(campaign.value().pipelines[0].dependence, Dependence::Unknown);
    EXPECT_EQ(campaign.value().pipelines[0].stages[0].samples->series, "saxpy");
    EXPECT_EQ(campaign.value().pipelines[0].stages[0].samples->line, 3);
}

TEST(PipelineFile, SamplesThatCannotBeUsedAreRefusedAtTheirLine) {
    const struct {
        std::string pipeline;
        std::string samples;
        std::int64_t line;
        std::string what;
    } rows[] = {
        {"deadline=\"1s\"", "<samples file=\"k.csv\"/>", 3, "unit"},
        {"deadline=\"1s\"", "<samples file=\"k.csv\" unit=\"min\"/>", 3, "'unit' is \"min\""},
        {"deadline=\"1s\"", "<samples unit=\"us\"/>", 3, "either a 'file'"},
        {"deadline=\"1s\"", "<samples file=\"k\" campaign=\"d\"/>", 3, "either a 'file'"},
        {"deadline=\"1s\"", "<samples campaign=\"k.db\"/>", 3, "series"},
        {"deadline=\"1s\"", "<samples file=\"a\" unit=\"us\"/>\n<samples file=\"a\" unit=\"us\"/>",
         4, "a second <samples>"},
        {"deadline=\"1s\"", "<sample file=\"a\"/>", 3, "expected <samples>"},
        {"", "<samples file=\"k.csv\" unit=\"us\"/>", 2, "it is missing"},
        {"deadline=\"1s\" dependence=\"independent\"", "", 2, "no stage has <samples>"},
        {"deadline=\"1s\" dependence=\"none\"", "<samples file=\"k.csv\" unit=\"us\"/>", 2,
         "'dependence' is \"none\""},
    };
    for (const auto& row : rows) {
        const auto refused = with_samples(row.pipeline, row.samples);
        ASSERT_FALSE(refused) << row.samples;
        EXPECT_EQ(refused.error().line, row.line) << to_string(refused.error());
        EXPECT_NE(refused.error().what.find(row.what), std::string::npos)
            << to_string(refused.error());
    }
}

TEST(SampleFile, HasATimeALine) {
    const auto read =
        read_sample_file({.name = "k.csv", .text = "time\n# one day\n1.5\r\n\n 20 \n"}, "us");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read.value(), (std::vector{Nanoseconds{1500}, Nanoseconds{20'000}}));
}

TEST(SampleFile, RefusesWhatIsNoTimeAtItsLine) {
    const struct {
        std::string text;
        std::int64_t line;
    } rows[] = {{"", 1},          {"time\n", 1},
                {"1\nx\n", 2},    {"1\n-2\n", 2},
                {"time\na\n", 2}, {"1.0001\n", 1},
                {"1,2\n", 1},     {"1ms\n", 1},
                {"-1\n", 1},      {"99999999999999999999\n", 1}};
    for (const auto& row : rows) {
        const auto read = read_sample_file({.name = "k.csv", .text = row.text}, "us");
        ASSERT_FALSE(read) << row.text;
        EXPECT_EQ(read.error().line, row.line) << row.text;
    }
}

} // namespace
} // namespace warpbound::models
