/// \file
/// Which judgement is that of a rule, and the verdict by all runs.

#include "harness/hypotheses/judgement.hpp"
#include "harness/hypotheses/orders.hpp"

#include <algorithm>
#include <map>

namespace warpbound::harness::hypotheses {

Judgement judge(Rule rule, const ObservedWorkload& workload) {
    const Orders orders{workload};
    switch (rule) {
    case Rule::G1:
    case Rule::G2:
    case Rule::G4:
    case Rule::N1:
    case Rule::N2:
        return judge_streams(rule, orders);
    case Rule::G3:
    case Rule::X1:
        return judge_execution_queue(rule, orders);
    case Rule::R1:
    case Rule::R2:
    case Rule::R3:
        return judge_resources(rule, orders);
    case Rule::C1:
    case Rule::C2:
    case Rule::C3:
    case Rule::C4:
    case Rule::Q5:
        return judge_copies(rule, orders);
    case Rule::A1:
    case Rule::A2:
    case Rule::Q3:
        return judge_priorities(rule, orders);
    case Rule::Q1:
    case Rule::Q2:
    case Rule::Q4:
    case Rule::Q6:
    case Rule::Q7:
        break;
    }
    return judge_servers(rule, orders);
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::Holds:
        return "holds";
    case Verdict::Violated:
        return "violated";
    case Verdict::NotTested:
        break;
    }
    return "not tested";
}

TestedRule test_rule(Rule rule, const std::vector<ObservedWorkload>& runs,
                     const std::vector<NotRun>& not_run) {
    TestedRule tested{.rule = rule};
    const std::string_view own = entry_of(rule).experiment;
    std::string missing;
    std::map<std::string_view, std::size_t> runs_of;
    for (const ObservedWorkload& run : runs) {
        const std::size_t number = runs_of[run.experiment]++;
        Judgement judged = judge(rule, run);
        tested.compared += judged.compared;
        tested.runs += judged.compared > 0 ? 1 : 0;
        if (missing.empty() || run.experiment == own) missing = judged.missing;
        const bool is_better = !tested.counter_example ||
                               (tested.counter_example->experiment != own && run.experiment == own);
        if (!judged.violated || !is_better) continue;
        tested.counter_example = std::move(judged.violated);
        tested.counter_example->run = number;
    }
    if (tested.counter_example) {
        tested.verdict = Verdict::Violated;
    } else if (tested.compared > 0) {
        tested.verdict = Verdict::Holds;
    } else {
        const auto found = std::find_if(not_run.begin(), not_run.end(),
                                        [own](const NotRun& one) { return one.experiment == own; });
        tested.reason = found != not_run.end() ? found->reason
                        : missing.empty()      ? "no run"
                                               : missing;
    }
    return tested;
}

} // namespace warpbound::harness::hypotheses
