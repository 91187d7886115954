#pragma once
/// \file
/// Data that a launch certainly loads and does not store to before: sectors or lines, counted from
/// the listing and the launch (docs/theory, S79). Shares no code with the analysis.

#include "certification/verify/evidence.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// What one more of an index adds to an address, and how many values the index has.
struct IndexStep {
    std::int64_t distance = 0; ///< Not negative. `Unit:` bytes.
    std::int64_t values = 1;
};

/// Units of memory. Side: lower.
struct UnitsOfSet {
    std::int64_t met = 0;    ///< Of which a byte is accessed.
    std::int64_t filled = 0; ///< Of which all bytes are accessed.
};

/// Units that hold the bytes `width` from each address on, which all values of the indices give,
/// wherever they begin (claim 1). `unit`: a power of two.
UnitsOfSet units_of_strides(std::vector<IndexStep> steps, std::int64_t width, std::int64_t unit);

/// Throws `Finding` where a set holds fewer units than stated, one may hold units of another, or
/// the launch may store to them before (claims 1 and 2).
void check_loaded_data(const KernelCase& kernel, const LoadedDataRow& stated);

} // namespace warpbound::certification::verify
