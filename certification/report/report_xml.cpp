/// \file
/// The report as XML; `schema/timing-report.xsd` describes it.
#include "certification/report/report_xml.hpp"

#include "certification/report/bound_choices.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

using tinyxml2::XMLElement;
using xml::add;
using xml::add_text;

/// A choice that led to the terms, and the parts that were not chosen.
void add_choice(XMLElement* claim, const BoundChoice& choice) {
    XMLElement* element = add(claim, "choice",
                              {{"of", choice.is_least ? "least" : "largest"},
                               {"chosen", printable(choice.chosen.text)},
                               {"evidence", choice.chosen.has_evidence ? "true" : "false"}});
    for (const auto& other : choice.others)
        add(element, "other",
            {{"cycles", std::to_string(other.cycles)},
             {"evidence", other.has_evidence ? "true" : "false"}})
            ->SetText(printable(other.text).c_str());
}

void add_claims(XMLElement* root, const Report& report) {
    XMLElement* claims = add(root, "claims", {});
    for (const auto& claim : report.claims) {
        XMLElement* element = add(claims, "claim",
                                  {{"id", claim.id},
                                   {"quantity", claim.quantity},
                                   {"side", std::string{side_name(claim.side)}},
                                   {"value", std::to_string(claim.value)},
                                   {"unit", claim.unit},
                                   {"kind", std::string{to_string(claim.kind)}},
                                   {"proof", claim.proof},
                                   {"limit-reached", claim.limit_reached ? "true" : "false"}});
        if (const auto time = report.time_of(claim))
            element->SetAttribute("time-ns", time->count());
        for (const auto& id : claim.assumptions)
            add(element, "rests-on", {{"assumption", id}});
        for (const auto& term : claim.terms) {
            XMLElement* row = add(
                element, "term",
                {{"count", std::to_string(term.count)}, {"cycles", std::to_string(term.cycles)}});
            if (!term.certificate.empty())
                row->SetAttribute("certificate", term.certificate.c_str());
            row->SetText(printable(term.text).c_str());
        }
        for (const auto& choice : choices_of(claim))
            add_choice(element, choice);
    }
    XMLElement* assumptions =
        add(root, "assumptions", {{"unchecked", std::to_string(report.unchecked_assumptions())}});
    for (const auto& assumption : report.assumptions)
        add(assumptions, "assumption",
            {{"id", assumption.id},
             {"status", std::string{analyzer::to_string(assumption.status)}},
             {"about", std::string{analyzer::to_string(assumption.subject)}}})
            ->SetText(printable(assumption.text).c_str());
}

/// The clock of times in seconds, the deadline and the values that assumptions are about.
void add_time(XMLElement* root, const Report& report) {
    if (report.clock)
        add(root, "clock",
            {{"lowest-hz", std::to_string(report.clock->range.lo)},
             {"highest-hz", std::to_string(report.clock->range.hi)},
             {"source", report.clock->source},
             {"assumption", report.clock_assumption}});
    if (report.deadline) {
        const auto range = report.clock ? std::optional{report.clock->range} : std::nullopt;
        const models::Cycles upper{report.claim("execution-time", analyzer::Side::Upper)->value};
        add(root, "deadline",
            {{"quantity", "execution-time"},
             {"limit", std::to_string(std::visit([](auto limit) { return limit.count(); },
                                                 report.deadline->limit))},
             {"unit", report.deadline->is_time() ? "ns" : "cycles"},
             {"margin", std::to_string(models::margin_of(upper, *report.deadline, range))},
             {"verdict", std::string{models::to_string(*report.deadline_verdict())}}});
    }
    XMLElement* values = add(root, "machine-values", {});
    for (const auto& value : report.machine_values)
        add(values, "value",
            {{"path", value.path},
             {"range", value.value},
             {"grade", value.grade},
             {"source", value.source}});
}

void add_observed(XMLElement* root, const Report& report) {
    XMLElement* all = add(root, "observations", {});
    for (const auto& times : report.observations) {
        XMLElement* element = add(all, "observed",
                                  {{"quantity", times.quantity},
                                   {"kind", "observed"},
                                   {"device", times.device},
                                   {"protocol", times.protocol},
                                   {"count", std::to_string(times.count)},
                                   {"best", std::to_string(times.best)},
                                   {"mean", fmt::format("{:.6f}", times.mean)},
                                   {"median", std::to_string(times.median)},
                                   {"p90", std::to_string(times.p90)},
                                   {"p99", std::to_string(times.p99)},
                                   {"worst", std::to_string(times.worst)},
                                   {"unit", "cycles"},
                                   {"distinct", std::to_string(times.distinct)},
                                   {"modes", std::to_string(times.modes)},
                                   {"outside-bounds", std::to_string(times.outside_bounds)}});
        if (times.first_outside_run)
            element->SetAttribute("first-outside-run", *times.first_outside_run);
        for (const auto seed : times.outside_seeds)
            add(element, "outside", {{"seed", std::to_string(seed)}});
        for (const auto& [value, count] : times.values)
            add(element, "time",
                {{"cycles", std::to_string(value)}, {"count", std::to_string(count)}});
    }
}

