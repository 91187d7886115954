#pragma once
/// \file
/// Occupancy of the miss-status holding registers (MSHRs) of L1s and slices whenever an access
/// waits for an entry (docs/theory, S21 and S22).

#include "analyzer/launch/memory_path.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Requires: `memory.caches`; `memory` must outlive the object. Side: lower, unless stated.
class MshrOccupancy {
public:
    MshrOccupancy(const MemoryPath& memory, std::int64_t multiprocessors)
        : memory_{memory}, caches_{*memory.caches}, multiprocessors_{multiprocessors} {}

    /// Whether an access can always merge into the L1 entry of its sector.
    [[nodiscard]] bool merges_always_fit() const;
    /// Transactions in the entries of an L1 whenever an access waits for a free entry.
    [[nodiscard]] std::int64_t transactions_in_full_l1() const;
    /// Their sectors.
    [[nodiscard]] std::int64_t sectors_in_full_l1() const;
    /// Outstanding line accesses whenever one waits for an L1 entry or to merge into one.
    [[nodiscard]] std::int64_t accesses_in_full_l1() const;
    /// The same for a slice. The largest number if no access waits there.
    [[nodiscard]] std::int64_t accesses_in_full_slice() const;

private:
    /// Sectors of the L1 that a line access requests. Side: upper.
    [[nodiscard]] std::int64_t sectors() const;

    const MemoryPath& memory_;
    const MemoryParameters& caches_;
    std::int64_t multiprocessors_;
};

} // namespace warpbound::analyzer
