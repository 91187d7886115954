#pragma once
/// \file
/// The rules of the timing contract, and why those that no experiment tests have none.

#include <span>
#include <string_view>

namespace warpbound::harness::contract {

struct ContractRule {
    std::string_view id;    ///< "C13"
    std::string_view title; ///< As docs/reference/timing-contract.md has it.
    /// Why no experiment tests it; empty: one does.
    std::string_view untested{};
    /// The rules of scheduling that test it (`harness/hypotheses`), as `read_rules` takes them.
    std::string_view scheduling{};
};

/// In the order of the page; none is left out.
std::span<const ContractRule> contract_rules();

} // namespace warpbound::harness::contract
