#pragma once
/// \file
/// Which accesses of a stream hit a set-associative cache, by reuse distance, with the waits of a
/// GPU: data arrives late, and misses need a miss register (Nugteren et al. 2014).

#include "assembly/support/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpbound::models::reuse_distance {

/// Distances of accesses to lines: how many different other lines were used since the last use of
/// the line. A partial-sum tree (Bennett and Kruskal) keeps each in logarithmic time.
class Distances {
public:
    /// Of a use of this line now, without using it; nothing when it was never used.
    [[nodiscard]] std::optional<std::int64_t> of(std::uint64_t line) const;
    void use(std::uint64_t line);

private:
    /// Of the first `count` uses.
    [[nodiscard]] std::int64_t sum(std::size_t count) const;

    std::vector<std::int64_t> tree_; ///< Partial sums over uses: 1 for the last of a line.
    std::unordered_map<std::uint64_t, std::size_t> last_; ///< By line: which use was its last.
};

/// How lines map to sets.
enum class SetIndex {
    Modulo, ///< Line number mod sets.
    /// Of Fermi's L1 with 32 or 64 sets: bits 4..0 of the line number XOR its bits 12, 10, 8, 7, 6,
    /// plus 32 times bit 5, mod sets.
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
    std::uint64_t sectors = 1; ///< Bit i: sector i is asked for. Without sectors 1.
    std::int64_t time = 0;     ///< When, in any unit; must not fall from one access to the next.
};

/// In the unit of the accesses' times.
struct Timing {
    std::int64_t hit = 0;  ///< From a hit to the update of the order of lines.
    std::int64_t miss = 0; ///< From a miss to the arrival of its data: L.
    /// sigma: each miss takes |N(0, sigma)| longer, rounded, drawn from `seed` in order.
    double spread = 0;
    std::uint64_t seed = 1;
    /// Misses on their way at a time; a miss more, and all after it, wait. None: no limit.
    std::optional<std::int64_t> miss_registers{};
};

struct Outcome {
    std::uint64_t hit = 0;    ///< Sectors there.
    std::uint64_t merged = 0; ///< On their way already.
    std::uint64_t missed = 0; ///< To be fetched.
    /// Within the set, at the time of the access; none when the line was never there.
    std::optional<std::int64_t> distance{};
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Estimate, not a bound. What becomes of each access: a sector hits when the distance of its line
/// within its set is below the ways and it came in since the line did. A line is used when the
/// data of a miss arrives, so distances are taken before what is still on its way.
/// Source: Nugteren et al. 2014 (reference models 11); sectors are our extension.
/// `Shape:` outcomes[access]. Refuses shapes without sets or ways, a Fermi index with another
/// number of sets than 32 or 64, times that fall, negative times and no sectors.
Result<std::vector<Outcome>> outcomes(std::span<const Access> accesses, const Shape& shape,
                                      const Timing& timing);

} // namespace warpbound::models::reuse_distance
