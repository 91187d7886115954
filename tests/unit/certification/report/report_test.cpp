/// \file
/// All renderings of one small report.
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tinyxml2.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A report with every section filled in.
Report small_report() {
    Report report;
    report.tool_version = "0.1.0";
    report.kernel = "rows<script>alert(1)</script>";
    report.kernel_digest = "sha256:00";
    report.isa = "sm_75";
    report.architecture = "turing-t4";
    report.policy = "lrr";
    report.claims = {{"C1",
                      "execution-time",
                      analyzer::Side::Upper,
                      120,
                      "cycles",
                      ClaimKind::BoundUnderAssumptions,
                      {"A1"},
                      "structural-path",
                      false,
                      {}},
                     {"C2",
                      "execution-time",
                      analyzer::Side::Lower,
                      80,
                      "cycles",
                      ClaimKind::BoundUnderAssumptions,
                      {"A1"},
                      "exact-lp",
                      true,
                      {}}};
    report.assumptions = {
        {"A1", "The listing is the code that runs.", analyzer::AssumptionStatus::Unchecked}};
    ReportEstimate estimate;
    estimate.model = "voudouris";
    estimate.variant = "best";
    estimate.quantity = "execution-time";
    estimate.value = 99.5;
    estimate.source = "V14";
    estimate.inputs = {{"CPI", "6", "cycles", "V14 Table 7"}};
    report.estimates = {estimate};
    report.worst_path = {{0, 1, 120}};
    report.assembly = {{0, "EXIT ;", 1, 120, true}};
    report.stack = {{"issue", 70}, {"completion", 50}};
    report.inputs = {{"listing", "rows.sass", "sha256:00"}};
    report.limitations = {"Clock changes are not included."};
    return report;
}

TEST(Report, CountsObservationsOutsideItsClaims) {
    Report report = small_report();
    // Inside: 80 and 120, the bounds themselves; outside: 79 and 121.
    observe(report, "execution-time", {100, 80, 121, 120, 79}, {11, 12, 13, 14, 15});
    const auto& observed = report.observations.front();
    EXPECT_EQ(observed.outside_bounds, 2);
    EXPECT_EQ(observed.first_outside_run, 2);
    EXPECT_EQ(observed.outside_seeds, (std::vector<std::uint64_t>{13, 15}));
    EXPECT_EQ(observed.best, 79);
    EXPECT_EQ(observed.worst, 121);
    EXPECT_DOUBLE_EQ(observed.mean, 100);
    EXPECT_EQ(observed.median, 100);
    EXPECT_TRUE(report.refuted());
    EXPECT_THAT(render_text(report), HasSubstr("verdict: refuted"));
}

TEST(Report, HoldsWhenEveryObservationIsInside) {
    Report report = small_report();
    observe(report, "execution-time", {80, 120}, {1, 2});
    EXPECT_FALSE(report.refuted());
    EXPECT_THAT(render_html(report), HasSubstr("Holds"));
}

TEST(ReportJson, HoldsTheSameNumbers) {
    Report report = small_report();
    observe(report, "execution-time", {90, 90, 110}, {1, 2, 3});
    const auto json = nlohmann::json::parse(render_json(report));
    EXPECT_EQ(json["tool"]["name"], "warpbound");
    EXPECT_EQ(json["kernel"]["name"], report.kernel);
    EXPECT_EQ(json["claims"][0]["value"], 120);
    EXPECT_EQ(json["claims"][0]["side"], "upper");
    EXPECT_EQ(json["claims"][0]["kind"], "bound-under-assumptions");
    EXPECT_EQ(json["claims"][1]["limit-reached"], true);
    EXPECT_EQ(json["observations"]["count"], 3);
    EXPECT_EQ(json["observations"]["outside-bounds"], 0);
    EXPECT_EQ(json["estimates"][0]["value"], 99.5);
    EXPECT_EQ(json["stack"][1]["cycles"], 50);
    EXPECT_EQ(json["verdict"], "holds");
    EXPECT_EQ(render_json(report), render_json(report));
}

TEST(ReportXml, ReadsBack) {
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.Parse(render_xml(small_report()).c_str()), tinyxml2::XML_SUCCESS);
    const auto* root = document.RootElement();
    EXPECT_STREQ(root->Name(), "timing-report");
    EXPECT_EQ(root->FirstChildElement("claims")->FirstChildElement("claim")->IntAttribute("value"),
              120);
    EXPECT_STREQ(root->FirstChildElement("kernel")->Attribute("name"),
                 "rows<script>alert(1)</script>");
}

/// Every element of a name, at any depth.
void collect(const tinyxml2::XMLElement* element, const std::string& name,
             std::vector<const tinyxml2::XMLElement*>& found) {
    for (; element != nullptr; element = element->NextSiblingElement()) {
        if (name == element->Name()) found.push_back(element);
        collect(element->FirstChildElement(), name, found);
    }
}

