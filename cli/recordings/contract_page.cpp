/// \file
/// Verdicts on the rules of the timing contract as one page: verdicts first, then all comparisons.
#include "certification/page/html_parts.hpp"
#include "cli/recordings/contract_answer.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

namespace contract = harness::contract;

namespace {

using certification::cell;
using contract::Verdict;

std::string rules_table(const ContractAnswer& answer) {
    std::string rows;
    for (const Verdict verdict : {Verdict::Violated, Verdict::Holds, Verdict::NotTested})
        for (const auto& tested : answer.rules)
            if (tested.verdict == verdict)
                rows += "<tr>" + cell(std::string{tested.rule->id}) +
                        cell(std::string{to_string(verdict)}) +
                        cell(std::string{tested.rule->title}) + cell(result_of(tested)) + "</tr>\n";
    return certification::sortable_table(
        "'holds' means that no run showed a violation: no proof",
        {{"rule", false}, {"verdict", false}, {"title", false}, {"result", false}}, rows);
}

std::string comparisons_table(const ContractAnswer& answer) {
    std::string rows;
    for (const auto& tested : answer.rules)
        for (const auto& one : tested.comparisons)
            rows +=
                "<tr>" + cell(std::string{tested.rule->id}) +
                cell(one.holds() ? "holds" : "violated") +
                cell(one.requirement.point +
                     (one.requirement.less.empty() ? "" : " - " + one.requirement.less)) +
                cell(fmt::format("{}", one.least), true) +
                cell(fmt::format("{}", one.greatest), true) +
                cell(one.requirement.at_least ? fmt::format("{}", *one.requirement.at_least) : "",
                     true) +
                cell(one.requirement.at_most ? fmt::format("{}", *one.requirement.at_most) : "",
                     true) +
                cell(fmt::format("{}", one.runs), true) + cell(one.requirement.relation) +
                cell(std::string{one.experiment->values}) + "</tr>\n";
    return certification::sortable_table("Core cycles, or blocks",
                                         {{"rule", false},
                                          {"verdict", false},
                                          {"point", false},
                                          {"least", true},
                                          {"greatest", true},
                                          {"at least", true},
                                          {"at most", true},
                                          {"runs", true},
                                          {"required", false},
                                          {"from", false}},
                                         rows);
}

std::string summary(const ContractAnswer& answer) {
    const auto violated = count_of(answer, Verdict::Violated);
    std::string names;
    for (const auto& tested : answer.rules)
        if (tested.verdict == Verdict::Violated)
            names += (names.empty() ? "" : ", ") + std::string{tested.rule->id};
    return "<div class=\"summary\">\n" +
           certification::card(fmt::format("{} violated", violated),
                               violated == 0 ? "no run shows a violation" : names,
                               violated == 0 ? "" : "refuted") +
           certification::card(fmt::format("{} hold", count_of(answer, Verdict::Holds)),
                               "no violation in the counted runs; no proof", "holds") +
           certification::card(fmt::format("{} not tested", count_of(answer, Verdict::NotTested)),
                               "the table says why") +
           "</div>\n";
}

} // namespace

std::string html_of(const ContractAnswer& answer) {
    const std::string title = "Timing contract: " + answer.device.name;
    const certification::SectionScope scope;
    return certification::page(
        title, certification::heading({1, ""}, "title", title) + "<table>\n<tr>" + cell("device") +
                   cell(answer.device.detail) + "</tr>\n<tr>" + cell("description") +
                   cell(answer.description) + "</tr>\n</table>\n" + summary(answer) +
                   certification::heading(scope, "rules", "Rules") + rules_table(answer) +
                   certification::heading(scope, "comparisons", "Comparisons") +
                   comparisons_table(answer));
}

} // namespace warpbound::cli
