#pragma once
/// \file
/// The control flow of the threads that represent their warps: without the edges and ends that the
/// facts in use exclude for them (S46 of docs/theory).

#include "certification/verify/flow/control_flow.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::certification::verify {

/// Nothing where no such fact is in use, or where the policy is none of which S46 speaks. Throws
/// `Finding` where the fact speaks of an edge, an EXIT or a thread block that there is not.
std::optional<ControlFlow> flow_of_representatives(const KernelCase& kernel,
                                                   const ControlFlow& of_code);

} // namespace warpbound::certification::verify
