#pragma once
/// \file
/// The path of a warp whose lanes diverge and reconverge, chosen while it runs: rules C38 to C40.

#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/divergence/lanes.hpp"
#include "harness/simulator/divergence/reconvergence_points.hpp"
#include "harness/simulator/paths/path_space.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator {

/// A random subset of `wanted` of the lanes, all subsets equally likely. Requires: there are as
/// many lanes.
LaneMask draw_lanes(LaneMask lanes, std::int64_t wanted, RandomSource& random);

/// How the active lanes left a block.
struct DivergentTransition {
    enum class Kind {
        Continues, ///< There are active lanes again, perhaps others.
        Ended,     ///< All lanes have ended.
        NoPath,    ///< The flow facts leave no successor that all active lanes can take.
        Anomaly    ///< As `anomaly` says.
    };
    Kind kind = Kind::Continues;
    bool transferred = true; ///< The next active lanes did not just fall through.
};

/// Lanes that are active in the same block share one loop state while their loop states are equal.
/// Walks over the same space that start with equal random sources are equal.
class DivergentWalk {
public:
    /// `common`: the source of the choices that the warps of a thread block share.
    /// Requires: the space has a path; space and reconvergence points outlive the walk.
    DivergentWalk(const PathSpace& space, const ReconvergencePoints& reconvergence, LaneMask lanes,
                  const RandomSource& random, const RandomSource& common);

    [[nodiscard]] std::size_t block() const { return active_.block; }
    [[nodiscard]] LaneMask lanes() const { return lanes_of(active_); }
    /// The active lanes leave the block. Requires: the transition before continued.
    DivergentTransition advance();
    /// An edge that lanes followed in the last transition.
    struct Move {
        std::size_t edge = 0;
        LaneMask lanes = 0;
    };
    [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
    /// Why the last transition was an anomaly: for instance which lanes wait for which.
    [[nodiscard]] std::string anomaly() const;
    /// The random source as the walk left it.
    [[nodiscard]] const RandomSource& random() const { return random_; }

private:
    using PointId = std::uint32_t;
    /// Lanes with the same loop state and reconvergence points.
    struct Cohort {
        LaneMask lanes = 0;
        std::vector<std::int64_t> remaining; ///< As in `PathWalk`.
        std::vector<std::int64_t>
            executed;                ///< Executions of the header since the loop was entered.
        std::vector<PointId> points; ///< Their SIMT stack, the innermost last; without barriers.
        std::vector<std::pair<int, PointId>> barriers; ///< By barrier register.
    };
    /// Lanes that are at the same block and issue it together.
    struct Group {
        std::size_t block = 0;
        std::vector<Cohort> cohorts;
    };
    /// A reconvergence point at which lanes still have to arrive.
    struct Point {
        PointId id = 0;
        PointKind kind = PointKind::Reconvergence;
        int reg = 0;
        std::size_t target = 0; ///< For PostDominator.
        LaneMask members = 0;   ///< Lanes that participate: pushed it, did not leave, did not end.
        std::size_t block = 0;  ///< The block at which the arrived lanes resume.
        std::vector<Cohort> arrived;
    };
    using Successor = std::optional<std::size_t>; ///< An edge; none: the EXIT.
    struct Choice {
        Cohort cohort;
        Successor successor;
    };

    static LaneMask lanes_of(const Group& group);
    static LaneMask lanes_of(const std::vector<Cohort>& cohorts);
    static void add(std::vector<Cohort>& to, Cohort cohort);
    Point* find(PointId id);
    PointId make_point(PointKind kind, int reg, std::size_t target, LaneMask members);
    void leave(PointId id, LaneMask lanes);
    void leave_barrier(Cohort& cohort, int reg);
    void apply_updates(const BlockReconvergence& here);

    [[nodiscard]] std::vector<Successor> successors_of(const Cohort& cohort);
    std::vector<Choice> choose_uniform();
    std::vector<Choice> choose_divergent();
    bool diverge_from(Choice& kept, std::vector<Successor>& taken, std::vector<Choice>& choices);
    /// How many further header executions lanes can have after they followed the back edge.
    std::optional<LoopBound> further_iterations(const Cohort& cohort, const PathSpace::Step& step);
    /// A loop state with which the lanes could take this successor; none when there is none.
    std::optional<Cohort> redirected(const Cohort& cohort, Successor successor);
    void push_post_dominator(std::vector<Choice>& choices, const BlockReconvergence& here);
    void take(Cohort& cohort, std::size_t edge);
    void enter_loop(Cohort& cohort, std::size_t header);
    void follow(Choice choice, const BlockReconvergence& here, std::vector<Group>& going);
    void arrive(Cohort cohort, PointId id, std::size_t block);
    void go_or_arrive(Cohort cohort, std::size_t block, std::vector<Group>& going);
    std::optional<PointId> arrival_point(Cohort& cohort, const BlockReconvergence& here);
    void open_points();
    DivergentTransition resume(std::vector<Group> going);

    const PathSpace* space_;
    const ReconvergencePoints* reconvergence_;
    RandomSource random_;
    RandomSource common_;
    std::optional<std::int64_t> common_iterations_; ///< Of the loop entered in this transition.
    Group active_;
    std::vector<Group> pending_; ///< Pending paths; the last one is resumed first.
    std::vector<Point> points_;  ///< Oldest first.
    PointId next_point_ = 0;
    LaneMask live_;
    LaneMask fell_through_ = 0; ///< In this transition.
    LaneMask transferred_ = 0;  ///< In this transition.
    std::vector<Move> moves_;
    std::vector<std::int64_t> trial_;
    std::string anomaly_;
};

} // namespace warpbound::harness::simulator
