#pragma once
/// \file
/// For how long a launch waits at caches, links and DRAM as a sum of path lemmas, for evidence
/// (docs/soundness.md, S26, in slots S29). It may be looser than `waits`: of the addresses it uses
/// the passes only.

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Terms to add to an upper bound of `unloaded` cycles in which no access waits for another; keeps
/// their lemmas. Side: upper. Requires: the request asks for proofs; `context.caches`, and nothing
/// that is said of the accesses beyond their passes.
std::vector<BoundTerm> certify_queueing_delay(const AnalysisContext& context,
                                              models::Cycles unloaded);

} // namespace warpbound::analyzer
