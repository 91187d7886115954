#pragma once
/// \file
/// How many groups of lanes that diverged alike are pending at the same time (S67 in docs/theory,
/// loop bounds, item 4; written from there).

#include "certification/verify/divergence/node_states.hpp"
#include "certification/verify/divergence/simt_stack.hpp"
#include "certification/verify/flow/control_flow.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::certification::verify {

/// Side: upper. None: as many as there are lanes.
std::optional<std::int64_t> groups_at_once(const ControlFlow& of_code, const NodeStates& lanes,
                                           const SimtStack::Group& group);

} // namespace warpbound::certification::verify
