#pragma once
/// \file
/// How many points of a warp lie in times for which instructions of others hold something
/// (docs/soundness.md, S17).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/context.hpp"
#include "analyzer/launch/slot_table.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// For how long an instruction holds something that others wait for, and whether it is the
/// multiprocessor's or a scheduler's. `Unit:` core cycles from its issue; 0: it does not.
struct Held {
    std::int64_t cycles = 0;
    bool core = false;
    friend auto operator<=>(const Held&, const Held&) = default;
};

/// Points of one warp in the times for which instructions hold something. Side: upper.
class BlockedSlots {
public:
    /// `held`: by instruction of the function. `of_own_block`: which of them count where they are
    /// of a warp of the same block; empty: all.
    BlockedSlots(const AnalysisContext& context, std::vector<Held> held,
                 std::vector<bool> of_own_block = {});

    /// In one wave: of the warp in `place` of one of `schedulers[own]`, by all others.
    std::int64_t of_place(const std::vector<EquivalentSchedulers>& schedulers, std::size_t own,
                          std::int64_t place);
    /// The same, by its own instructions: of two that issue at one point (gap 0, C4) the second one
    /// loses it.
    std::int64_t by_itself(const SlotTable& order, std::int64_t place);
    /// In one wave: cycles that a chain of warps of `block` loses at covered points, each as many
    /// as lie between slots.
    std::int64_t cycles_of_block(std::int64_t block);
    /// The same in several waves, of a chain of warps in any places, whose slots are so far apart.
    std::int64_t cycles_of_any(const std::vector<SlotDistance>& distances);

private:
    /// Points in one time. `Shape:` covered[kind].
    using Covered = std::vector<std::int64_t>;

    /// Of one time of `held`, by a place of the same scheduler.
    [[nodiscard]] static std::int64_t in_time(const Held& held, const SlotBoundaries& points,
                                              const SlotTable& order, std::int64_t other);
    /// Whether warps in two places, of any schedulers, are surely of one block.
    [[nodiscard]] bool in_one_block(std::int64_t place, std::int64_t other) const;
    std::int64_t by_place(const SlotBoundaries& points, const SlotTable& order, std::int64_t place,
                          std::int64_t other);
    std::int64_t by_scheduler(const SlotBoundaries& points, const SlotTable& order,
                              std::int64_t place);
    std::int64_t by_any_scheduler(std::int64_t places, std::int64_t shortest, bool own_block);
    /// The most in all times of a warp.
    std::int64_t most(const Covered& covered, bool own_block = false);

    const AnalysisContext& context_;
    std::vector<Held> held_;
    std::vector<bool> of_own_block_;
    std::vector<Held> kinds_; ///< Different ones, sorted.
    std::map<std::pair<bool, Covered>, std::int64_t> known_;
};

} // namespace warpbound::analyzer
