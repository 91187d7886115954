#pragma once
/// \file
/// What a bundle says of a warp whose lanes may diverge: the nodes of its serialized control flow
/// and the SIMT stacks with which it comes to each of them.

#include "analyzer/divergence/serialized_cfg.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/inputs.hpp"
#include "certification/bundle/node_stacks.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// The stacks of each node. `id`: of the kernel. Refuses control flow that `verify` does not
/// follow.
Result<NodeStacks> find_stacks(const std::string& id, const LoadedInput& input,
                               const analyzer::SerializedCfg& cfg);

Json serialized_cfg_json(const LoadedInput& input, const analyzer::SerializedCfg& cfg,
                         const NodeStacks& stacks);
Json simt_stacks_json(const std::vector<verify::SimtStack>& stacks);

} // namespace warpbound::certification
