#pragma once
/// \file
/// How often a warp whose lanes may diverge executes what its lanes execute once in an iteration
/// (S85 of docs/theory, claim 1b), by the nodes of the bundle. Shares no code with the analysis.

#include "certification/verify/flow/control_flow.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

/// Per instruction, how often the warp executes it at most while its lanes are in one iteration of
/// the loops around it; none: lanes of different iterations may execute it, or it is not known. One
/// where lanes never diverge. Requires: stacks that `check_flows` has accepted. Side: upper.
std::vector<std::optional<std::int64_t>> most_per_iteration(const KernelCase& kernel,
                                                            const ControlFlow& of_code,
                                                            const ControlFlow& of_warp);

/// Registers of the warp, not of its lanes, that some lanes may write while others are elsewhere.
std::set<assembly::Register> written_by_some_lanes(const KernelCase& kernel,
                                                   const ControlFlow& of_code);

} // namespace warpbound::certification::verify
