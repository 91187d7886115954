/// \file
/// The JSON report, read back.
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification {
namespace {

using Json = nlohmann::json;

TEST(ReportJson, HasTheContentOfTheReport) {
    const Report report = sample_report();
    const std::string text = render_json(report);
    EXPECT_EQ(text.back(), '\n');
    const Json json = Json::parse(text);
    EXPECT_EQ(json["tool"], (Json{{"name", "warpbound"}, {"version", "0.1.0"}}));
    EXPECT_EQ(json["kernel"]["name"], report.kernel);
    EXPECT_EQ(json["kernel"]["digest"], report.kernel_digest);
    EXPECT_EQ(json["kernel"]["isa"], "sm_75");
    EXPECT_EQ(json["launch"], (Json{{"blocks", 1}, {"text", "1x32"}, {"threads", 32}}));
    EXPECT_EQ(json["architecture"]["name"], "turing-t4");
    EXPECT_EQ(json["policy"], "lrr");
    EXPECT_EQ(json["verdict"], "holds");
    const Json& claim = json["claims"][0];
    EXPECT_EQ(claim["quantity"], "execution-time");
    EXPECT_EQ(claim["side"], "upper");
    EXPECT_EQ(claim["value"], 1234);
    EXPECT_EQ(claim["unit"], "cycles");
    EXPECT_EQ(claim["kind"], "bound-under-assumptions");
    EXPECT_EQ(claim["assumptions"], (Json{"A1", "A2", "A3"}));
    EXPECT_EQ(claim["proof"], "z3-refutation");
    EXPECT_EQ(json["claims"][1]["limit-reached"], true);
    EXPECT_EQ(json["assumptions"][1]["status"], "unchecked");
    EXPECT_EQ(json["worst-path"][1], (Json{{"block", "0x0040"}, {"count", 16}, {"cycles", 1040}}));
    EXPECT_EQ(json["stack"][0], (Json{{"category", "issue"}, {"cycles", 54}}));
    EXPECT_EQ(json["seed"], 7);
    EXPECT_EQ(json["solver"], "Z3 4.8.12");
    EXPECT_EQ(json["versions"].size(), 2U);
    EXPECT_EQ(json["limitations"].size(), 2U);
    EXPECT_EQ(json["inputs"][0]["role"], "listing");
}

TEST(ReportJson, ObservationsAreTheFirstSeriesOfTheExecutionTime) {
    Report report = sample_report();
    observe(report, "measured-time", {3});
    std::swap(report.observations[0], report.observations[1]);
    const Json json = Json::parse(render_json(report));
    EXPECT_EQ(json["observations"]["quantity"], "execution-time");
    EXPECT_EQ(json["observations"]["count"], 8);
    EXPECT_EQ(json["observations"]["best"], 1190);
    EXPECT_EQ(json["observations"]["worst"], 1222);
    EXPECT_EQ(json["observations"]["outside-bounds"], 0);
    EXPECT_EQ(json["observation-series"].size(), 2U);
    report.observations.clear();
    EXPECT_TRUE(Json::parse(render_json(report))["observations"].is_null());
}

TEST(ReportJson, ARefusedEstimateHasNoValue) {
    const Json json = Json::parse(render_json(sample_report()));
    EXPECT_EQ(json["estimates"][0]["value"], 1205.5);
    EXPECT_EQ(json["estimates"][0]["inputs"][1]["symbol"], "L");
    EXPECT_FALSE(json["estimates"][2].contains("value"));
    EXPECT_THAT(json["estimates"][2]["refusal"].get<std::string>(),
                testing::HasSubstr("bandwidth"));
}

TEST(ReportJson, AnObservationOutsideRefutes) {
    Report report = sample_report();
    report.observations.clear();
    observe(report, "execution-time", {1235}, {77});
    const Json json = Json::parse(render_json(report));
    EXPECT_EQ(json["verdict"], "refuted");
    EXPECT_EQ(json["observations"]["first-outside-run"], 0);
    EXPECT_EQ(json["observations"]["outside-seeds"], Json::array({77}));
}

TEST(ReportJson, IsTheSameEveryTime) {
    EXPECT_EQ(render_json(sample_report()), render_json(sample_report()));
}

TEST(ReportJson, BytesThatAreNotTextAreReplaced) {
    Report report = sample_report();
    report.inputs[0].name = "a\xff\x01.sass";
    EXPECT_TRUE(Json::accept(render_json(report)));
}

} // namespace
} // namespace warpbound::certification
