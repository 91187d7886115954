#pragma once
/// \file
/// The lanes of a warp that are not active, and the points that lanes joined: which are elsewhere,
/// and in which order they go on (C39, C40).

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

/// Newer ones above older ones. Lanes are in all points that stand below them, but those that are
/// listed as left.
class SimtStack {
public:
    static constexpr std::size_t nobody = SIZE_MAX;

    /// Ready: they waited at a point that has opened.
    enum class Kind { Turn, Ready, Made, Behind };
    using Point = std::pair<Kind, std::size_t>;        ///< Kind and `of`.
    using Group = std::pair<std::size_t, std::size_t>; ///< `of` and `at` of a turn.

    /// Lanes that wait for their turn, or a point.
    struct Entry {
        Kind kind = Kind::Turn;
        /// Turn: block behind which they parted. Ready, Made: instruction that made the point.
        /// Behind: block at which all ways meet.
        std::size_t of = 0;
        /// Block where those go on who wait there.
        std::size_t at = nobody;
        std::set<Point> left{}; ///< Points below it that those who wait there are not in.
        bool many = false;      ///< Turn: one such group or more, one above the other.
        /// Turn: lanes may go on before them that stood below them, and pass where they parted.
        bool passed = false;
        /// Turn: groups of this kind and of the one below it stand above each other in any order.
        bool mixed = false;
        /// Turn: others that parted with it at once stand beside it, in any order.
        bool beside = false;
        /// Turn: below it may stand groups that go on at these blocks, of which each parted at an
        /// earlier block than the one above it.
        std::set<std::size_t> earlier{};

        auto operator<=>(const Entry&) const = default;
    };
    /// Whether lanes that go on at the second block come to the first one in a later turn only of
    /// all loops around that, at least one.
    using LaterTurn = std::function<bool(std::size_t, std::size_t)>;
    /// Blocks behind which lanes may part of which some go on at the block.
    using DivergentBlocks = std::function<const std::vector<std::size_t>&(std::size_t)>;
    /// What the states do not tell apart.
    struct NotFollowed {
        std::string what;
    };

    /// With `parting` only the last is known of groups that parted at one block after the other.
    explicit SimtStack(const DivergentBlocks* parting = nullptr) : parting_{parting} {}

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// Groups that an entry for a turn stands for: the one that waits, and those that may below it.
    [[nodiscard]] std::vector<Group> groups_of(const Entry& entry) const;
    /// But for groups that may wait below others.
    [[nodiscard]] SimtStack known() const;
    /// Whether the other one, of which the same is known, has no more groups that may wait.
    [[nodiscard]] bool covers(const SimtStack& other) const;
    [[nodiscard]] bool all_are_here() const;
    /// The active lanes are in the point `entry`.
    [[nodiscard]] bool is_in(std::size_t entry) const;
    [[nodiscard]] std::optional<std::size_t> innermost() const;

    /// The active lanes join a point.
    void join(Kind kind, std::size_t of);
    /// They leave it. No point opens before `open_points`.
    void leave(std::size_t entry);
    /// Points open that nobody misses: those who wait there wait for their turn from now on.
    void open_points(const LaterTurn& later_turn);
    /// Lanes that were among the active ones wait for their turn, or at a point of theirs.
    /// `others`: the stack as it is for them. Throws `NotFollowed`.
    void wait_for_turn(std::size_t behind, std::size_t at, const SimtStack& others,
                       bool beside = false);
    void wait_at(std::size_t entry, std::size_t at, const SimtStack& others);
    /// The active lanes arrive at a point, to go on at this block: whether they do at once. Throws
    /// `NotFollowed`.
    bool arrive(std::size_t entry, std::size_t at, const LaterTurn& later_turn);
    void end(const LaterTurn& later_turn);

    /// Those are active now who waited for their turn for the shortest time, with the stack as it
    /// then is: one for each kind that may be on top, and for what may be below. None: nobody
    /// waits.
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
        return entry.kind == Kind::Made || entry.kind == Kind::Behind;
    }
    [[nodiscard]] bool is_missed(std::size_t entry) const;
    void add_points_above(std::size_t entry, std::set<Point>& to) const;
    void remove(std::size_t entry);
    /// Where the kinds begin that stand above each other in any order.
    [[nodiscard]] std::size_t begin_of_mixed(std::size_t entry) const;
    /// Where the groups begin that wait as long as this one.
    [[nodiscard]] std::size_t begin_of_beside(std::size_t entry) const;
    /// Groups that parted alike, between which no point stands.
    void join_groups();
    void forget_earlier();

    const DivergentBlocks* parting_; ///< Null: all groups are known.
    std::vector<Entry> entries_;
    std::set<Point> left_; ///< Points that the active lanes are not in.
    bool active_ = true;
};

} // namespace warpbound::certification::verify
