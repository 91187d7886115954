#pragma once
/// \file
/// Simulated runs of one launch, each recorded where a campaign is open.

#include "cli/simulation/simulation_result.hpp"

#include <optional>
#include <vector>

namespace warpbound::cli::simulation {

/// The device of the options, with their campaign opened.
Result<Machine> open_machine(const Options& options, models::Architecture architecture);

/// What is recorded of a kernel: its execution time, and the time between its two clock reads.
std::vector<harness::Quantity> quantities_of(const assembly::Function& function);

/// The runs of one launch. None when Ctrl-C stopped it before there was a result.
Result<std::optional<Simulated>> simulate(const Options& options, const Machine& machine,
                                          const Subject& subject);

} // namespace warpbound::cli::simulation
