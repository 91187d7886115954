#pragma once
/// \file
/// Stores that hold the port of their unit for no longer than they take to drain: both count once
/// (docs/theory, S52).

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// `context`, in which such stores hold no port. Requires: the drains of all stores are counted.
/// Side: upper.
AnalysisContext without_ports_of_stores(const AnalysisContext& context);

} // namespace warpbound::analyzer
