#pragma once
/// \file
/// Verdicts on rules of scheduling, as text, JSON and a page.

#include "cli/program/command.hpp"
#include "harness/hypotheses/recording.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

struct HypothesesAnswer {
    const harness::hypotheses::Recording* recording = nullptr;
    std::vector<harness::hypotheses::TestedRule> tested;
};

std::int64_t count_of(const HypothesesAnswer& answer, harness::hypotheses::Verdict verdict);
/// What the comparisons of a rule came to, or why there are none.
std::string result_of(const HypothesesAnswer& answer,
                      const harness::hypotheses::TestedRule& tested);

std::string text_of(const HypothesesAnswer& answer);
/// A self-contained page.
std::string html_of(const HypothesesAnswer& answer);
std::string json_of(const HypothesesAnswer& answer);
/// Violated if a rule is; undecided if none was tested, or, where rules were chosen, one of them
/// was not.
Exit exit_of(const HypothesesAnswer& answer, bool chosen);

/// The table of rules.
std::string text_of_rules();
std::string json_of_rules();

} // namespace warpbound::cli
