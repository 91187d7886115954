/// \file
/// Exports have the fields that their published formats require, and agree with the claims.

#include "assembly/support/source_text.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "tests/support/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tinyxml2.h>

#include <set>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;

const Bundle& bundle() {
    static const Bundle made = [] {
        BundleInputs inputs;
        inputs.tool_version = "1.2.3";
        inputs.components = {{"Z3", "4.8.12", "MIT"}, {"Boost", "", "BSL-1.0"}};
        inputs.kernels.push_back(tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop",
                                                       "saxpy/sm_75.flow-facts.xml", "turing-t4",
                                                       "1x32", 10));
        inputs.qualification_result = "# Qualification result\n";
        inputs.requirements =
            "<requirements><requirement id=\"R1\" kernel=\"saxpy_loop\" "
            "at-most=\"100000\"/><requirement id=\"R2\" kernel=\"saxpy_loop\" "
            "at-most=\"1\" text=\"a &lt;b&gt; &amp; c\"/>"
            "<requirement id=\"R3\" kernel=\"another\" at-most=\"9\"/></requirements>";
        return build_bundle(inputs).value();
    }();
    return made;
}

Json json(const std::string& path) {
    return Json::parse(bundle().files.at(path).bytes);
}

// SARIF 2.1.0, 3.13, 3.14, 3.18, 3.27: required properties and the rule that only "fail" has a
// level.
TEST(Exports, AsSarifHaveItsRequiredFields) {
    const Json sarif = json("results.sarif");
    EXPECT_EQ(sarif.at("version"), "2.1.0");
    ASSERT_EQ(sarif.at("runs").size(), 1U);
    const Json& run = sarif.at("runs").at(0);
    const Json& driver = run.at("tool").at("driver");
    EXPECT_EQ(driver.at("name"), "warpbound");
    std::set<std::string> rules;
    for (const auto& rule : driver.at("rules"))
        rules.insert(rule.at("id").get<std::string>());
    std::map<std::string, int> kinds;
    for (const auto& result : run.at("results")) {
        EXPECT_EQ(rules.count(result.at("ruleId").get<std::string>()), 1U);
        EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
        const auto kind = result.at("kind").get<std::string>();
        EXPECT_THAT(kind, testing::AnyOf("pass", "fail", "open", "review"));
        EXPECT_EQ(result.at("level"), kind == "fail" ? "error" : "none");
        EXPECT_TRUE(result.at("partialFingerprints").is_object());
        if (result.contains("locations")) {
            const auto uri = result.at("locations")
                                 .at(0)
                                 .at("physicalLocation")
                                 .at("artifactLocation")
                                 .at("uri");
            EXPECT_EQ(bundle().files.count(uri.get<std::string>()), 1U);
        }
        ++kinds[kind];
    }
    EXPECT_EQ(kinds["fail"], 1); // R2
    EXPECT_EQ(kinds["open"], 1); // R3
    EXPECT_EQ(kinds["pass"], 2); // R1, the observations
    EXPECT_EQ(kinds["review"], json("claims.json").at("unchecked-assumptions").get<int>());
}

TEST(Exports, AsJunitCountTheirCases) {
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.Parse(bundle().files.at("results.junit.xml").bytes.c_str()),
              tinyxml2::XML_SUCCESS);
    const auto* suites = document.FirstChildElement("testsuites");
    ASSERT_NE(suites, nullptr);
    const auto* suite = suites->FirstChildElement("testsuite");
    ASSERT_NE(suite, nullptr);
    int cases = 0;
    int failures = 0;
    int skipped = 0;
    for (const auto* test = suite->FirstChildElement("testcase"); test != nullptr;
         test = test->NextSiblingElement("testcase")) {
        ++cases;
        EXPECT_NE(test->Attribute("name"), nullptr);
        EXPECT_NE(test->Attribute("classname"), nullptr);
        if (test->FirstChildElement("failure") != nullptr) ++failures;
        if (test->FirstChildElement("skipped") != nullptr) ++skipped;
    }
    EXPECT_EQ(cases, 4);
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(skipped, 1);
    EXPECT_EQ(suite->IntAttribute("tests"), cases);
    EXPECT_EQ(suite->IntAttribute("failures"), failures);
    EXPECT_EQ(suite->IntAttribute("skipped"), skipped);
}

// in-toto Statement v1 and predicate test-result v0.1.
TEST(Exports, AsAttestationNameTheListingByItsDigest) {
    const Json statement = json("attestation.intoto.json");
    EXPECT_EQ(statement.at("_type"), "https://in-toto.io/Statement/v1");
    EXPECT_EQ(statement.at("predicateType"), "https://in-toto.io/attestation/test-result/v0.1");
    ASSERT_EQ(statement.at("subject").size(), 1U);
    EXPECT_EQ("sha256:" +
                  statement.at("subject").at(0).at("digest").at("sha256").get<std::string>(),
              json("claims.json").at("kernels").at(0).at("listing"));
    EXPECT_EQ(statement.at("predicate").at("result"), "FAILED");
    EXPECT_FALSE(statement.at("predicate").at("configuration").empty());
}

