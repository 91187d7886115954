#pragma once
/// \file
/// DRAM row activations of a bank while loads wait (docs/theory, S22, S22c).

#include "analyzer/launch/footprint.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;

/// None: the description does not determine the bank of a row. `writes`: stored data may be written
/// to DRAM.
std::optional<RowActivations> row_activations(const TimedKernel& kernel,
                                              const MemoryParameters& caches,
                                              const AccessEnumeration& accesses, bool writes);

} // namespace warpbound::analyzer
