#pragma once
/// \file
/// Queueing delay of a launch at caches, links and DRAM, beyond the unloaded latencies
/// (docs/theory, S21).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"
#include "models/units.hpp"

#include <string>
#include <vector>

namespace warpbound::analyzer {

/// What tells the alternative apart from others.
std::string text_of(QueueingRules rules);
/// The alternatives that addresses and description allow. Requires: `context.caches`.
std::vector<QueueingRules> queueing_rules(const AnalysisContext& context);

/// The context without queueing delay, with the latencies that `rules` assume.
AnalysisContext without_queueing(const AnalysisContext& context, QueueingRules rules);
/// Terms to add to an upper bound of `unloaded` cycles of that context. Side: upper.
std::vector<BoundTerm> queueing_delay(const AnalysisContext& context, QueueingRules rules,
                                      models::Cycles unloaded);

} // namespace warpbound::analyzer
