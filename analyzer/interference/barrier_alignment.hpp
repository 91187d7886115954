#pragma once
/// \file
/// Whether all warps of a block meet at the same barriers in the same order.

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// Whether the instruction is on a path and waits at a barrier.
bool is_barrier(const AnalysisContext& context, std::size_t instruction);

/// Barriers that every path passes, counted with repetitions. Refuses, naming it, a barrier that is
/// guarded or that paths pass unequally often: warps of one block could then wait for each other
/// forever, or at different places. Uses loop bounds and `never` only (docs/soundness.md, S12).
Result<std::int64_t> aligned_barriers(const AnalysisContext& context);

/// The first barrier at which warps of a block meet; null: there is none, also where every block
/// has one warp.
const assembly::Instruction* first_common_barrier(const AnalysisContext& context);

} // namespace warpbound::analyzer
