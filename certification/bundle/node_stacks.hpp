#pragma once
/// \file
/// Finds the SIMT stacks with which a warp may come to each node of its serialized control flow.
/// Nobody relies on this search: `verify` checks each stack by itself (S19e of docs/theory).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "certification/verify/divergence/simt_stack.hpp"
#include "certification/verify/evidence.hpp"

#include <cstddef>
#include <vector>

namespace warpbound::certification {

struct NodeStacks {
    std::vector<verify::SimtStack> stacks;
    std::vector<std::vector<std::size_t>> of_node; ///< Indices of stacks.
};

/// The stacks of `kernel.serialized`, set there too, with which `check_flows` accepts it: those of
/// `cfg`, which has the same nodes, and further ones where the verifier's rules lead to others.
/// Throws `verify::Finding` where none are found.
NodeStacks node_stacks(verify::KernelCase& kernel, const analyzer::SerializedCfg& cfg);

} // namespace warpbound::certification
