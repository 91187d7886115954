#pragma once
/// \file
/// Queueing delay of global atomics at the slices of the L2 (docs/theory, S34).

#include "analyzer/launch/path_bound.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Whether an atomic of the launch may have to wait for another one, or may take longer at its
/// slice than its latency. It may not where the port of the only multiprocessor keeps all atomics
/// far enough apart.
bool atomics_may_wait(const AnalysisContext& context);

/// Terms to add to an upper bound in which no atomic waits; keeps their certificates, if the
/// request asks for certificates. None where none waits. Side: upper.
std::vector<BoundTerm> atomic_delay(const AnalysisContext& context);

} // namespace warpbound::analyzer
