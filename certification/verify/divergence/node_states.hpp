#pragma once
/// \file
/// The bundle's SIMT stacks of each node, held against the rules of the contract: an inductive
/// invariant, checked node by node and edge by edge (S19e of docs/theory).

#include "certification/verify/divergence/simt_stack.hpp"
#include "certification/verify/flow/control_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// What the states of a warp have in common, whatever its lanes decide.
struct NodeStates {
    static constexpr std::size_t many = SIZE_MAX;
    /// Blocks that some lanes may execute while others are pending: by these.
    std::map<SimtStack::Group, std::set<std::size_t>> meanwhile;
    /// As many of these as a stack has; `many` where one repeats them.
    std::map<SimtStack::Group, std::size_t> at_once;
    SimtStack::PassedOver passed_over;
    std::vector<bool> converged; ///< Per block: no lane is ever elsewhere.
    /// As `ControlFlow` has them.
    std::map<std::pair<std::size_t, std::size_t>, EdgeGaps> gaps;
};

/// Each step of a warp from a node with one of its stacks leads to a successor, with a stack that
/// this one has. Throws `Finding`.
NodeStates check_stacks(const KernelCase& kernel, const ControlFlow& of_code);

} // namespace warpbound::certification::verify
