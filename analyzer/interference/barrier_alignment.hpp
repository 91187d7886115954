#pragma once
/// \file
/// Whether all warps of a block execute the same barriers in the same order.

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// Whether the instruction is on a path and waits at a barrier.
bool is_barrier(const AnalysisContext& context, std::size_t instruction);

/// Number of barrier executions of every path. Refuses, naming it, a barrier that is guarded or
/// that paths execute unequally often: warps of one block could then deadlock, or wait at different
/// barriers. Uses loop bounds and `never` facts only (docs/soundness.md, S12).
Result<std::int64_t> aligned_barriers(const AnalysisContext& context);

/// The first barrier at which several warps of a block synchronize; null: there is none, or every
/// block has one warp.
const assembly::Instruction* first_common_barrier(const AnalysisContext& context);

} // namespace warpbound::analyzer
