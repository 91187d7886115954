#pragma once
/// \file
/// The blocks of a warp whose lanes may part, copied for the lanes that execute them in turn
/// (docs/soundness.md, S19d).

#include "analyzer/divergence/reconvergence.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// A graph of which the warp's sequence of blocks is a path, whichever lanes go which way and
/// first.
struct LanesInTurn {
    assembly::ControlFlowGraph graph;
    std::vector<std::size_t> original; ///< Per block: that of the kernel's graph.
    /// Per block: how often lanes that left a loop in different turns may come there one after the
    /// other, of blocks that head such a sequence.
    std::vector<std::optional<std::int64_t>> repeated;
    /// Per block: all lanes that have not ended execute it together.
    std::vector<bool> together;
};

/// A control flow that grows: at first the kernel's own blocks.
class SerializedBlocks {
public:
    struct Copy {
        std::size_t original = 0;
        struct Way {
            std::size_t to = 0;
            std::optional<std::size_t> edge; ///< Of the kernel's graph; none: other lanes go on.
            friend bool operator==(const Way&, const Way&) = default;
        };
        std::vector<Way> ways;
        std::optional<std::int64_t> repeated{}; ///< As `LanesInTurn` has it.
        /// Of lanes that left at this branch, before those go on who stay.
        std::optional<std::size_t> left_at{};
    };
    using Set = std::set<std::size_t>;
    using Seconds = std::map<std::size_t, std::size_t>; ///< By copy.
    /// What the ways of one copy of a branch lead to.
    struct Reached {
        Set inside;                         ///< Copies of the region.
        std::optional<std::size_t> meeting; ///< Where they go on.
    };

    SerializedBlocks(const AnalysisContext& context, const Reconvergence& points);

    [[nodiscard]] std::size_t size() const { return copies_.size(); }
    [[nodiscard]] Copy& operator[](std::size_t copy) { return copies_[copy]; }
    [[nodiscard]] const Copy& operator[](std::size_t copy) const { return copies_[copy]; }
    [[nodiscard]] const assembly::BasicBlock& block_of(std::size_t copy) const {
        return original_of(copies_[copy].original);
    }
    [[nodiscard]] const assembly::BasicBlock& original_of(std::size_t block) const {
        return graph_.blocks[block];
    }

    [[nodiscard]] Reached reached_by(std::size_t branch, const DivergentBranch& parting) const;
    /// What a way of the parting passes from here on.
    [[nodiscard]] Set reached_from(std::size_t start, const DivergentBranch& parting) const;
    /// The edge leads to the meeting, or to a point around the parting.
    [[nodiscard]] bool leaves(std::size_t edge, const DivergentBranch& parting) const;
    /// The way goes on in the parting's region, by the same lanes or those of them who stay.
    [[nodiscard]] bool stays(std::size_t copy, const Copy::Way& way,
                             const DivergentBranch& parting) const;
    /// Of lanes that broke off from a way of the parting.
    [[nodiscard]] bool is_aside(std::size_t copy, const DivergentBranch& parting) const;
    /// Lanes may leave its point here, for those around.
    [[nodiscard]] bool breaks(std::size_t copy, const DivergentBranch& parting) const;
    /// All lanes may end here, or wait for others behind it.
    [[nodiscard]] bool ends_way(std::size_t copy, const DivergentBranch& parting) const;
    /// Lanes may wait behind it at the point that others leave.
    [[nodiscard]] bool waits_inside(std::size_t copy, const DivergentBranch& parting) const;
    /// All lanes may end here, or wait at a point around the parting.
    [[nodiscard]] bool misses_meeting(std::size_t copy, const DivergentBranch& parting) const;

    /// Other lanes go on there.
    void add(std::size_t from, std::size_t to);
    /// A second one, with the same ways.
    std::size_t copy(std::size_t one);
    /// Copies them, with the ways between them; other ways lead where they led.
    Seconds copy_all(const Set& of, const DivergentBranch& parting);
    static Set values_of(const Seconds& second);
    /// Copies what follows the passed point, for lanes that waited there until the others had left
    /// it and come to the meeting or ended. Returns where they go on.
    std::vector<std::size_t> copy_late(const Reached& reached, const DivergentBranch& parting);
    /// Those who have waited at the meeting go on when the others do not come there.
    void let_wait(const Set& ways, const DivergentBranch& parting,
                  std::optional<std::size_t> meeting);
    /// Behind the ends of `ways`, those who waited at the passed point go on.
    void go_on_late(const Set& ways, const DivergentBranch& parting,
                    const std::vector<std::size_t>& late);

    /// In reverse post order. Refuses ways that make no control flow that can be bounded.
    [[nodiscard]] Result<LanesInTurn> in_order() const;

private:
    [[nodiscard]] bool is_never_taken(std::size_t edge) const;

    const AnalysisContext& context_;
    const assembly::ControlFlowGraph& graph_;
    const Reconvergence& points_;
    std::vector<Copy> copies_;
};

} // namespace warpbound::analyzer
