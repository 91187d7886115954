#include "certification/bundle/exports.hpp"

#include "assembly/support/source_text.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/claims_json.hpp"
#include "certification/page/chart.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cctype>
#include <string_view>
#include <tuple>

namespace warpbound::certification {

namespace {

/// One comparison: observations with a bound, a bound with a requirement, or a bound's tightness.
struct Check {
    std::string id;
    std::string rule;
    std::string kernel; ///< Id; empty when the bundle does not contain the kernel.
    std::string kind;   ///< Result kind of SARIF: "pass", "fail" or "open"
    std::string message;
};

std::vector<Check> checks_of(const Json& claims) {
    std::vector<Check> checks;
    for (const auto& claim : claims.at("claims")) {
        if (claim.at("kind") != "observed") continue;
        const auto outside = claim.at("outside-bounds").get<std::int64_t>();
        checks.push_back({text(claim, "id"), "OBSERVED_OUTSIDE_BOUND", text(claim, "kernel"),
                          outside == 0 ? "pass" : "fail",
                          fmt::format("{} of {} observed times of the {} are outside the claimed "
                                      "bounds; observed {} to {} core cycles",
                                      outside, claim.at("count").get<std::int64_t>(),
                                      text(claim, "quantity"), claim.at("best").get<std::int64_t>(),
                                      claim.at("worst").get<std::int64_t>())});
    }
    for (const auto& requirement : claims.at("requirements")) {
        const std::string verdict = text(requirement, "verdict");
        std::string message =
            fmt::format("requirement {}: {} of {} at most {}: {}", text(requirement, "id"),
                        text(requirement, "quantity"), text(requirement, "kernel-name"),
                        amount(requirement, "at-most"), verdict);
        if (requirement.contains("margin"))
            message +=
                fmt::format(", margin {} against the upper bound", amount(requirement, "margin"));
        const std::string kernel = requirement.value("kernel", std::string{});
        checks.push_back({text(requirement, "id") + (kernel.empty() ? "" : "." + kernel), "BUDGET",
                          kernel,
                          verdict == "met"        ? "pass"
                          : verdict == "violated" ? "fail"
                                                  : "open",
                          message});
    }
    for (const auto& loose : claims.at("loose-bounds"))
        checks.push_back(
            {text(loose, "kernel") + "." + text(loose, "quantity"), "BOUND_TOO_LOOSE",
             text(loose, "kernel"), "fail",
             fmt::format("the upper bound {} core cycles is too far above the observed "
                         "worst {} core cycles",
                         loose.at("proved-upper-bound").get<std::int64_t>(),
                         loose.at("observed-worst").get<std::int64_t>())});
    return checks;
}

/// A file name as a relative reference (RFC 3986).
std::string uri_of(const std::string& file) {
    std::string out;
    for (const char c : file) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                              std::string_view{"-._~/"}.find(c) != std::string_view::npos;
        out += is_plain ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

/// Of a kernel of AMD: the text of its code object.
std::string listing_for_readers(const Json& claims, const std::string& kernel) {
    for (const auto& about : claims.at("kernels"))
        if (about.at("id") == kernel && text(about, "isa").starts_with("gfx"))
            return "analysis/" + kernel + "/listing.s";
    return "inputs/" + kernel + "/listing.sass";
}

/// Where the kernel's source begins, if its listing names source lines, and its listing.
Json locations_of(const Json& claims, const std::string& kernel) {
    Json locations = Json::array();
    for (const auto& about : claims.at("kernels"))
        if (about.at("id") == kernel && about.contains("source"))
            locations.push_back(
                {{"physicalLocation",
                  {{"artifactLocation", {{"uri", uri_of(text(about.at("source"), "file"))}}},
                   {"region", {{"startLine", about.at("source").at("line")}}}}}});
    locations.push_back({{"physicalLocation",
                          {{"artifactLocation", {{"uri", listing_for_readers(claims, kernel)}}}}}});
    return locations;
}

Json result_json(const Check& check, const Json& claims) {
    Json result{{"ruleId", check.rule},
                {"kind", check.kind},
                {"level", check.kind == "fail" ? "error" : "none"},
                {"message", {{"text", check.message}}},
                {"partialFingerprints", {{"warpboundId/v1", check.id}}}};
    if (!check.kernel.empty()) result["locations"] = locations_of(claims, check.kernel);
    return result;
}

} // namespace

std::string sarif_of(const Json& claims, const std::string& tool_version) {
    const std::array<std::pair<const char*, const char*>, 4> rules{
        {{"OBSERVED_OUTSIDE_BOUND", "An observed time lies outside a claimed bound."},
         {"BUDGET", "A required time against the upper bound."},
         {"BOUND_TOO_LOOSE", "An upper bound is too far above the worst observed time."},
         {"ASSUMPTION_UNCHECKED", "A claim rests on an unchecked assumption."}}};
    Json rule_list = Json::array();
    for (const auto& [id, description] : rules)
        rule_list.push_back({{"id", id}, {"shortDescription", {{"text", description}}}});
    Json results = Json::array();
    for (const auto& check : checks_of(claims))
        results.push_back(result_json(check, claims));
    for (const auto& assumption : claims.at("assumptions"))
        if (assumption.at("status") == "unchecked")
            results.push_back(
                result_json({text(assumption, "id"), "ASSUMPTION_UNCHECKED", "", "review",
                             text(assumption, "id") + ": " + text(assumption, "text")},
                            claims));
    const Json driver{{"name", "warpbound"}, {"version", tool_version}, {"rules", rule_list}};
    const Json run{
        {"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}};
    return canonical({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}});
}

std::string junit_of(const Json& claims) {
    const auto checks = checks_of(claims);
    std::size_t failures = 0;
    std::size_t skipped = 0;
    std::string cases;
    for (const auto& check : checks) {
        cases += fmt::format("    <testcase classname=\"{}\" name=\"{} {}\"", escape(check.kernel),
                             escape(check.rule), escape(check.id));
        if (check.kind == "pass") {
            cases += "/>\n";
        } else if (check.kind == "fail") {
            ++failures;
            cases += fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                                 escape(check.message));
        } else {
            ++skipped;
            cases += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                                 escape(check.message));
        }
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"{0}\" failures=\"{1}\">\n"
        "  <testsuite name=\"warpbound\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" "
        "skipped=\"{2}\">\n{3}  </testsuite>\n</testsuites>\n",
        checks.size(), failures, skipped, cases);
}

std::string attestation_of(const Json& claims, const EvidenceFiles& files) {
    Json subjects = Json::array();
    Json configuration = Json::array();
    for (const auto& [path, file] : files) {
        const std::string digest = assembly::digest_of(file.bytes).substr(7); // after "sha256:"
        const Json resource{{"name", path}, {"digest", {{"sha256", digest}}}};
        if (file.role == "listing") subjects.push_back(resource);
        if (file.step == "inputs" && file.role != "listing") configuration.push_back(resource);
    }
    Json passed = Json::array();
    Json warned = Json::array();
    Json failed = Json::array();
    for (const auto& check : checks_of(claims))
        (check.kind == "pass"   ? passed
         : check.kind == "fail" ? failed
                                : warned)
            .push_back(check.rule + " " + check.id);
    const char* result = !failed.empty() ? "FAILED" : !warned.empty() ? "WARNED" : "PASSED";
    return canonical({{"_type", "https://in-toto.io/Statement/v1"},
                      {"subject", subjects},
                      {"predicateType", "https://in-toto.io/attestation/test-result/v0.1"},
                      {"predicate",
                       {{"result", result},
                        {"configuration", configuration},
                        {"passedTests", passed},
                        {"warnedTests", warned},
                        {"failedTests", failed}}}});
}

std::string bill_of_materials(const std::string& tool_version,
                              const std::vector<Component>& components) {
    Json list = Json::array();
    for (const auto& component : components) {
        Json json{{"type", "library"},
                  {"name", component.name},
                  {"licenses", Json::array({{{"license", {{"id", component.licence}}}}})}};
        if (!component.version.empty()) json["version"] = component.version;
        list.push_back(std::move(json));
    }
    return canonical(
        {{"bomFormat", "CycloneDX"},
         {"specVersion", "1.5"},
         {"version", 1},
         {"metadata",
          {{"component",
            {{"type", "application"}, {"name", "warpbound"}, {"version", tool_version}}},
           {"properties",
            Json::array({{{"name", "warpbound:standing"}, {"value", "claimed by the bundle"}}})}}},
         {"components", list}});
}

std::string qualification_worksheet(const std::string& tool_version) {
    const char* user = "to be completed by the user";
    return canonical(
        {{"tool", {{"name", "warpbound"}, {"version", tool_version}}},
         {"status", "draft: not qualified, prepared for qualification"},
         {"kit", "docs/qualification of this version's sources"},
         {"ISO 26262-8 clause 11",
          {{"use-case", user},
           {"tool-impact", "TI2: a wrong upper bound could hide an overrun"},
           {"tool-error-detection",
            "TD3 unless the user's process detects a wrong bound by other means, such as run-time "
            "monitoring"},
           {"tool-confidence-level", "TCL3 from TI2 and TD3; plan for it"},
           {"TI, TD and TCL as determined", user},
           {"methods chosen", user}}},
         {"DO-330",
          {{"criteria",
            "3: could fail to detect an error; 2 where its result also replaces other activities"},
           {"tool-qualification-level", "TQL-5 for criteria 3; for criteria 2 by software level"},
           {"criteria and level as determined", user},
           {"verification in the operational environment", user}}},
         {"IEC 61508-3",
          {{"class", "T2: may fail to reveal a defect, cannot create one"},
           {"reliance and failure mechanisms as assessed (7.4.4.5)", user}}}});
}

} // namespace warpbound::certification
