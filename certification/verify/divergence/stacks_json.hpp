#pragma once
/// \file
/// The SIMT stacks of a bundle (`simt-stacks` of docs/reference/evidence-format.md).

#include "certification/verify/divergence/simt_stack.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace warpbound::certification::verify {

/// Throws `Finding` where a list of entries is no stack.
std::vector<SimtStack> read_stacks(const nlohmann::json& table);

} // namespace warpbound::certification::verify
