#pragma once
/// \file
/// Hits and misses of an access stream in a set-associative cache, by reuse distance, with the
/// latencies of a GPU: data arrives late, and misses need an MSHR (Nugteren et al. 2014).

#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpbound::models::reuse_distance {

/// Reuse distances: the number of different other lines used since the last use of a line. A
/// partial-sum tree (Bennett and Kruskal) takes logarithmic time per access.
class Distances {
public:
    /// Distance of a use of this line now, without using it; none when it was never used.
    [[nodiscard]] std::optional<std::int64_t> of(std::uint64_t line) const;
    void use(std::uint64_t line);

private:
    /// Partial sum over the first `count` uses.
    [[nodiscard]] std::int64_t sum(std::size_t count) const;

    std::vector<std::int64_t> tree_; ///< Partial sums over uses: 1 for the last of a line.
    std::unordered_map<std::uint64_t, std::size_t> last_; ///< By line: number of its last use.
};

/// Mapping of lines to sets.
enum class SetIndex {
    Modulo, ///< Line number mod sets.
    /// Hash of Fermi's L1 with 32 or 64 sets: bits 4..0 of the line number XOR its bits 12, 10, 8,
    /// 7, 6, plus 32 times bit 5, mod sets.
    FermiL1
};

struct Shape {
    std::int64_t sets = 1;
    std::int64_t ways = 1;
    SetIndex index = SetIndex::Modulo;
};

/// The set of a line number. Requires: sets >= 1.
std::int64_t set_of(std::uint64_t line, const Shape& shape);

/// One access of a line; those of all warps in the order in which they are made.
struct Access {
    std::uint64_t line = 0;    ///< Number: address over line size.
    std::uint64_t sectors = 1; ///< Bit i: sector i is requested. Without sectors 1.
    std::int64_t time = 0;     ///< In any unit; must not decrease from one access to the next.
};

/// In the unit of the accesses' times.
struct Timing {
    std::int64_t hit = 0;  ///< From a hit to the update of the order of lines.
    std::int64_t miss = 0; ///< From a miss to the arrival of its data: L.
    /// sigma: each miss takes |N(0, sigma)| longer, rounded, drawn from `seed` in order.
    double spread = 0;
    std::uint64_t seed = 1;
    /// Largest number of outstanding misses (MSHRs); further accesses wait. None: no limit.
    std::optional<std::int64_t> miss_registers{};
};

struct Outcome {
    std::uint64_t hit = 0;    ///< Sectors present in the cache.
    std::uint64_t merged = 0; ///< Sectors already outstanding.
    std::uint64_t missed = 0; ///< Sectors to be fetched.
    /// Reuse distance within the set at the time of the access; none for the first use of a line.
    std::optional<std::int64_t> distance{};
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Estimate, not a bound. Outcome of each access: a sector hits when the reuse distance of its line
/// within its set is below the number of ways and it was fetched since the line was. A line is used
/// when the data of a miss arrives, so outstanding lines do not count in distances.
/// Source: Nugteren et al. 2014 (reference models 11); sectors are our extension.
/// `Shape:` outcomes[access]. Refuses shapes without sets or ways, a Fermi index with another
/// number of sets than 32 or 64, decreasing or negative times, and accesses without sectors.
Result<std::vector<Outcome>> outcomes(std::span<const Access> accesses, const Shape& shape,
                                      const Timing& timing);

} // namespace warpbound::models::reuse_distance
