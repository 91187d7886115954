#pragma once
/// \file
/// The hypotheses about scheduling that are tested: one table of rules.

#include "assembly/support/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::hypotheses {

/// G1 to A2: Amert et al., RTSS 2017. Q1 to Q7: what the bounds of pipelines assume beyond them.
enum class Rule {
    G1,
    G2,
    G3,
    G4,
    X1,
    R1,
    R2,
    R3,
    C1,
    C2,
    C3,
    C4,
    N1,
    N2,
    A1,
    A2,
    Q1,
    Q2,
    Q3,
    Q4,
    Q5,
    Q6,
    Q7,
};

struct RuleEntry {
    Rule rule = Rule::G1;
    std::string_view id;         ///< "X1"
    std::string_view statement;  ///< The hypothesis.
    std::string_view judged;     ///< What is compared.
    std::string_view experiment; ///< Its own experiment; the others are judged by it too.
    std::string_view source;
};

/// By `Rule`.
std::span<const RuleEntry> all_rules();
const RuleEntry& entry_of(Rule rule);
/// Rules by id, separated by commas; empty: all. Refuses an unknown id, naming the known ones.
Result<std::vector<Rule>> read_rules(std::string_view text);

} // namespace warpbound::harness::hypotheses
