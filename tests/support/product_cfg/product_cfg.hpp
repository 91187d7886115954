#pragma once
/// \file
/// The serialized control-flow graph of a warp as the product of its code with the abstract
/// reconvergence stack.

#include "analyzer/divergence/serialized_blocks.hpp"

#include <cstddef>

namespace warpbound::analyzer {

/// Side: upper (docs/theory, S67). Refuses what `SimtRules` refuses; lanes that iterate a loop
/// while others wait inside it; groups that may execute code one after the other without limit;
/// kernels that need more than `node_limit` nodes.
Result<SerializedCfg> product_cfg(const AnalysisContext& context, std::size_t node_limit);

} // namespace warpbound::analyzer
