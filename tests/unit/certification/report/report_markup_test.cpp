/// \file
/// The XML and the HTML report, read back as XML.
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <functional>
#include <set>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using testing::Not;
using tinyxml2::XMLElement;

void visit(const XMLElement* element, const std::function<void(const XMLElement&)>& action) {
    for (; element != nullptr; element = element->NextSiblingElement()) {
        action(*element);
        visit(element->FirstChildElement(), action);
    }
}

void parse(tinyxml2::XMLDocument& document, const std::string& text) {
    ASSERT_EQ(document.Parse(text.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
}

/// Reports that are hard to draw.
std::vector<Report> unusual_reports() {
    std::vector<Report> out{sample_report(), sample_report(), sample_report(), Report{}};
    out[1].observations.clear(); // Bounds only.
    out[2].observations.clear();
    out[2].estimates.clear();
    for (auto& claim : out[2].claims)
        claim.value = 1200; // One value is all there is.
    observe(out[2], "execution-time", {1200, 1200});
    out.push_back(sample_report());
    out.back().claims.clear(); // Observations only, with a large gap.
    observe(out.back(), "execution-time", {1, 4'000'000'000'000'000});
    return out;
}

TEST(ReportXml, HasTheContentOfTheReport) {
    tinyxml2::XMLDocument document;
    parse(document, render_xml(sample_report()));
    const XMLElement* root = document.RootElement();
    ASSERT_STREQ(root->Name(), "timing-report");
    EXPECT_STREQ(root->Attribute("verdict"), "holds");
    const XMLElement* claim = root->FirstChildElement("claims")->FirstChildElement("claim");
    EXPECT_EQ(claim->IntAttribute("value"), 1234);
    EXPECT_STREQ(claim->Attribute("kind"), "bound-under-assumptions");
    EXPECT_STREQ(claim->FirstChildElement("rests-on")->Attribute("assumption"), "A1");
    const XMLElement* seen = root->FirstChildElement("observations")->FirstChildElement("observed");
    EXPECT_EQ(seen->IntAttribute("worst"), 1222);
    const XMLElement* estimates = root->FirstChildElement("estimates");
    EXPECT_EQ(estimates->FirstChildElement("estimate")->DoubleAttribute("value"), 1205.5);
    EXPECT_EQ(estimates->LastChildElement("estimate")->Attribute("value"), nullptr);
    EXPECT_STREQ(root->FirstChildElement("tool")->Attribute("solver"), "Z3 4.8.12");
}

TEST(ReportXml, IsWellFormedWhateverTheNames) {
    Report report = sample_report();
    report.kernel = "a<b>&\"'\x01\xff";
    report.assumptions[0].text = "x < y\x1b";
    tinyxml2::XMLDocument document;
    const std::string text = render_xml(report);
    parse(document, text);
    EXPECT_STREQ(document.RootElement()->FirstChildElement("kernel")->Attribute("name"),
                 "a<b>&\"'??");
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ReportHtml, IsWellFormedForEveryReport) {
    for (const auto& report : unusual_reports()) {
        tinyxml2::XMLDocument document;
        const std::string page = render_html(report);
        parse(document, page);
        EXPECT_THAT(page, Not(HasSubstr("nan")));
        EXPECT_THAT(page, Not(HasSubstr("=\"inf")));
    }
}

TEST(ReportHtml, HasEverySectionInOrder) {
    const std::string page = render_html(sample_report());
    std::size_t at = 0;
    for (const char* id : {"read", "envelope", "formulas", "assembly", "stack", "claims",
                           "assumptions", "observed", "inputs", "glossary"}) {
        const std::size_t found = page.find("<h2 id=\"" + std::string{id} + "\"");
        ASSERT_NE(found, std::string::npos) << id;
        EXPECT_GT(found, at) << id;
        at = found;
    }
}

TEST(ReportHtml, EveryFigureHasTitleAxisLabelAndTable) {
    for (const auto& report : unusual_reports()) {
        tinyxml2::XMLDocument document;
        parse(document, render_html(report));
        visit(document.RootElement(), [](const XMLElement& element) {
            if (std::string{element.Name()} != "figure") return;
            int titles = 0;
            int labels = 0;
            visit(element.FirstChildElement(), [&](const XMLElement& part) {
                const char* style = part.Attribute("class");
                const bool in_drawing = std::string{part.Parent()->ToElement()->Name()} == "svg";
                if (in_drawing && std::string{part.Name()} == "title") ++titles;
                if (style != nullptr && std::string{style} == "tick axis-label") ++labels;
            });
            EXPECT_EQ(titles, 2); // For a wide and a narrow window.
            EXPECT_EQ(labels, 2);
            int tables = 0;
            const XMLElement* next = element.NextSiblingElement();
            ASSERT_NE(next, nullptr);
            visit(next->FirstChildElement(), [&](const XMLElement& part) {
                if (std::string{part.Name()} == "table") ++tables;
            });
            EXPECT_GE(tables, 1);
        });
    }
}

TEST(ReportHtml, LinksWithinThePageLeadSomewhereAndIdsAreUnique) {
    tinyxml2::XMLDocument document;
    parse(document, render_html(sample_report()));
    std::multiset<std::string> ids;
    std::vector<std::string> links;
    visit(document.RootElement(), [&](const XMLElement& element) {
        if (const char* id = element.Attribute("id")) ids.insert(id);
        if (const char* link = element.Attribute("href")) links.emplace_back(link);
    });
    ASSERT_FALSE(links.empty());
    for (const auto& link : links)
        EXPECT_EQ(ids.count(link.substr(1)), 1U) << link;
    for (const auto& id : ids)
        EXPECT_EQ(ids.count(id), 1U) << id;
}

TEST(ReportHtml, LoadsNothingAndRunsNothing) {
    Report report = sample_report();
    report.kernel = "<script>alert(1)</script>";
    const std::string page = render_html(report);
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
    for (const char* word : {"http://", "https://", "url(", "@import", "src=", "<link", "<img"})
        EXPECT_THAT(page, Not(HasSubstr(word)));
}

TEST(ReportHtml, EscapesEveryText) {
    const std::string bad = "<i x=\"1\">&'";
    Report report = sample_report();
    report.kernel = report.isa = report.policy = report.solver = report.tool_version = bad;
    report.architecture = report.architecture_title = bad;
    report.kernel_digest = report.architecture_digest = bad;
    report.inputs = {{bad, bad, bad}};
    report.versions = report.limitations = {bad};
    for (auto& claim : report.claims)
        claim.id = claim.proof = claim.unit = claim.assumptions.front() = bad;
    for (auto& assumption : report.assumptions)
        assumption.id = assumption.text = bad;
    for (auto& estimate : report.estimates) {
        estimate.model = estimate.variant = estimate.unit = estimate.source = bad;
        for (auto& input : estimate.inputs)
            input = {bad, bad, bad, bad};
    }
    report.estimates.back().refusal = bad;
    report.observations[0].device = report.observations[0].protocol = bad;
    report.assembly[0].text = report.stack[0].first = bad;
    EXPECT_THAT(render_html(report), Not(HasSubstr("<i x")));
    EXPECT_THAT(render_xml(report), Not(HasSubstr("<i x")));
}

TEST(ReportMarkup, IsTheSameEveryTime) {
    EXPECT_EQ(render_html(sample_report()), render_html(sample_report()));
    EXPECT_EQ(render_xml(sample_report()), render_xml(sample_report()));
}

} // namespace
} // namespace warpbound::certification
