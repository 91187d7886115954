#pragma once
/// \file
/// The SIMT stack of a warp: reconvergence points that lanes have joined, and groups of lanes that
/// go on later (C39, C40; states and steps of S19e in docs/soundness.md).

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// Newer entries are above older ones. Lanes are in all reconvergence points below them, except
/// those that are listed as left.
class SimtStack {
public:
    static constexpr std::size_t none = SIZE_MAX;

    enum class Kind {
        Pending,      ///< Lanes of another path of a divergent branch, which go on later.
        Released,     ///< Lanes that waited at a reconvergence point that has opened; also pending.
        Explicit,     ///< Reconvergence point set by SSY, PBK, PCNT or BSSY.
        PostDominator ///< Reconvergence point where all paths from a divergent branch reconverge.
    };
    using Point = std::pair<Kind, std::size_t>;        ///< Kind and `origin`.
    using Group = std::pair<std::size_t, std::size_t>; ///< `origin` and `resume` of pending lanes.

    struct Entry {
        Kind kind = Kind::Pending;
        /// Pending: block after which the lanes diverged. Released, Explicit: instruction that set
        /// the point. PostDominator: block at which all paths reconverge.
        std::size_t origin = 0;
        /// Block where the lanes of this entry go on; of a point: those that wait at it, if any.
        std::size_t resume = none;
        std::set<Point> left{}; ///< Points below that the lanes of this entry are not in.
        /// Pending: one such group or more, one above another.
        bool one_or_more = false;
        /// Pending: lanes below may go on before this group and reach its divergent branch.
        bool overtaken = false;
        /// Pending: groups like this one and like the entry below are above each other in any
        /// order.
        bool interleaved = false;
        /// Pending: groups that diverged at the same time are next to it, in any order.
        bool simultaneous = false;
        /// Pending: below may be groups that go on at these blocks, each of which diverged at an
        /// earlier block than the one above it (abstraction to the last divergence).
        std::set<std::size_t> earlier_resumes{};

        auto operator<=>(const Entry&) const = default;
    };
    /// Whether lanes that go on at the second block reach the first one only in a later iteration
    /// of all loops around it, of which there is at least one.
    using LaterIteration = std::function<bool(std::size_t, std::size_t)>;
    /// Blocks with a divergent branch to a block.
    using DivergentBlocks = std::function<const std::vector<std::size_t>&(std::size_t)>;
    /// Code that the states do not distinguish.
    struct NotFollowed {
        std::string what;
    };

    /// With `divergent` the states are those of the abstraction to the last divergence.
    explicit SimtStack(const DivergentBlocks* divergent = nullptr) : divergent_{divergent} {}

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// Groups that a pending entry represents: its own, and those that may be below it.
    [[nodiscard]] std::vector<Group> groups_of(const Entry& entry) const;
    /// This stack without the groups that may be below others.
    [[nodiscard]] SimtStack without_earlier() const;
    /// Whether this stack represents all that the other one does. Requires: they are the same
    /// `without_earlier`.
    [[nodiscard]] bool covers(const SimtStack& other) const;
    /// No lanes are pending or wait.
    [[nodiscard]] bool is_converged() const;
    /// The entry is a point, and the active lanes are in it.
    [[nodiscard]] bool is_in(std::size_t entry) const;
    [[nodiscard]] std::optional<std::size_t> innermost() const;

    /// The active lanes join a point.
    void join(Kind kind, std::size_t origin);
    /// The active lanes leave a point. It opens by `open_points` only.
    void leave(std::size_t entry);
    /// Points open for which no lanes are missing. The lanes that wait there are pending from now
    /// on. Throws `NotFollowed`.
    void open_points(const LaterIteration& later_iteration);
    /// Some of the active lanes become pending, or wait at a point that they are in. `others`: the
    /// stack for them. Throws `NotFollowed`.
    void push_pending(std::size_t origin, std::size_t resume, const SimtStack& others,
                      bool simultaneous = false);
    void wait_at(std::size_t entry, std::size_t resume, const SimtStack& others);
    /// The active lanes arrive at a point, to go on at this block: whether they do at once. Throws
    /// `NotFollowed`.
    bool arrive(std::size_t entry, std::size_t resume, const LaterIteration& later_iteration);
    /// The active lanes end.
    void end(const LaterIteration& later_iteration);

    /// The group that goes on next, which is pending for the shortest time, and the stack as it
    /// then is: one for each group that may be on top and for what may be below. Empty: no lanes
    /// are pending.
    [[nodiscard]] std::vector<std::pair<Entry, SimtStack>> next() const;

    bool operator==(const SimtStack& other) const {
        return std::tie(entries_, left_, active_) ==
               std::tie(other.entries_, other.left_, other.active_);
    }
    bool operator<(const SimtStack& other) const {
        return std::tie(entries_, left_, active_) <
               std::tie(other.entries_, other.left_, other.active_);
    }

private:
    [[nodiscard]] static bool is_point(const Entry& entry) {
        return entry.kind == Kind::Explicit || entry.kind == Kind::PostDominator;
    }
    /// Some lanes have joined the point and have neither arrived at it nor left it.
    [[nodiscard]] bool has_missing_lanes(std::size_t entry) const;
    void add_points_above(std::size_t entry, std::set<Point>& to) const;
    void remove(std::size_t entry);
    /// The lowest of the groups that are interleaved with this one.
    [[nodiscard]] std::size_t first_interleaved(std::size_t entry) const;
    /// The lowest of the groups that diverged at the same time as this one.
    [[nodiscard]] std::size_t first_simultaneous(std::size_t entry) const;
    /// Merges groups of the same divergence that have no point between them.
    void merge_groups();
    void merge_earlier_groups();

    const DivergentBlocks* divergent_; ///< Null: every group is known.
    std::vector<Entry> entries_;
    std::set<Point> left_; ///< Points that the active lanes are not in.
    bool active_ = true;
};

} // namespace warpbound::certification::verify
