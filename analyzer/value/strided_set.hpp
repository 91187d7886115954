#pragma once
/// \file
/// Sets of byte addresses that strides span, and how many sectors or lines of memory they touch
/// (S79).

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// An index that counts from 0 to `count` - 1, and what one more of it adds to an address.
struct StridedIndex {
    std::int64_t stride = 0; ///< Of less than 2^31 bytes in size. `Unit:` bytes.
    std::int64_t count = 1;
};

/// Units of memory: sectors or lines. `Side:` lower.
struct TouchedUnits {
    std::int64_t touched = 0; ///< Of which a byte is accessed.
    std::int64_t covered = 0; ///< Of which all bytes are accessed.
};

/// The different units that hold the addresses base + sum of index x stride, `bytes` from each on,
/// for all values of the indices and whatever the base is. `unit`: a power of two. Sound for
/// addresses modulo 2^32, too: no more of an index is used than spans 2^32 bytes. In closed form;
/// where translated parts overlap irregularly, one of them counts.
TouchedUnits least_touched(std::vector<StridedIndex> indices, std::int64_t bytes,
                           std::int64_t unit);

} // namespace warpbound::analyzer
