#pragma once
/// \file
/// Chooses paths that satisfy the flow facts.

#include "harness/simulator/divergence/divergent_walk.hpp"
#include "harness/simulator/paths/path_walk.hpp"
#include "models/facts/flow_facts.hpp"

#include <span>
#include <string>
#include <vector>

namespace warpbound::harness::simulator {

/// The paths of a function under flow facts.
/// Loop bounds and `never` hold by construction; of each pair of exclusive blocks one is left out
/// at random (for the first six pairs); further pairs and linear facts hold because walks that
/// violate them are thrown away.
class PathChooser {
public:
    /// Refuses a loop without a bound, facts that name no block or loop header of the function, a
    /// bound of zero, and facts that no path satisfies. `graph` must outlive the chooser.
    static Result<PathChooser> make(const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts);

    /// A path of one warp. Refuses when no path that satisfies the facts was found in a limited
    /// number of tries.
    [[nodiscard]] Result<PathWalk> choose(RandomSource random) const;
    /// The way of a warp whose lanes may part; the path of each lane satisfies the facts. Refuses
    /// also lanes that wait for each other.
    [[nodiscard]] Result<DivergentWalk> choose(RandomSource random, LaneMask lanes,
                                               const Convergence& convergence) const;
    /// Some path may visit the block.
    [[nodiscard]] bool visits(std::size_t block) const;
    /// Refuses blocks that do not follow edges from the entry to an exiting block, or that the
    /// facts exclude.
    [[nodiscard]] Result<void> check(std::span<const std::size_t> path) const;

private:
    /// A linear fact or an exclusive pair, over block and edge counts.
    struct Condition {
        std::vector<std::pair<std::size_t, std::int64_t>> blocks; ///< (block, coefficient)
        std::vector<std::pair<std::size_t, std::int64_t>> edges;
        models::Relation relation = models::Relation::AtMost;
        std::int64_t constant = 0;
        bool exclusive =
            false; ///< At most one of the two sets of blocks (coefficients 1 and 2) occurs.
    };
    struct Counts {
        std::vector<std::int64_t> blocks;
        std::vector<std::int64_t> edges;
    };
    /// Counts of lanes with the same past.
    struct Past {
        LaneMask lanes = 0;
        Counts counts;
    };

    Result<void> add_condition(const models::LinearFact& fact);
    [[nodiscard]] static bool holds(const Condition& condition, const Counts& counts);
    /// Walks to the end and counts. Returns the steps taken; stops beyond `limit`.
    static std::int64_t count(PathWalk& walk, const assembly::ControlFlowGraph& graph,
                              Counts& counts, std::int64_t limit);
    /// Lets all lanes walk to their end and counts. Returns how that ends, NoWay beyond `limit`
    /// steps.
    LaneTurn::Kind count(DivergentWalk& walk, std::vector<Past>& pasts, std::int64_t limit,
                         std::int64_t& steps) const;
    [[nodiscard]] Failure no_path() const;
    [[nodiscard]] std::vector<std::size_t> blocks_at(std::int64_t address) const;

    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::string facts_name_;
    std::vector<PathSpace> spaces_; ///< Each with a path; together they hold every path.
    std::vector<Condition> conditions_;
};

} // namespace warpbound::harness::simulator
