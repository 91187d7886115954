#pragma once
/// \file
/// One table of experiments: which rules of the contract they test, on which benchmark, and what
/// the description requires of the numbers.

#include "harness/contract/contract_series.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::contract {

/// What the rules of an experiment require of the numbers of a point, in every run that counts.
/// `Unit:` core cycles, or blocks.
struct Requirement {
    std::string point;
    /// Its numbers are subtracted: of any two runs of both points. Empty: nothing is.
    std::string less{};
    std::optional<std::int64_t> at_least{};
    std::optional<std::int64_t> at_most{};
    std::string relation{}; ///< With the numbers of the description: "256 x 63 x latency 4..6".
};

/// Machines that an experiment is for.
enum class Machines { All, Interlocked, Encoded };

struct Experiment {
    std::string_view benchmark;
    std::string_view rules; ///< "C7,C12"
    Machines machines = Machines::All;
    std::string_view relation; ///< In words.
    std::string_view values;   ///< Of the description, from which it follows.
    /// Refuses a value that the description lacks, naming it.
    Result<std::vector<Requirement>> (*require)(const models::Architecture& architecture,
                                                const ContractSeries& series) = nullptr;
};

std::span<const Experiment> contract_experiments();
bool tests(const Experiment& experiment, std::string_view rule);
/// Why the experiment is not for the machine; empty: it is.
std::string not_for(const Experiment& experiment, const models::Architecture& architecture);

// What the experiments require; see the table.
Result<std::vector<Requirement>> require_conflicts(const models::Architecture& architecture,
                                                   const ContractSeries& series);
Result<std::vector<Requirement>> require_stores(const models::Architecture& architecture,
                                                const ContractSeries& series);
Result<std::vector<Requirement>> require_chase(const models::Architecture& architecture,
                                               const ContractSeries& series);
Result<std::vector<Requirement>> require_residency(const models::Architecture& architecture,
                                                   const ContractSeries& series);

} // namespace warpbound::harness::contract
