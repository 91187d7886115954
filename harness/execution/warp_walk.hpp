#pragma once
/// \file
/// Which lanes of a warp are active where, by the rules of divergence and reconvergence (C37 to
/// C41), when the code decides where each lane goes.

#include "harness/execution/lane_values.hpp"
#include "harness/simulator/divergence/reconvergence_points.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::execution {

/// Active lanes that leave a block together.
struct Departure {
    Lanes lanes = 0;
    std::optional<std::size_t> edge; ///< None: they end.
};

/// Of several paths, the lanes of the first departure continue, and those of the others wait.
class WarpWalk {
public:
    /// The reconvergence points must outlive it.
    WarpWalk(const simulator::ReconvergencePoints& points, Lanes lanes);

    [[nodiscard]] bool has_ended() const { return live_ == 0; }
    [[nodiscard]] Lanes live() const { return live_; }
    [[nodiscard]] std::size_t block() const { return active_.block; }
    [[nodiscard]] Lanes lanes() const { return lanes_of(active_.cohorts); }
    /// The preceding instruction has the gap of a control transfer (C41).
    [[nodiscard]] bool was_transferred() const { return was_transferred_; }
    /// The active lanes leave the block. Returns why the warp cannot continue; empty: it can.
    /// Requires: the departures are all active lanes.
    std::string advance(std::span<const Departure> departures);

private:
    using PointId = std::size_t;
    /// Lanes in the same reconvergence points.
    struct Cohort {
        Lanes lanes = 0;
        std::vector<PointId> points; ///< The innermost last; without convergence barriers.
        std::vector<std::pair<int, PointId>> barriers; ///< By barrier register.
    };
    using Cohorts = std::vector<Cohort>;
    struct Group {
        std::size_t block = 0;
        Cohorts cohorts;
    };
    struct Point {
        PointId id = 0;
        simulator::PointKind kind = simulator::PointKind::Barrier;
        std::size_t target = 0; ///< For PostDominator.
        Lanes members = 0;
        std::size_t block = 0; ///< At which the arrived lanes continue.
        Cohorts arrived;
    };
    /// Where the cohorts of one departure go.
    struct Leaving {
        Cohort cohort;
        std::optional<std::size_t> edge;
    };

    static Lanes lanes_of(const Cohorts& cohorts);
    static void add(Cohorts& to, Cohort cohort);
    Point* find(PointId id);
    PointId make_point(simulator::PointKind kind, std::size_t target, Lanes members);
    void leave_barrier(Cohort& cohort, int reg);
    void apply_updates(const simulator::BlockReconvergence& here);
    std::vector<Leaving> leaving_cohorts(std::span<const Departure> departures);
    void push_post_dominator(std::vector<Leaving>& leaving,
                             const simulator::BlockReconvergence& here);
    void follow(Leaving leaving, const simulator::BlockReconvergence& here,
                std::vector<Group>& going);
    std::optional<PointId> arrival_point(Cohort& cohort, const simulator::BlockReconvergence& here);
    void go_or_arrive(Cohort cohort, std::size_t block, std::vector<Group>& going);
    void arrive(Cohort cohort, PointId id, std::size_t block);
    void open_points();
    std::string resume(std::vector<Group> going);

    const simulator::ReconvergencePoints* points_of_code_;
    Group active_;
    std::vector<Group> pending_; ///< The last one is resumed first.
    std::vector<Point> points_;
    PointId next_point_ = 0;
    Lanes live_;
    Lanes fell_through_ = 0;
    Lanes transferred_ = 0;
    bool was_transferred_ = true;
};

} // namespace warpbound::harness::execution
