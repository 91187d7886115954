#pragma once
/// \file
/// The abstract reconvergence stack of a warp (C39, C40): points that lanes joined, and groups of
/// lanes that may go on later (docs/theory, S67).

#include "analyzer/divergence/node_index.hpp"

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// A reconvergence point: of SSY, PBK, PCNT or BSSY, or at a post-dominator.
struct StackPoint {
    bool implicit = false;       ///< At the immediate post-dominator; the code names none.
    BlockIndex block;            ///< Implicit: the block of the point; else where it is pushed.
    std::size_t instruction = 0; ///< That pushes it; 0 where implicit.
    /// Groups that execute it one after the other push points of their own.
    std::size_t instance = 0;
    friend auto operator<=>(const StackPoint&, const StackPoint&) = default;
};

/// Lanes that may go on later, in a group.
struct PendingGroup {
    BlockIndex origin;              ///< After which they diverged; of released lanes: `released`'s.
    BlockIndex resume;              ///< Where they go on.
    TraversalIndex traversal{};     ///< That they are in.
    std::vector<StackPoint> left{}; ///< Points below that they are not in. Sorted.
    std::optional<StackPoint> released{}; ///< The point at which they waited.

    [[nodiscard]] bool is_in(const StackPoint& point) const;
    /// At the same block, in the same traversal and the same points.
    [[nodiscard]] bool goes_on_as(const PendingGroup& other) const;
    friend auto operator<=>(const PendingGroup&, const PendingGroup&) = default;
};

/// A stack whose groups need not be there. It stands for all stacks that arise by leaving out
/// groups, and waiting lanes unless `certain`.
struct AbstractStack {
    struct Entry {
        std::optional<StackPoint> point{};     ///< None: the entry has groups.
        std::optional<PendingGroup> waiting{}; ///< Of a point.
        bool certain = false;                  ///< Lanes do wait.
        /// Each once at most, in any order.
        std::vector<PendingGroup> groups{};
        bool repeats = false; ///< Each any number of times, in any order.
        /// Of an entry that repeats: so many groups in all. 0: any number.
        std::size_t at_most = 0;
        friend auto operator<=>(const Entry&, const Entry&) = default;
    };
    std::vector<Entry> entries;   ///< From old to new.
    std::vector<StackPoint> left; ///< Points that the active lanes are not in. Sorted.
    friend auto operator<=>(const AbstractStack&, const AbstractStack&) = default;

    /// No other lanes are pending or wait.
    [[nodiscard]] bool is_converged() const;
    /// The entry is a point in which the active lanes are.
    [[nodiscard]] bool is_in(std::size_t entry) const;
    [[nodiscard]] std::optional<std::size_t> innermost() const;
    [[nodiscard]] bool is_in_explicit() const;
    /// Lanes above the point that are in it, other than active ones.
    [[nodiscard]] bool may_miss(std::size_t entry) const;
    /// Some lanes above the point are not in it.
    [[nodiscard]] bool has_left(std::size_t entry) const;

    void leave(std::size_t entry);
    /// Groups of one divergence. `at_most` of them, each any number of times; 0: each once.
    void push(const std::vector<PendingGroup>& groups, std::size_t at_most = 0);
    /// One of the groups on top goes on.
    void take_from_top(const PendingGroup& group);
    /// Removes a point, as if none of its lanes but active ones were there.
    void remove_with_lanes(std::size_t entry);
    void remove(std::size_t entry);
    /// Removes points without lanes.
    void drop_empty(bool active);
    /// Where no lanes are active: takes points that lanes above left, and that no others are in, to
    /// be without waiting lanes, as these would go on. False: lanes do wait at one.
    [[nodiscard]] bool close_unmissed();
    /// Which pending groups are alike: those of one branch, or all that go on alike.
    enum class Alike { OfOneBranch, GoingOnAlike };
    /// Groups that are pending more than `most` times, with no point in between, and all between
    /// them: any number of them in any order.
    void merge_alike(std::size_t most, Alike which = Alike::OfOneBranch);
};

/// Whether lanes that reconverge at the first block do so after the second, on every path.
using IsAround = std::function<bool(BlockIndex, BlockIndex)>;

/// What stands for both, where the one that goes on iterates: the stack of a loop's header. Groups
/// above what both have in common repeat where they differ. None: their points are in different
/// orders, or lanes wait differently.
std::optional<AbstractStack> widened(const AbstractStack& known, const AbstractStack& next,
                                     const IsAround& is_around);

} // namespace warpbound::analyzer
