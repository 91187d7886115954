#pragma once
/// \file
/// States that the lanes of a warp agree wherever no fact says that they may diverge.

#include "models/facts/flow_facts.hpp"

#include <string>

namespace warpbound::tests {

/// `listing`: a well-formed one that holds the kernel of the facts.
void state_uniform_elsewhere(models::FlowFacts& facts, const std::string& listing);

} // namespace warpbound::tests
