#pragma once
/// \file
/// States of blocks that say which events of infeasible pairs have occurred, and the table whose
/// nodes have them (step S87 of docs/theory).

#include "certification/verify/flow/control_flow.hpp"

#include <string>

namespace warpbound::certification::verify {

/// Every path that keeps the facts has a sequence of states: paths start in state 0, a state is
/// left over each edge of the table's blocks that no fact excludes there, and nothing is remembered
/// that did not occur on all paths to the state. Throws `Finding` with the place `where`.
void check_pair_states(const models::FlowFacts& facts, const ControlFlow& flow,
                       const Certificate& certificate, const std::string& where);

/// The certificate over the product of its table and its states: a node for each node and each
/// state in which a path reaches it, in this order. One without states is returned as it is.
/// Requires: states that `check_pair_states` accepts. Errors: `Finding` where the product is too
/// large.
Certificate with_states(const models::FlowFacts& facts, const ControlFlow& flow,
                        const Certificate& certificate);

/// The exclusive and linear facts that the script of a certificate states.
models::FlowFacts facts_of_script(const models::FlowFacts& facts, const Certificate& certificate);

} // namespace warpbound::certification::verify