void add_estimates(XMLElement* root, const Report& report) {
    XMLElement* all = add(root, "estimates", {});
    for (const auto& estimate : report.estimates) {
        XMLElement* element = add(all, "estimate",
                                  {{"model", estimate.model},
                                   {"variant", estimate.variant},
                                   {"quantity", estimate.quantity},
                                   {"kind", "estimate"},
                                   {"source", estimate.source}});
        if (estimate.refusal.empty()) {
            element->SetAttribute("value", fmt::format("{:.6f}", estimate.value).c_str());
            element->SetAttribute("unit", printable(estimate.unit).c_str());
        } else {
            element->SetAttribute("refusal", printable(estimate.refusal).c_str());
        }
        for (const auto& input : estimate.inputs)
            add(element, "input",
                {{"symbol", input.symbol},
                 {"value", input.value},
                 {"unit", input.unit},
                 {"source", input.source}});
    }
}

void add_worst_path(XMLElement* root, const Report& report) {
    XMLElement* path = add(root, "worst-path", {});
    const auto set_source = [](XMLElement* element, const std::string& source) {
        if (!source.empty()) element->SetAttribute("source", printable(source).c_str());
    };
    for (const auto& block : report.worst_path)
        set_source(add(path, "block",
                       {{"address", address_text(block.address)},
                        {"count", std::to_string(block.count)},
                        {"cycles", std::to_string(block.cycles)}}),
                   block.source);
    XMLElement* stack = add(root, "stack", {});
    for (const auto& [category, cycles] : report.stack)
        add(stack, "share", {{"category", category}, {"cycles", std::to_string(cycles)}});
    XMLElement* code = add(root, "assembly", {});
    for (const auto& line : report.assembly) {
        XMLElement* instruction = add(code, "instruction",
                                      {{"address", address_text(line.address)},
                                       {"executions", std::to_string(line.executions)},
                                       {"cycles", std::to_string(line.cycles)}});
        set_source(instruction, line.source);
        instruction->SetText(printable(line.text).c_str());
    }
}

} // namespace

void fill_report(XMLElement* root, const Report& report) {
    root->SetAttribute("verdict", verdict_of(report).c_str());
    add(root, "tool",
        {{"name", "warpbound"},
         {"version", report.tool_version},
         {"seed", std::to_string(report.seed)},
         {"solver", report.solver}});
    add(root, "kernel",
        {{"name", report.kernel}, {"digest", report.kernel_digest}, {"isa", report.isa}});
    XMLElement* launch = add(root, "launch",
                             {{"blocks", std::to_string(report.launch.blocks)},
                              {"threads", std::to_string(report.launch.threads)}});
    if (report.launch.registers)
        launch->SetAttribute("registers", std::to_string(*report.launch.registers).c_str());
    if (report.launch.shared_memory)
        launch->SetAttribute("shared-memory", std::to_string(*report.launch.shared_memory).c_str());
    if (report.multiprocessors > 1)
        launch->SetAttribute("multiprocessors", std::to_string(report.multiprocessors).c_str());
    add(root, "architecture",
        {{"name", report.architecture},
         {"title", report.architecture_title},
         {"digest", report.architecture_digest},
         {"policy", report.policy},
         {"coverage", models::to_string(report.coverage)}});
    add_claims(root, report);
    add_time(root, report);
    add_estimates(root, report);
    add_observed(root, report);
    add_worst_path(root, report);
    XMLElement* inputs = add(root, "inputs", {});
    for (const auto& input : report.inputs)
        add(inputs, "input",
            {{"role", input.role}, {"name", input.name}, {"digest", input.digest}});
    for (const auto& version : report.versions)
        add_text(inputs, "version", version);
    XMLElement* limitations = add(root, "limitations", {});
    for (const auto& limitation : report.limitations)
        add_text(limitations, "limitation", limitation);
    for (const auto& reason : report.undecided)
        add_text(root, "undecided", reason);
}

std::string render_xml(const Report& report) {
    tinyxml2::XMLDocument document;
    document.InsertEndChild(document.NewDeclaration());
    XMLElement* root = document.NewElement("timing-report");
    document.InsertEndChild(root);
    fill_report(root, report);
    tinyxml2::XMLPrinter printer;
    document.Print(&printer);
    return printer.CStr();
}

} // namespace warpbound::certification
