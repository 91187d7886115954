#pragma once
/// \file
/// Verdicts on the rules of the timing contract: what the description requires of recorded numbers,
/// compared with all of them. What is not seen to be violated is not thereby proved.

#include "harness/contract/experiments.hpp"
#include "harness/contract/rules.hpp"
#include "harness/hypotheses/recording.hpp"

#include <string>
#include <vector>

namespace warpbound::harness::contract {

using hypotheses::Verdict;

/// A requirement held against what was observed.
struct Comparison {
    const Experiment* experiment = nullptr;
    Requirement requirement;
    std::int64_t least = 0; ///< Observed; a difference where one is required.
    std::int64_t greatest = 0;
    std::int64_t runs = 0;
    std::int64_t left_out = 0; ///< Runs with an anomaly.

    [[nodiscard]] bool holds() const;
};

struct TestedContractRule {
    const ContractRule* rule = nullptr;
    Verdict verdict = Verdict::NotTested;
    std::vector<Comparison> comparisons{};
    std::vector<hypotheses::TestedRule> scheduling{}; ///< Rules of scheduling that test it.
    /// Why it was not tested, or what part of it was not.
    std::vector<std::string> missing{};
};

/// All rules in the order of the contract. Violated: a number of a run that counts lies outside
/// what is required. Holds: something was required and compared, and none did. `recording`: of
/// scheduling experiments; null: none.
std::vector<TestedContractRule> test_contract(const models::Architecture& architecture,
                                              const ContractSeries& series,
                                              const hypotheses::Recording* recording);

} // namespace warpbound::harness::contract
