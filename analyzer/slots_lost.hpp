#pragma once
/// \file
/// How many slots of a warp pass at which it may issue but for instructions of others
/// (docs/soundness.md, S17).

#include "analyzer/slot_order.hpp"
#include "analyzer/warp_work.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// Schedulers of a multiprocessor that have the same number of places.
struct AlikeSchedulers {
    std::int64_t count = 1;
    SlotOrder order;
};
/// Schedulers on which the first blocks have warps.
std::vector<AlikeSchedulers> schedulers_of(const models::WarpPolicy& policy,
                                           const LaunchShape& shape);

/// For how long an instruction holds something that others wait for, and whether it is the
/// multiprocessor's or a scheduler's. `Unit:` core cycles from its issue; 0: it does not.
struct Held {
    std::int64_t cycles = 0;
    bool core = false;
    friend auto operator<=>(const Held&, const Held&) = default;
};

/// Points of one warp in the times for which instructions hold something. Side: upper.
class CoveredPoints {
public:
    /// `held`: by instruction of the function.
    CoveredPoints(const Problem& problem, std::vector<Held> held);

    /// In one wave: of the warp in `place` of one of `schedulers[own]`, by all others.
    std::int64_t of_place(const std::vector<AlikeSchedulers>& schedulers, std::size_t own,
                          std::int64_t place);
    /// The same, by its own instructions: of two that issue at one point (gap 0, C4) the second one
    /// loses it.
    std::int64_t by_itself(const SlotOrder& order, std::int64_t place);
    /// In one wave: cycles that a chain of warps of `block` loses at covered points, each as many
    /// as lie between slots.
    std::int64_t cycles_of_block(std::int64_t block);
    /// The same of a chain of warps in any places, whose slots are so far apart.
    std::int64_t cycles_of_any(const std::vector<SlotDistance>& distances);

private:
    /// Points in one time. `Shape:` covered[kind].
    using Covered = std::vector<std::int64_t>;

    /// Of one time of `held`, by a place of the same scheduler.
    [[nodiscard]] static std::int64_t in_time(const Held& held, const PointsOfPlace& points,
                                              const SlotOrder& order, std::int64_t other);
    std::int64_t by_place(const PointsOfPlace& points, const SlotOrder& order, std::int64_t other);
    std::int64_t by_scheduler(const PointsOfPlace& points, const SlotOrder& order,
                              std::int64_t shortest);
    std::int64_t by_any_scheduler(std::int64_t places, std::int64_t shortest);
    /// The most in all times of a warp.
    std::int64_t most(const Covered& covered);

    const Problem& problem_;
    std::vector<Held> held_;
    std::vector<Held> kinds_; ///< Different ones, sorted.
    std::map<Covered, std::int64_t> known_;
};

/// Points of a warp that are lost: a port is taken, or the write buffer is full. Side: upper.
struct LostSlots {
    std::int64_t to_ports = 0;
    std::int64_t to_stores = 0;
    std::int64_t cycles = 1; ///< That each counts.
};

/// In one wave: for every distance between slots, of the warps whose slots are so far apart.
std::map<SlotDistance, LostSlots> lost_slots(const Problem& problem);
/// Where the chain changes its place, in cycles: at barriers of a block, of which it passes so many
/// in a wave, or in several waves. Its slots are as far apart as one of `distances` says.
LostSlots lost_between_places(const Problem& problem, const std::vector<SlotDistance>& distances,
                              std::int64_t barriers);

} // namespace warpbound::analyzer
