#pragma once
/// \file
/// The two-level policy, where an active set is smaller than the resident warps of a scheduler: it
/// conserves work within the set (docs/theory, S31).

#include "analyzer/policies/policy.hpp"

namespace warpbound::analyzer {

const Policy& two_level();

} // namespace warpbound::analyzer
