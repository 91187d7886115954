#include "cli/recordings/hypotheses_answer.hpp"

#include "cli/output/json.hpp"
#include "harness/hypotheses/experiments.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace warpbound::cli {

using harness::hypotheses::entry_of;
using harness::hypotheses::TestedRule;
using harness::hypotheses::Verdict;

std::int64_t count_of(const HypothesesAnswer& answer, Verdict verdict) {
    return std::count_if(answer.tested.begin(), answer.tested.end(),
                         [verdict](const TestedRule& one) { return one.verdict == verdict; });
}

namespace {

std::string_view unit_of(const HypothesesAnswer& answer) {
    return answer.recording->runs.empty() ? "" : to_string(answer.recording->runs.front().unit);
}

} // namespace

std::string result_of(const HypothesesAnswer& answer, const TestedRule& tested) {
    switch (tested.verdict) {
    case Verdict::Holds:
        return fmt::format("no violation in {} comparison{} of {} run{}", tested.compared,
                           tested.compared == 1 ? "" : "s", tested.runs,
                           tested.runs == 1 ? "" : "s");
    case Verdict::Violated:
        return fmt::format("{}, run {}: {} ({})", tested.counter_example->experiment,
                           tested.counter_example->run + 1, tested.counter_example->text,
                           unit_of(answer));
    case Verdict::NotTested:
        break;
    }
    return tested.reason;
}

std::string text_of(const HypothesesAnswer& answer) {
    const auto& recording = *answer.recording;
    std::string out = fmt::format("device     {}\n", recording.device);
    if (!recording.detail.empty()) out += fmt::format("           {}\n", recording.detail);
    out += fmt::format("runs       {}\n", recording.runs.size());
    for (const std::string& note : recording.notes)
        out += fmt::format("assumed    {}\n", note);
    out += "\n";
    for (const TestedRule& tested : answer.tested)
        out += fmt::format("{:<4}{:<12}{}\n    {:<12}{}\n", entry_of(tested.rule).id,
                           to_string(tested.verdict), entry_of(tested.rule).statement, "",
                           result_of(answer, tested));
    out += fmt::format("\n{} hold, {} violated, {} not tested. 'holds' means that no run showed a "
                       "violation; it is no proof.\n",
                       count_of(answer, Verdict::Holds), count_of(answer, Verdict::Violated),
                       count_of(answer, Verdict::NotTested));
    return out;
}

std::string json_of(const HypothesesAnswer& answer) {
    const auto& recording = *answer.recording;
    Json rules = Json::array();
    for (const TestedRule& tested : answer.tested) {
        const auto& entry = entry_of(tested.rule);
        Json one{{"rule", entry.id},
                 {"statement", entry.statement},
                 {"judged", entry.judged},
                 {"experiment", entry.experiment},
                 {"source", entry.source},
                 {"verdict", to_string(tested.verdict)},
                 {"comparisons", tested.compared},
                 {"runs", tested.runs}};
        if (tested.counter_example)
            one["counter-example"] = {{"experiment", tested.counter_example->experiment},
                                      {"run", tested.counter_example->run + 1},
                                      {"at", tested.counter_example->at},
                                      {"text", tested.counter_example->text}};
        if (tested.verdict == Verdict::NotTested) one["reason"] = tested.reason;
        rules.push_back(std::move(one));
    }
    Json not_run = Json::array();
    for (const auto& one : recording.not_run)
        not_run.push_back({{"experiment", one.experiment}, {"reason", one.reason}});
    return json_text("hypotheses", {{"device", recording.device},
                                    {"detail", recording.detail},
                                    {"runs", recording.runs.size()},
                                    {"unit", unit_of(answer)},
                                    {"assumptions", recording.notes},
                                    {"not-run", std::move(not_run)},
                                    {"rules", std::move(rules)}});
}

Exit exit_of(const HypothesesAnswer& answer, bool chosen) {
    if (count_of(answer, Verdict::Violated) > 0) return Exit::Violated;
    const auto untested = count_of(answer, Verdict::NotTested);
    const bool none = untested == static_cast<std::int64_t>(answer.tested.size());
    return none || (chosen && untested > 0) ? Exit::Undecided : Exit::Holds;
}

std::string text_of_rules() {
    std::string out;
    for (const auto& rule : harness::hypotheses::all_rules())
        out += fmt::format("{:<4}{}\n    judged: {}\n    experiment: {}; source: {}\n", rule.id,
                           rule.statement, rule.judged, rule.experiment, rule.source);
    out += "\nExperiments\n";
    for (const auto& experiment : harness::hypotheses::all_experiments())
        out += fmt::format("    {:<13}{}\n", experiment.name, experiment.picture);
    return out;
}

std::string json_of_rules() {
    Json rules = Json::array();
    for (const auto& rule : harness::hypotheses::all_rules())
        rules.push_back({{"rule", rule.id},
                         {"statement", rule.statement},
                         {"judged", rule.judged},
                         {"experiment", rule.experiment},
                         {"source", rule.source}});
    Json experiments = Json::array();
    for (const auto& experiment : harness::hypotheses::all_experiments())
        experiments.push_back({{"name", experiment.name}, {"picture", experiment.picture}});
    return json_text("hypotheses-list",
                     {{"rules", std::move(rules)}, {"experiments", std::move(experiments)}});
}

} // namespace warpbound::cli
