#pragma once
/// \file
/// Chooses paths that satisfy the flow facts.

#include "harness/simulator/paths/divergent_walk.hpp"
#include "harness/simulator/paths/path_walk.hpp"
#include "models/facts/flow_facts.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpbound::harness::simulator {

/// The paths of a function under flow facts. Loop bounds and `never` hold by construction. Of each
/// of the first six pairs of exclusive blocks one is excluded at random. Further pairs and linear
/// facts hold because walks that violate them are rejected.
class PathChooser {
public:
    /// Refuses a loop without a bound, facts that name no block or loop header of the function, a
    /// bound of zero, and facts that no path satisfies. `graph` must outlive the chooser.
    /// `shared_choices`: per block, whether the warps of a thread block leave it alike (C9a);
    /// empty: none.
    static Result<PathChooser> make(const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts,
                                    const std::vector<bool>& shared_choices = {});
    /// The paths of the threads that represent their warps. Requires: facts with such threads.
    static Result<PathChooser> of_representatives(const assembly::ControlFlowGraph& graph,
                                                  const models::FlowFacts& facts,
                                                  const std::vector<bool>& shared_choices);

    /// A path of one warp. Refuses when no path that satisfies the facts was found in a limited
    /// number of tries. `common`: the source of the choices that the warps of a thread block share.
    [[nodiscard]] Result<PathWalk> choose(RandomSource random, RandomSource common) const;
    /// A path of one warp whose lanes may diverge; the path of each lane satisfies the facts. Also
    /// refuses lanes that wait for each other.
    [[nodiscard]] Result<DivergentWalk> choose(RandomSource random, RandomSource common,
                                               LaneMask lanes,
                                               const ReconvergencePoints& reconvergence) const;
    /// Of representatives: a path of `all` on which some lane follows the path of one. Nothing
    /// where none was found in a few tries, or where warps share choices.
    [[nodiscard]] std::optional<DivergentWalk>
    choose_among(const PathChooser& all, RandomSource random, RandomSource common, LaneMask lanes,
                 const ReconvergencePoints& reconvergence) const;
    /// Some path may visit the block.
    [[nodiscard]] bool visits(std::size_t block) const;
    /// Refuses a block sequence that does not follow edges from the entry to an exiting block, and
    /// blocks that the facts exclude.
    [[nodiscard]] Result<void> check(std::span<const std::size_t> path) const;

private:
    /// A linear fact or an exclusive pair, over block and edge counts.
    struct Condition {
        std::vector<std::pair<std::size_t, std::int64_t>> blocks; ///< (block, coefficient)
        std::vector<std::pair<std::size_t, std::int64_t>> edges;
        models::Relation relation = models::Relation::AtMost;
        std::int64_t constant = 0;
        bool exclusive =
            false; ///< At most one of the two sets of blocks (coefficients 1 and 2) executes.
    };
    struct Counts {
        std::vector<std::int64_t> blocks;
        std::vector<std::int64_t> edges;
    };
    /// Counts of lanes that followed the same path so far.
    struct LaneCounts {
        LaneMask lanes = 0;
        Counts counts;
    };

    static Result<PathChooser> make(const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts,
                                    const PathRestrictions& restrictions);
    [[nodiscard]] bool holds_all(const Counts& counts) const {
        return std::all_of(conditions_.begin(), conditions_.end(),
                           [&](const Condition& condition) { return holds(condition, counts); });
    }
    /// Whether a path with these counts avoids the edges and ends.
    [[nodiscard]] bool avoids_excluded(const Counts& counts) const;
    Result<void> add_condition(const models::LinearFact& fact);
    /// A space that `random` draws; where warps share choices, one and the same for all of them.
    const PathSpace& draw_space(RandomSource& random, RandomSource& common) const {
        RandomSource& source = shares_choices_ ? common : random;
        return spaces_[static_cast<std::size_t>(
            source.draw(0, static_cast<std::int64_t>(spaces_.size()) - 1))];
    }
    [[nodiscard]] static bool holds(const Condition& condition, const Counts& counts);
    /// Walks to the end and counts. Returns the steps taken; stops beyond `limit`.
    static std::int64_t count(PathWalk& walk, const assembly::ControlFlowGraph& graph,
                              Counts& counts, std::int64_t limit);
    /// Walks to the end of all lanes and counts. Returns the last transition, NoPath beyond `limit`
    /// steps. `counts`: whether the counts are wanted.
    DivergentTransition::Kind count(DivergentWalk& walk, std::vector<LaneCounts>& lane_counts,
                                    std::int64_t limit, std::int64_t& steps, bool counts) const;
    [[nodiscard]] Failure no_path() const;
    [[nodiscard]] std::vector<std::size_t> blocks_at(std::int64_t address) const;

    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::string facts_name_;
    std::vector<PathSpace> spaces_; ///< Each has a path; every path is in one of them.
    std::vector<Condition> conditions_;
    PathRestrictions restrictions_;
    bool shares_choices_ = false; ///< The warps of a thread block share some of their choices.
};

} // namespace warpbound::harness::simulator
