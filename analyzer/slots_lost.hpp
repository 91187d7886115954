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

/// Points of a warp that are lost to ports. Side: upper.
class LostToPorts {
public:
    explicit LostToPorts(const Problem& problem);

    /// In one wave: of the warp in `place` of one of `schedulers[own]`.
    std::int64_t of_place(const std::vector<AlikeSchedulers>& schedulers, std::size_t own,
                          std::int64_t place);
    /// Of a chain of warps in any places, whose points are at least `shortest` cycles apart.
    std::int64_t of_any(std::int64_t shortest);

private:
    /// How long a port is held, and whether by the multiprocessor's warps or a scheduler's.
    struct Use {
        std::int64_t occupancy = 0;
        bool core = false;
        friend auto operator<=>(const Use&, const Use&) = default;
    };
    /// Points that one use covers. `Shape:` covered[use].
    using Covered = std::vector<std::int64_t>;

    [[nodiscard]] std::int64_t to_place(const PointsOfPlace& points, const SlotOrder& order,
                                        std::int64_t other);
    [[nodiscard]] std::int64_t to_scheduler(const PointsOfPlace& points, const SlotOrder& order,
                                            std::int64_t shortest);
    [[nodiscard]] std::int64_t to_any_scheduler(std::int64_t places, std::int64_t shortest);
    /// The most points that all uses of a warp cover.
    std::int64_t most(const Covered& covered);

    const Problem& problem_;
    std::vector<Use> uses_;           ///< Different ones.
    std::vector<std::size_t> use_of_; ///< Per instruction; `uses_.size()`: none.
    std::map<Covered, std::int64_t> known_;
};

/// Points of one warp after another, at least `shortest` cycles apart, at which the write buffer is
/// full. Side: upper.
std::int64_t lost_to_stores(const Problem& problem, std::int64_t shortest);

} // namespace warpbound::analyzer
