#pragma once
/// \file
/// Verdicts on rules of scheduling, as text and JSON.

#include "cli/command.hpp"
#include "harness/hypotheses/recording.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

struct HypothesesAnswer {
    const harness::hypotheses::Recording* recording = nullptr;
    std::vector<harness::hypotheses::TestedRule> tested;
};

std::string text_of(const HypothesesAnswer& answer);
std::string json_of(const HypothesesAnswer& answer);
/// Violated if a rule is; undecided if none was tested, or, where rules were chosen, one of them
/// was not.
Exit exit_of(const HypothesesAnswer& answer, bool chosen);

/// The table of rules.
std::string text_of_rules();
std::string json_of_rules();

} // namespace warpbound::cli
