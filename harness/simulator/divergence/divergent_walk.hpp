#pragma once
/// \file
/// The way of a warp whose lanes part and meet again: rules C38 to C40, chosen while it runs.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/divergence/lanes.hpp"
#include "harness/simulator/divergence/reconvergence_points.hpp"
#include "harness/simulator/paths/path_space.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator {

/// `wanted` of the lanes, each as likely as the others. Requires: there are as many.
LaneMask draw_lanes(LaneMask lanes, std::int64_t wanted, RandomSource& random);

/// How the active lanes left a block.
struct LaneTurn {
    enum class Kind {
        Goes,  ///< There are active lanes again, perhaps others.
        Ends,  ///< All lanes have ended.
        NoWay, ///< The flow facts leave no way that all active lanes can go.
        Stuck  ///< As `anomaly` says.
    };
    Kind kind = Kind::Goes;
    bool transferred = true; ///< The lanes that go on did not just fall through.
};

/// Lanes that are active in a block together share what they know of their path as long as it is
/// the same. Walks over the same space that start with equal chances are equal.
class DivergentWalk {
public:
    /// Requires: the space has a path; space and convergence outlive the walk.
    DivergentWalk(const PathSpace& space, const Convergence& convergence, LaneMask lanes,
                  const RandomSource& random);

    [[nodiscard]] std::size_t block() const { return active_.block; }
    [[nodiscard]] LaneMask lanes() const { return lanes_of(active_); }
    /// The active lanes leave the block. Requires: the turn before went.
    LaneTurn advance();
    /// Which edges were followed in the last turn, and by whom.
    struct Move {
        std::size_t edge = 0;
        LaneMask lanes = 0;
    };
    [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
    /// Who waits for whom, after a turn that is stuck.
    [[nodiscard]] std::string anomaly() const;
    /// The chance as the walk left it.
    [[nodiscard]] const RandomSource& random() const { return random_; }

private:
    using PointId = std::uint32_t;
    /// Lanes with the same future.
    struct Cohort {
        LaneMask lanes = 0;
        std::vector<std::int64_t> owed; ///< As in `PathWalk`.
        std::vector<std::int64_t> done; ///< Executions of the header since the loop was entered.
        std::vector<PointId> points;    ///< Joined, the innermost last; without barriers.
        std::vector<std::pair<int, PointId>> barriers; ///< By register.
    };
    struct Group {
        std::size_t block = 0;
        std::vector<Cohort> cohorts;
    };
    struct Point {
        PointId id = 0;
        PointKind kind = PointKind::Reconvergence;
        int reg = 0;
        std::size_t target = 0; ///< For PostDominator.
        LaneMask members = 0;   ///< Who joined, did not leave and has not ended.
        std::size_t block = 0;  ///< Where the lanes that arrived go on.
        std::vector<Cohort> arrived;
    };
    using Way = std::optional<std::size_t>; ///< An edge; none: the end.
    struct Part {
        Cohort cohort;
        Way way;
    };

    static LaneMask lanes_of(const Group& group);
    static LaneMask lanes_of(const std::vector<Cohort>& cohorts);
    static void add(std::vector<Cohort>& to, Cohort cohort);
    Point* find(PointId id);
    PointId make_point(PointKind kind, int reg, std::size_t target, LaneMask members);
    void leave(PointId id, LaneMask lanes);
    void leave_barrier(Cohort& cohort, int reg);
    void follow_steps(const BlockConvergence& here);

    [[nodiscard]] std::vector<Way> ways_of(const Cohort& cohort);
    std::vector<Part> choose_alike();
    std::vector<Part> choose_apart();
    bool part_from(Part& stays, std::vector<Way>& taken, std::vector<Part>& parts);
    /// The further executions that lanes may owe after turning by the edge; `Unit:` count.
    std::optional<LoopBound> further_turns(const Cohort& cohort, const PathSpace::Step& step);
    /// Counts with which the lanes could have been sent this way; none when there are none.
    std::optional<Cohort> sent(const Cohort& cohort, Way way);
    void join_post_dominator(std::vector<Part>& parts, const BlockConvergence& here);
    void take(Cohort& cohort, std::size_t edge);
    void enter_loop(Cohort& cohort, std::size_t header);
    void follow(Part part, const BlockConvergence& here, std::vector<Group>& going);
    void arrive(Cohort cohort, PointId id, std::size_t block);
    void go_or_arrive(Cohort cohort, std::size_t block, std::vector<Group>& going);
    std::optional<PointId> arrival_point(Cohort& cohort, const BlockConvergence& here);
    void open_points();
    LaneTurn resume(std::vector<Group> going);

    const PathSpace* space_;
    const Convergence* convergence_;
    RandomSource random_;
    Group active_;
    std::vector<Group> waiting_; ///< The one that goes on next last.
    std::vector<Point> points_;  ///< Oldest first.
    PointId next_point_ = 0;
    LaneMask live_;
    LaneMask fell_ = 0;  ///< In this turn.
    LaneMask moved_ = 0; ///< Transferred in this turn.
    std::vector<Move> moves_;
    std::vector<std::int64_t> trial_;
    std::string anomaly_;
};

} // namespace warpbound::harness::simulator
