#pragma once
/// \file
/// What holds miss entries of L1s and slices whenever an access waits for one (docs/soundness.md,
/// S21 and S22).

#include "analyzer/launch/context.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Of a problem with caches, which must outlive it. Side: lower, unless one says otherwise.
class Entries {
public:
    explicit Entries(const AnalysisContext& context)
        : context_{context}, caches_{*context.caches} {}

    /// Whether an entry of an L1 always has a place for who asks for its sector.
    [[nodiscard]] bool is_shared_by_few() const;
    /// Transactions that hold entries of an L1 whenever one waits for a free entry.
    [[nodiscard]] std::int64_t holders_in_l1() const;
    /// Sectors that they hold then.
    [[nodiscard]] std::int64_t held_in_l1() const;
    /// Line accesses that are under way whenever one waits for an entry of an L1 or a place in one.
    [[nodiscard]] std::int64_t places_in_l1() const;
    /// The same of a slice. The largest number where none waits there.
    [[nodiscard]] std::int64_t places_in_slice() const;

private:
    /// Sectors of the L1 that a line access asks for. Side: upper.
    [[nodiscard]] std::int64_t sectors() const;

    const AnalysisContext& context_;
    const MemoryParameters& caches_;
};

} // namespace warpbound::analyzer
