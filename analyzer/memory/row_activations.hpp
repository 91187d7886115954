#pragma once
/// \file
/// How many rows of a bank of DRAM are opened while loads wait (docs/soundness.md, S22, S22c).

#include "analyzer/launch/footprint.hpp"

#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;
struct AnalysisContext;

/// None: the description does not say where rows lie. `writes`: what is stored may be written.
std::optional<RowActivations> row_activations(const AnalysisContext& context,
                                              const AccessEnumeration& accesses, bool writes);

} // namespace warpbound::analyzer
