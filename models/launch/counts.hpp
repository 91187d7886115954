#pragma once
/// \file
/// Counts of warps and of thread blocks. Counts of different things are different types, and
/// arithmetic that would overflow throws.

#include "models/units.hpp"

#include <compare>
#include <cstdint>

namespace warpbound::models {

/// How many things of one kind there are. There is no conversion from or to integers: to compute
/// otherwise with a count, take its `count`.
/// Errors: every operator throws `std::overflow_error` instead of wrapping around.
template <class Counted> class Count {
public:
    constexpr Count() = default;
    explicit constexpr Count(std::int64_t count) : count_{count} {}

    [[nodiscard]] constexpr std::int64_t count() const { return count_; }

    friend constexpr Count operator+(Count a, Count b) { return Count{plus(a.count_, b.count_)}; }
    friend constexpr Count operator-(Count a, Count b) {
        return Count{(Cycles{a.count_} - Cycles{b.count_}).count()};
    }
    friend constexpr Count operator*(Count a, std::int64_t factor) {
        return Count{times(a.count_, factor)};
    }
    friend constexpr Count operator*(std::int64_t factor, Count a) { return a * factor; }
    /// An even share, rounded down. Requires: `parts` > 0.
    friend constexpr Count operator/(Count a, std::int64_t parts) {
        return Count{a.count_ / parts};
    }
    /// How many groups of `group` there are in full. Requires: `group` > 0.
    friend constexpr std::int64_t operator/(Count a, Count group) {
        return a.count_ / group.count_;
    }
    constexpr Count& operator+=(Count other) { return *this = *this + other; }
    constexpr Count& operator++() { return *this += Count{1}; }
    friend constexpr auto operator<=>(Count, Count) = default;

private:
    std::int64_t count_ = 0;
};

/// An even share, rounded up. Requires: `all` >= 0, `parts` > 0. Errors: as of `Count`.
template <class Counted>
constexpr Count<Counted> divide_up(Count<Counted> all, std::int64_t parts) {
    return Count<Counted>{plus(all.count(), parts - 1) / parts};
}
/// Into how many groups of `group` all of them go. Requires: `all` >= 0, `group` > 0. Errors: as of
/// `Count`.
template <class Counted>
constexpr std::int64_t divide_up(Count<Counted> all, Count<Counted> group) {
    return divide_up(all, group.count()).count();
}

/// Of all of them, where each has `of_one`. Errors: as of `Count`.
template <class Counted> constexpr std::int64_t times(std::int64_t of_one, Count<Counted> all) {
    return times(of_one, all.count());
}
template <class Counted> constexpr Cycles operator*(Cycles of_one, Count<Counted> all) {
    return of_one * all.count();
}

struct CountedWarp;        ///< A warp, or a warp slot that holds one.
struct CountedThreadBlock; ///< A thread block, or a block slot that holds one.
using Warps = Count<CountedWarp>;
using ThreadBlocks = Count<CountedThreadBlock>;

/// The warps of all these blocks. Errors: as of `Count`.
constexpr Warps operator*(ThreadBlocks blocks, Warps of_each) {
    return of_each * blocks.count();
}

} // namespace warpbound::models
