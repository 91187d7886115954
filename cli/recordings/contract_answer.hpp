#pragma once
/// \file
/// Verdicts on the rules of the timing contract, as text, JSON and a page.

#include "cli/program/command.hpp"
#include "harness/contract/judge.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

struct ContractAnswer {
    harness::DeviceIdentity device;
    std::string description; ///< Name, and how it stands to the shipped one.
    std::vector<harness::contract::TestedContractRule> rules;
};

std::int64_t count_of(const ContractAnswer& answer, harness::contract::Verdict verdict);
/// What a comparison came to, in one line.
std::string text_of(const harness::contract::Comparison& comparison);
/// What the rule came to: comparisons, or why there are none.
std::string result_of(const harness::contract::TestedContractRule& tested);

std::string text_of(const ContractAnswer& answer);
/// A self-contained page.
std::string html_of(const ContractAnswer& answer);
std::string json_of(const ContractAnswer& answer);
/// Violated if a rule is; undecided if none was tested.
Exit exit_of(const ContractAnswer& answer);

/// The table of rules and experiments.
std::string text_of_contract();
std::string json_of_contract();

} // namespace warpbound::cli
