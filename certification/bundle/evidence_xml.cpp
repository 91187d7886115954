/// \file
/// A bundle as XML; `schema/timing-evidence.xsd` describes it.
#include "certification/bundle/claims_json.hpp"
#include "certification/bundle/evidence_report.hpp"
#include "certification/report/report_xml.hpp"

#include <nlohmann/json.hpp>

namespace warpbound::certification {

namespace {

using tinyxml2::XMLElement;
using xml::add;
using xml::add_text;

void add_requirements(XMLElement* root, const Json& claims) {
    XMLElement* all = add(root, "requirements", {});
    for (const auto& requirement : claims.at("requirements")) {
        XMLElement* one = add(all, "requirement",
                              {{"id", text(requirement, "id")},
                               {"kernel-name", text(requirement, "kernel-name")},
                               {"quantity", text(requirement, "quantity")},
                               {"at-most", number(requirement, "at-most")},
                               {"unit", text(requirement, "unit")},
                               {"verdict", text(requirement, "verdict")}});
        if (requirement.contains("clock"))
            one->SetAttribute("clock", text(requirement, "clock").c_str());
        if (requirement.contains("kernel"))
            one->SetAttribute("kernel", text(requirement, "kernel").c_str());
        if (requirement.contains("margin")) {
            one->SetAttribute("upper-bound", number(requirement, "proved-upper-bound").c_str());
            one->SetAttribute("margin", number(requirement, "margin").c_str());
        }
        one->SetText(printable(text(requirement, "text")).c_str());
    }
}

void add_register(XMLElement* root, const Json& claims) {
    XMLElement* all =
        add(root, "assumption-register", {{"unchecked", number(claims, "unchecked-assumptions")}});
    for (const auto& assumption : claims.at("assumptions")) {
        XMLElement* one = add(all, "registered",
                              {{"id", text(assumption, "id")},
                               {"status", text(assumption, "status")},
                               {"about", text(assumption, "about")},
                               {"how", text(assumption, "how")}});
        add_text(one, "text", text(assumption, "text"));
        for (const auto& claim : assumption.at("claims"))
            add(one, "claim", {{"id", claim.get<std::string>()}});
    }
}

void add_traceability(XMLElement* root, const Json& claims) {
    XMLElement* all = add(root, "traceability", {});
    for (const auto& claim : claims.at("claims")) {
        XMLElement* one =
            add(all, "trace", {{"kernel", text(claim, "kernel")}, {"claim", text(claim, "id")}});
        for (const auto& requirement : requirements_on(claims, claim))
            add(one, "asked-by", {{"requirement", requirement}});
        for (const auto& evidence : claim.at("evidence"))
            add(one, "evidence",
                {{"path", text(evidence, "path")}, {"sha256", text(evidence, "sha256")}});
    }
}

void add_measurements(XMLElement* root, const std::vector<KernelEvidence>& kernels,
                      const BundleInputs& inputs) {
    XMLElement* all = add(root, "measurements", {});
    for (std::size_t i = 0; i < kernels.size(); ++i)
        for (const auto& series : inputs.kernels[i].series)
            add(all, "series",
                {{"kernel", kernels[i].id},
                 {"quantity", series.key.quantity},
                 {"device", series.key.device},
                 {"state", series.key.device_detail},
                 {"protocol", series.key.protocol},
                 {"runs", std::to_string(series.samples.size())}});
}

void add_policies(XMLElement* root, const KernelEvidence& kernel) {
    XMLElement* all = add(root, "policies", {});
    for (const auto& one : kernel.policies) {
        XMLElement* policy = add(all, "policy",
                                 {{"name", one.policy},
                                  {"guarantee", one.guarantee},
                                  {"own", one.is_own ? "true" : "false"}});
        if (one.bounds)
            add(policy, "bounds",
                {{"lower", std::to_string(one.bounds->lower().count())},
                 {"upper", std::to_string(one.bounds->upper().count())},
                 {"unit", "core cycles"},
                 {"unchecked-assumptions", std::to_string(one.unchecked_assumptions)}});
        else
            add(policy, "refusal", {{"reason", one.refusal}});
    }
}

void add_traced_facts(XMLElement* root, const KernelEvidence& kernel) {
    XMLElement* all = add(root, "traced-facts", {});
    for (std::size_t trace = 0; trace < kernel.traced_facts.size(); ++trace)
        for (const auto& check : kernel.traced_facts[trace])
            add(all, "not-refuted",
                {{"trace", trace_path(kernel.id, trace)},
                 {"fact", check.fact},
                 {"cases", std::to_string(check.cases)},
                 {"open", std::to_string(check.open)}});
}

} // namespace

std::string evidence_xml(const Json& claims, const std::vector<KernelEvidence>& kernels,
                         const BundleInputs& inputs) {
    tinyxml2::XMLDocument document;
    document.InsertEndChild(document.NewDeclaration());
    XMLElement* root = document.NewElement("timing-evidence");
    document.InsertEndChild(root);
    root->SetAttribute("verdict", text(claims, "verdict").c_str());
    root->SetAttribute("tool-version", inputs.tool_version.c_str());
    root->SetAttribute("tool-standing", "claimed");
    add_requirements(root, claims);
    add_register(root, claims);
    for (const auto& kernel : kernels) {
        XMLElement* one = add(root, "kernel-evidence", {{"id", kernel.id}});
        fill_report(one->InsertNewChildElement("timing-report"), kernel.report);
        add_policies(one, kernel);
        add_traced_facts(one, kernel);
    }
    add_measurements(root, kernels, inputs);
    add_traceability(root, claims);
    XMLElement* limits = add(root, "limitations", {});
    for (const auto& limit : claims.at("limitations"))
        add_text(limits, "limitation", limit.get<std::string>());
    tinyxml2::XMLPrinter printer;
    document.Print(&printer);
    return printer.CStr();
}

} // namespace warpbound::certification
