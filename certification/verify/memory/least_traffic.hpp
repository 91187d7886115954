#pragma once
/// \file
/// Lower bounds by data that no cache can hold at the start of a launch (docs/theory, S79).

#include "certification/verify/evidence.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// The sums that a claim on these data may be: of channels, or of slices and links. Throws
/// `Finding` where the description lacks a value, or the units are neither sectors of the L2 nor
/// lines of the L1.
std::vector<std::vector<Term>> sums_of_loaded_data(const KernelCase& kernel,
                                                   std::int64_t multiprocessors,
                                                   const LoadedDataRow& loaded);

} // namespace warpbound::certification::verify
