#pragma once
/// \file
/// When each of many sleeping components wakes.

#include "harness/simulator/clock/component.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::harness::simulator {

/// A calendar queue: each day of a year of `days` cycles has a bucket with the sleepers that wake
/// on it in this or in a later year. A change costs the same however many sleep, and so does the
/// search for the earliest, unless none wakes within a year.
class WakeTimes {
public:
    static constexpr std::size_t days = 256;

    WakeTimes();

    /// Adds a sleeper that never wakes. Returns its number.
    std::size_t add();
    /// `Unit:` cycles, from 0 on.
    void set(std::size_t sleeper, std::int64_t cycle) {
        const auto index = static_cast<Index>(sleeper);
        std::int64_t& kept = sleepers_[index].cycle;
        if (kept == cycle) return;
        if (kept != never) leave(index);
        kept = cycle;
        if (cycle != never) enter(index);
    }
    /// `never` when none wakes.
    [[nodiscard]] std::int64_t earliest() const;
    /// Appends the sleepers that wake up to `now`, in any order. They do not wake again.
    void take(std::int64_t now, std::vector<std::size_t>& sleepers);

private:
    using Index = std::uint32_t;
    static constexpr Index none = ~Index{0};
    static constexpr std::size_t word_bits = 64;

    /// Linked to the others of its bucket.
    struct Sleeper {
        std::int64_t cycle;
        Index before = none;
        Index after = none;
    };

    static std::size_t day_of(std::int64_t cycle) { return static_cast<std::size_t>(cycle) % days; }
    void enter(Index sleeper);
    void leave(Index sleeper);
    void take_bucket(std::size_t day, std::int64_t now, std::vector<std::size_t>& sleepers);
    /// Cycles from this one to the next whose bucket is not empty; `days` where all are empty.
    [[nodiscard]] std::size_t to_next_bucket(std::int64_t cycle) const;
    [[nodiscard]] bool wakes_one(std::int64_t cycle) const;

    std::vector<Sleeper> sleepers_;
    std::array<Index, days> first_{};
    std::array<std::uint64_t, days / word_bits> occupied_{}; ///< Bit i of word k: day 64 k + i.
    std::size_t waking_ = 0;                                 ///< Sleepers in buckets.
    mutable std::int64_t from_ = 0;                          ///< None wakes before.
};

} // namespace warpbound::harness::simulator
