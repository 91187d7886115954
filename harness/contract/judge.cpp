#include "harness/contract/judge.hpp"

#include "harness/card_identity.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpbound::harness::contract {

namespace {

/// An experiment's requirements compared, or why not.
struct Outcome {
    std::vector<Comparison> comparisons;
    std::vector<std::string> missing;
};

void note(std::vector<std::string>& reasons, const std::string& reason) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
        reasons.push_back(reason);
}

Result<Comparison> compare(const Experiment& experiment, const Requirement& requirement,
                           const ContractSeries& series) {
    const auto of_point = series.observed(requirement.point);
    if (!of_point) return of_point.as_failure();
    Comparison comparison{&experiment,
                          requirement,
                          of_point.value().least,
                          of_point.value().greatest,
                          of_point.value().runs,
                          of_point.value().left_out};
    if (requirement.less.empty()) return comparison;
    const auto less = series.observed(requirement.less);
    if (!less) return less.as_failure();
    comparison.least -= less.value().greatest;
    comparison.greatest -= less.value().least;
    comparison.runs += less.value().runs;
    comparison.left_out += less.value().left_out;
    return comparison;
}

Outcome perform(const Experiment& experiment, const models::Architecture& architecture,
                const ContractSeries& series) {
    Outcome outcome;
    if (std::string why = not_for(experiment, architecture); !why.empty()) {
        outcome.missing.push_back(std::move(why));
        return outcome;
    }
    if (std::string why = series.no_code(experiment.benchmark); !why.empty()) {
        outcome.missing.push_back(std::move(why));
        return outcome;
    }
    const auto required = experiment.require(architecture, series);
    if (!required) {
        outcome.missing.push_back(to_string(required.error()));
        return outcome;
    }
    for (const Requirement& requirement : required.value()) {
        if (requirement.point.substr(0, requirement.point.find('/')) != experiment.benchmark)
            continue;
        auto comparison = compare(experiment, requirement, series);
        if (comparison)
            outcome.comparisons.push_back(std::move(comparison).value());
        else
            note(outcome.missing, to_string(comparison.error()));
    }
    if (outcome.comparisons.empty() && outcome.missing.empty())
        outcome.missing.push_back(std::string{experiment.benchmark} + ": was not measured");
    return outcome;
}

void add_scheduling(TestedContractRule& tested, const hypotheses::Recording* recording,
                    const std::string& device) {
    if (tested.rule->scheduling.empty()) return;
    if (recording == nullptr) {
        tested.missing.emplace_back(
            device.starts_with(amd_card_prefix)
                ? "needs a recording of `hypotheses --record`, whose experiments do not run on "
                  "hip:<n>"
                : "needs a recording of `hypotheses --record`");
        return;
    }
    const auto rules = hypotheses::read_rules(tested.rule->scheduling);
    for (const auto rule : rules.value()) {
        auto one = hypotheses::test_rule(rule, recording->runs, recording->not_run);
        if (one.verdict == Verdict::NotTested)
            note(tested.missing,
                 std::string{hypotheses::entry_of(rule).id} + " of `hypotheses`: " + one.reason);
        tested.scheduling.push_back(std::move(one));
    }
}

Verdict verdict_of(const TestedContractRule& tested) {
    bool compared = !tested.comparisons.empty();
    for (const Comparison& one : tested.comparisons)
        if (!one.holds()) return Verdict::Violated;
    for (const auto& one : tested.scheduling) {
        if (one.verdict == Verdict::Violated) return Verdict::Violated;
        compared = compared || one.verdict == Verdict::Holds;
    }
    return compared ? Verdict::Holds : Verdict::NotTested;
}

} // namespace

bool Comparison::holds() const {
    return (!requirement.at_least || least >= *requirement.at_least) &&
           (!requirement.at_most || greatest <= *requirement.at_most);
}

std::vector<TestedContractRule> test_contract(const models::Architecture& architecture,
                                              const ContractSeries& series,
                                              const hypotheses::Recording* recording) {
    std::vector<Outcome> outcomes;
    for (const Experiment& experiment : contract_experiments())
        outcomes.push_back(perform(experiment, architecture, series));
    std::vector<TestedContractRule> all;
    for (const ContractRule& rule : contract_rules()) {
        TestedContractRule tested{.rule = &rule};
        if (!rule.untested.empty()) tested.missing.emplace_back(rule.untested);
        const auto experiments = contract_experiments();
        for (std::size_t i = 0; i < experiments.size(); ++i) {
            if (!tests(experiments[i], rule.id)) continue;
            tested.comparisons.insert(tested.comparisons.end(), outcomes[i].comparisons.begin(),
                                      outcomes[i].comparisons.end());
            // An experiment for other machines is missed only where the rule has no other.
            for (const auto& reason : outcomes[i].missing)
                if (not_for(experiments[i], architecture).empty()) note(tested.missing, reason);
        }
        add_scheduling(tested, recording, series.device().name);
        tested.verdict = verdict_of(tested);
        if (tested.verdict == Verdict::NotTested && tested.missing.empty())
            for (const Experiment& experiment : experiments)
                if (tests(experiment, rule.id))
                    note(tested.missing, not_for(experiment, architecture));
        all.push_back(std::move(tested));
    }
    return all;
}

} // namespace warpbound::harness::contract