TEST(ReportHtml, IsWellFormedAndLoadsNothing) {
    Report report = small_report();
    observe(report, "execution-time", {90, 90, 110}, {1, 2, 3});
    const std::string page = render_html(report);
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.Parse(page.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
    EXPECT_THAT(page, Not(HasSubstr("http")));
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, HasSubstr("rows&lt;script&gt;"));
    std::vector<const tinyxml2::XMLElement*> figures;
    collect(document.RootElement(), "svg", figures);
    int drawn = 0;
    for (const auto* figure : figures) {
        if (figure->Attribute("role") == nullptr) continue; // keys of the legend
        ++drawn;
        EXPECT_NE(figure->FirstChildElement("title"), nullptr);
        EXPECT_NE(figure->FirstChildElement("desc"), nullptr);
    }
    EXPECT_EQ(drawn, 4);
    EXPECT_THAT(page, HasSubstr("execution time in cycles"));
    std::vector<const tinyxml2::XMLElement*> tables;
    collect(document.RootElement(), "table", tables);
    for (const auto* table : tables)
        EXPECT_NE(table->FirstChildElement("caption"), nullptr);
    EXPECT_GE(tables.size(), 6U);
}

TEST(ReportHtml, DrawsAnEnvelopeOfZeroWidth) {
    Report report = small_report();
    report.claims[0].value = 100;
    report.claims[1].value = 100;
    report.estimates.clear();
    observe(report, "execution-time", {100, 100}, {1, 2});
    const std::string page = render_html(report);
    EXPECT_THAT(page, HasSubstr("upper bound 100"));
    EXPECT_THAT(page, Not(HasSubstr("nan")));
    EXPECT_THAT(page, Not(HasSubstr("inf\"")));
}

TEST(Report, ShowsWhatABoundOnSeveralWarpsAddsUpFrom) {
    Report report = small_report();
    EXPECT_FALSE(report.several_warps());
    report.claims[0].terms = {{"issue slots <of a warp>", 4, 25}, {"delays", 1, 20}};
    EXPECT_TRUE(report.several_warps());
    EXPECT_NE(render_text(report).find("4 x         25  issue slots <of a warp>"),
              std::string::npos);
    const auto json = nlohmann::json::parse(render_json(report));
    EXPECT_EQ(json["claims"][0]["terms"][0]["count"], 4);
    EXPECT_EQ(json["claims"][0]["terms"][1]["cycles"], 20);
    EXPECT_FALSE(json["claims"][1].contains("terms"));
    EXPECT_NE(render_xml(report).find(
                  "<term count=\"4\" cycles=\"25\">issue slots &lt;of a warp&gt;</term>"),
              std::string::npos);
    const std::string html = render_html(report);
    EXPECT_NE(html.find("How claim C1, the upper bound, adds up"), std::string::npos);
    EXPECT_NE(html.find("issue slots &lt;of a warp&gt;"), std::string::npos);
}

analyzer::BoundExpression sum_named(const std::string& text, std::int64_t cycles,
                                    bool has_evidence) {
    analyzer::BoundExpression sum;
    sum.text = text;
    sum.terms = {{"delays", 2, cycles, "execution-time-upper-stall"}};
    sum.has_evidence = has_evidence;
    return sum;
}

TEST(Report, ShowsWhatOtherAlternativesOfABoundGave) {
    Report report = small_report();
    Claim& claim = report.claims[0];
    claim.bound = analyzer::best_of(analyzer::Side::Upper, {sum_named("explored", 45, false),
                                                            sum_named("one & all", 50, true),
                                                            sum_named("turns", 70, true)});
    claim.terms = claim.bound.parts[1].terms; // As `certify` claims.
    const std::string text = render_text(report);
    EXPECT_THAT(text, HasSubstr("the least of 3 bounds that has evidence: one & all"));
    EXPECT_THAT(text, HasSubstr("   90  explored (no certificate)"));
    EXPECT_THAT(text, HasSubstr("  140  turns\n"));
    claim.terms = claim.bound.parts[0].terms; // As `analyze` bounds.
    EXPECT_THAT(render_text(report), HasSubstr("the least of 3 bounds: explored (no certificate)"));
    const auto json = nlohmann::json::parse(render_json(report));
    const auto& tree = json["claims"][0]["bound"];
    EXPECT_EQ(tree["choice"], "least");
    EXPECT_EQ(tree["value"], 90);
    EXPECT_EQ(tree["parts"][0]["evidence"], false);
    EXPECT_EQ(tree["parts"][2]["terms"][0]["certificate"], "execution-time-upper-stall");
    EXPECT_FALSE(json["claims"][1].contains("bound"));
    EXPECT_THAT(render_xml(report), HasSubstr("<choice of=\"least\" chosen=\"explored\" "
                                              "evidence=\"false\">"));
    EXPECT_THAT(render_xml(report),
                HasSubstr("<other cycles=\"100\" evidence=\"true\">one &amp; all</other>"));
    EXPECT_THAT(render_html(report), HasSubstr("<code>execution-time-upper-stall</code>"));
    EXPECT_THAT(render_html(report), HasSubstr("one &amp; all"));
}

TEST(ReportText, NeverCallsANumberByABareName) {
    const std::string text = render_text(small_report());
    EXPECT_THAT(text, Not(HasSubstr("WCET")));
    EXPECT_THAT(text, HasSubstr("bound under assumptions, 1 unchecked"));
    EXPECT_THAT(text, HasSubstr("estimates, not bounds"));
}

} // namespace
} // namespace warpbound::certification
