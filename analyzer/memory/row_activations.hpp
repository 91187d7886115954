#pragma once
/// \file
/// DRAM row activations of a bank while loads wait (docs/theory, S22, S22c).

#include "analyzer/launch/footprint.hpp"

#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;
struct AnalysisContext;

/// None: the description does not determine the bank of a row. `writes`: stored data may be written
/// to DRAM.
std::optional<RowActivations> row_activations(const AnalysisContext& context,
                                              const AccessEnumeration& accesses, bool writes);

} // namespace warpbound::analyzer
