#pragma once
/// \file
/// The analyzer's reconvergence stacks (S67) as the verifier's SIMT stacks (S19e).

#include "analyzer/divergence/abstract_stack.hpp"
#include "certification/verify/divergence/simt_stack.hpp"

#include <vector>

namespace warpbound::certification {

/// Together they stand for what the stack does: lanes that may wait at a point wait in one and not
/// in another. Empty where the verifier has no such stacks, or where they are too many.
std::vector<verify::SimtStack> exported(const analyzer::AbstractStack& stack);

} // namespace warpbound::certification