// CycloneDX 1.5: bomFormat, specVersion, version; components have type and name.
TEST(Exports, AsBillOfMaterialsListTheComponents) {
    const Json bill = json("tool/sbom.cdx.json");
    EXPECT_EQ(bill.at("bomFormat"), "CycloneDX");
    EXPECT_EQ(bill.at("specVersion"), "1.5");
    EXPECT_EQ(bill.at("version"), 1);
    EXPECT_EQ(bill.at("metadata").at("component").at("version"), "1.2.3");
    ASSERT_EQ(bill.at("components").size(), 2U);
    EXPECT_EQ(bill.at("components").at(0).at("type"), "library");
    EXPECT_EQ(bill.at("components").at(0).at("version"), "4.8.12");
    EXPECT_EQ(bill.at("components").at(0).at("licenses").at(0).at("license").at("id"), "MIT");
    EXPECT_FALSE(bill.at("components").at(1).contains("version"));
}

TEST(Exports, AsArgumentReachEveryClaimAndShowWhatIsUndeveloped) {
    const Json argument = json("argument.gsn.json");
    std::set<std::string> ids;
    std::size_t undeveloped = 0;
    for (const auto& node : argument.at("nodes")) {
        EXPECT_TRUE(ids.insert(node.at("id").get<std::string>()).second);
        if (node.contains("undeveloped")) ++undeveloped;
    }
    EXPECT_EQ(undeveloped, 3U);
    std::set<std::string> supported{"G1"};
    for (const auto& link : argument.at("links")) {
        EXPECT_EQ(ids.count(link.at("from").get<std::string>()), 1U);
        EXPECT_EQ(ids.count(link.at("to").get<std::string>()), 1U);
        supported.insert(link.at("to").get<std::string>());
    }
    EXPECT_EQ(supported, ids);
    const Json claims = json("claims.json");
    for (const auto& claim : claims.at("claims"))
        EXPECT_EQ(ids.count("Sn." + claim.at("id").get<std::string>()), 1U);
    tinyxml2::XMLDocument drawing;
    EXPECT_EQ(drawing.Parse(bundle().files.at("argument.gsn.svg").bytes.c_str()),
              tinyxml2::XML_SUCCESS);
    for (const auto& id : ids)
        EXPECT_THAT(bundle().files.at("argument.gsn.svg").bytes, HasSubstr(">" + id + " "));
}

TEST(Exports, ContainTheDocumentsOfTheTool) {
    for (const auto& [path, document] : {std::pair{"tool/known-problems.md", "known-problems.md"},
                                         {"tool/requirements.md", "requirements.md"}}) {
        const auto source = assembly::read_source(std::string{WARPBOUND_SOURCE_DIR} +
                                                  "/docs/qualification/" + document);
        ASSERT_TRUE(source);
        EXPECT_EQ(bundle().files.at(path).bytes, source.value().text);
    }
    EXPECT_EQ(bundle().files.at("inputs/qualification-result.md").bytes,
              "# Qualification result\n");
    verify::Options options;
    options.rebuild = tests::rebuild;
    options.tool_version = "1.2.3";
    EXPECT_EQ(verify::overall(verify::verify(tests::plain(bundle().files), options)),
              verify::Verdict::Violated);
}

TEST(Exports, AsWorksheetLeaveToTheUserWhatIsTheUsers) {
    const std::string sheet = bundle().files.at("tool/worksheet.json").bytes;
    EXPECT_THAT(sheet, HasSubstr("not qualified"));
    EXPECT_THAT(sheet, HasSubstr("to be completed by the user"));
}

TEST(Overview, ShowsGuaranteedObservedAndAssumedOnItsFirstScreen) {
    const std::string page = bundle().files.at("report.html").bytes;
    tinyxml2::XMLDocument document;
    // Well-formed but for its document type.
    EXPECT_EQ(document.Parse(page.substr(page.find("<html")).c_str()), tinyxml2::XML_SUCCESS);
    for (const char* part :
         {"saxpy_loop", "Turing", "violated", "1 of 3", "at most", "at least", "observed",
          "unchecked assumptions", "undecided", "a &lt;b&gt; &amp; c", "unknown"})
        EXPECT_THAT(page, HasSubstr(part));
    for (const char* section :
         {"Claims", "Assumptions", "Envelope", "Worst-case path on the assembly",
          "Where the cycles go", "Scheduler comparison", "Measurement protocol and device state",
          "Traceability", "Review and sign-off", "Glossary"})
        EXPECT_THAT(page, HasSubstr(std::string{">"} + section + "</h"));
    std::set<std::string> ids;
    for (std::size_t at = page.find(" id=\""); at != std::string::npos;
         at = page.find(" id=\"", at + 1)) {
        const std::string id = page.substr(at + 5, page.find('"', at + 5) - at - 5);
        EXPECT_TRUE(ids.insert(id).second) << id;
    }
    for (std::size_t at = page.find("href=\"#"); at != std::string::npos;
         at = page.find("href=\"#", at + 1)) {
        const std::string link = page.substr(at + 7, page.find('"', at + 7) - at - 7);
        EXPECT_EQ(ids.count(link), 1U) << link;
    }
    for (const char* never : {"WCET", "compliant", "http://", "https://", "<script ", "src="})
        EXPECT_THAT(page, testing::Not(HasSubstr(never)));
}

} // namespace
} // namespace warpbound::certification
