#include "cli/recordings/contract_answer.hpp"

#include "cli/output/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::cli {

namespace contract = harness::contract;
using contract::Comparison;
using contract::TestedContractRule;
using contract::Verdict;

namespace {

std::string range(std::int64_t least, std::int64_t greatest) {
    return least == greatest ? fmt::format("{}", least) : fmt::format("{}..{}", least, greatest);
}

std::string required(const Comparison& comparison) {
    const auto& [point, less, at_least, at_most, relation] = comparison.requirement;
    if (at_least && at_most) return "required " + range(*at_least, *at_most);
    return at_least ? fmt::format("required at least {}", *at_least)
                    : fmt::format("required at most {}", at_most.value_or(0));
}

/// The comparison that decides: the first that fails, else the first.
const Comparison* decisive(const TestedContractRule& tested) {
    const auto failed = std::find_if(tested.comparisons.begin(), tested.comparisons.end(),
                                     [](const Comparison& one) { return !one.holds(); });
    if (failed != tested.comparisons.end()) return &*failed;
    return tested.comparisons.empty() ? nullptr : &tested.comparisons.front();
}

std::string scheduling_text(const harness::hypotheses::TestedRule& tested) {
    return fmt::format("{} of `hypotheses` {}{}", harness::hypotheses::entry_of(tested.rule).id,
                       to_string(tested.verdict),
                       tested.counter_example ? ": " + tested.counter_example->text : "");
}

Json json_of(const Comparison& one) {
    Json json{{"benchmark", one.experiment->benchmark}, {"point", one.requirement.point}};
    if (!one.requirement.less.empty()) json["less"] = one.requirement.less;
    json["observed"] = {{"least", one.least}, {"greatest", one.greatest}};
    if (one.requirement.at_least) json["at-least"] = *one.requirement.at_least;
    if (one.requirement.at_most) json["at-most"] = *one.requirement.at_most;
    json["holds"] = one.holds();
    json["runs"] = one.runs;
    json["left-out"] = one.left_out;
    json["relation"] = one.requirement.relation;
    json["values"] = one.experiment->values;
    return json;
}

} // namespace

std::int64_t count_of(const ContractAnswer& answer, Verdict verdict) {
    return std::count_if(answer.rules.begin(), answer.rules.end(),
                         [verdict](const auto& one) { return one.verdict == verdict; });
}

std::string text_of(const Comparison& one) {
    return fmt::format("{}{}: {} in {} run{}{}, {}: {}", one.requirement.point,
                       one.requirement.less.empty() ? "" : " - " + one.requirement.less,
                       range(one.least, one.greatest), one.runs, one.runs == 1 ? "" : "s",
                       one.left_out == 0 ? "" : fmt::format(" ({} left out)", one.left_out),
                       required(one), one.requirement.relation);
}

std::string result_of(const TestedContractRule& tested) {
    std::vector<std::string> parts;
    if (const Comparison* const one = decisive(tested)) {
        const auto all = tested.comparisons.size();
        const auto failed = std::count_if(tested.comparisons.begin(), tested.comparisons.end(),
                                          [](const Comparison& other) { return !other.holds(); });
        parts.push_back(
            failed > 0
                ? fmt::format("{} of {} comparisons fail; {}", failed, all, text_of(*one))
                : fmt::format("{} comparison{}; {}", all, all == 1 ? "" : "s", text_of(*one)));
    }
    for (const auto& scheduling : tested.scheduling)
        if (scheduling.verdict != Verdict::NotTested) parts.push_back(scheduling_text(scheduling));
    for (const auto& missing : tested.missing)
        parts.push_back((parts.empty() ? "" : "not tested in part: ") + missing);
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string text_of(const ContractAnswer& answer) {
    std::string out = fmt::format("device       {}\n             {}\ndescription  {}\n\n",
                                  answer.device.name, answer.device.detail, answer.description);
    for (const auto& tested : answer.rules)
        out += fmt::format("{:<4} {:<12}{}\n     {}\n", tested.rule->id, to_string(tested.verdict),
                           tested.rule->title, result_of(tested));
    return out + fmt::format("\n{} hold, {} violated, {} not tested. 'holds' means that no run "
                             "showed a violation; it is no proof.\n",
                             count_of(answer, Verdict::Holds), count_of(answer, Verdict::Violated),
                             count_of(answer, Verdict::NotTested));
}

std::string json_of(const ContractAnswer& answer) {
    Json rules = Json::array();
    for (const auto& tested : answer.rules) {
        Json comparisons = Json::array();
        for (const Comparison& one : tested.comparisons)
            comparisons.push_back(json_of(one));
        Json scheduling = Json::array();
        for (const auto& one : tested.scheduling) {
            scheduling.push_back({{"rule", harness::hypotheses::entry_of(one.rule).id},
                                  {"verdict", to_string(one.verdict)},
                                  {"comparisons", one.compared}});
            if (one.counter_example)
                scheduling.back()["counter-example"] = one.counter_example->text;
        }
        rules.push_back({{"rule", tested.rule->id},
                         {"title", tested.rule->title},
                         {"verdict", to_string(tested.verdict)},
                         {"comparisons", std::move(comparisons)},
                         {"scheduling", std::move(scheduling)},
                         {"not-tested", tested.missing}});
    }
    return json_text("contract", {{"device", answer.device.name},
                                  {"detail", answer.device.detail},
                                  {"description", answer.description},
                                  {"unit", "core cycles, blocks"},
                                  {"hold", count_of(answer, Verdict::Holds)},
                                  {"violated", count_of(answer, Verdict::Violated)},
                                  {"untested", count_of(answer, Verdict::NotTested)},
                                  {"rules", std::move(rules)}});
}

Exit exit_of(const ContractAnswer& answer) {
    if (count_of(answer, Verdict::Violated) > 0) return Exit::Violated;
    return count_of(answer, Verdict::Holds) == 0 ? Exit::Undecided : Exit::Holds;
}

std::string text_of_contract() {
    std::string out;
    for (const auto& rule : contract::contract_rules()) {
        out += fmt::format("{:<4} {}\n", rule.id, rule.title);
        if (!rule.untested.empty()) out += fmt::format("     not tested: {}\n", rule.untested);
        if (!rule.scheduling.empty())
            out += fmt::format("     rules of `hypotheses`: {}\n", rule.scheduling);
        for (const auto& experiment : contract::contract_experiments())
            if (tests(experiment, rule.id))
                out += fmt::format(
                    "     {}{}: {}\n       from {}\n", experiment.benchmark,
                    experiment.machines == contract::Machines::Interlocked ? " (interlocks)"
                    : experiment.machines == contract::Machines::Encoded   ? " (encoded)"
                                                                           : "",
                    experiment.relation, experiment.values);
    }
    return out;
}

std::string json_of_contract() {
    Json rules = Json::array();
    for (const auto& rule : contract::contract_rules()) {
        Json experiments = Json::array();
        for (const auto& experiment : contract::contract_experiments())
            if (tests(experiment, rule.id))
                experiments.push_back({{"benchmark", experiment.benchmark},
                                       {"relation", experiment.relation},
                                       {"values", experiment.values}});
        rules.push_back({{"rule", rule.id},
                         {"title", rule.title},
                         {"not-tested", rule.untested},
                         {"scheduling", rule.scheduling},
                         {"experiments", std::move(experiments)}});
    }
    return json_text("contract-list", {{"rules", std::move(rules)}});
}

} // namespace warpbound::cli
