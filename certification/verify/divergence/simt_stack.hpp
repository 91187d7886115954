#pragma once
/// \file
/// The abstract SIMT stack of a warp: reconvergence points that lanes have joined, and groups of
/// lanes that go on later (C39, C40; states and steps of S19e in docs/theory).

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// Newer entries are above older ones. Lanes are in all reconvergence points below them, except
/// those that are listed as left.
class SimtStack {
public:
    static constexpr std::size_t none = SIZE_MAX;
    static constexpr std::size_t most_entries = 256; ///< Longer stacks are not read.
    /// What one step may lead to: what may open or be there multiplies.
    static constexpr std::size_t most_outcomes = 10'000;

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
        /// Pending: there are such lanes or none.
        bool optional = false;
        /// Pending: one such group or more, one above another.
        bool one_or_more = false;
        /// Pending: groups like this one and like the entry below are above each other in any
        /// order.
        bool interleaved = false;
        /// Pending: groups that diverged at the same time are next to it, in any order.
        bool simultaneous = false;

        auto operator<=>(const Entry&) const = default;
        bool operator==(const Entry&) const = default;
    };
    /// By groups that stay pending: the blocks where lanes go on above them that waited at a point.
    using PassedOver = std::map<Group, std::set<std::size_t>>;
    /// Code that the states do not distinguish.
    struct NotFollowed {
        const char* what;
    };
    struct Resumed; ///< Lanes that go on.

    SimtStack() = default;
    /// Lanes are active, and are not in the points `left`. None: no such stack.
    static std::optional<SimtStack> of(std::vector<Entry> entries, std::set<Point> left);

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const std::set<Point>& left() const { return left_; }
    /// No lanes are pending or wait.
    [[nodiscard]] bool is_converged() const;
    /// Every stack that the other one represents is represented by this one.
    [[nodiscard]] bool covers(const SimtStack& other) const;
    /// A stack that covers both, if they differ by pending groups and by points without effect, and
    /// have the others in one order.
    [[nodiscard]] std::optional<SimtStack> joined(const SimtStack& other) const;
    /// The stack, and those that it stands for because they lack points of post-dominators at which
    /// nobody waits and in which no lanes but the active ones are (S19e).
    [[nodiscard]] std::vector<SimtStack> with_points_absent() const;
    /// The entry is a point, and the active lanes are in it.
    [[nodiscard]] bool is_in(std::size_t entry) const;
    [[nodiscard]] std::optional<std::size_t> innermost() const;

    /// The active lanes join a point.
    void join(Kind kind, std::size_t origin);
    /// The active lanes leave a point. It opens by `open_points` only.
    void leave(std::size_t entry);
    /// Some of the active lanes become pending, or wait at a point that they are in. `others`: the
    /// stack for them. Throws `NotFollowed`.
    void push_pending(std::size_t origin, std::size_t resume, const SimtStack& others,
                      bool simultaneous = false, bool optional = false);
    /// Merges groups of the same divergence that have no point between them, with those that
    /// diverged at once: after the last of these is pushed, not before. Throws `NotFollowed`.
    void merge_groups();
    void wait_at(std::size_t entry, std::size_t resume, const SimtStack& others);

    /// What the stack may be when all points are open for which no lanes are missing. The lanes
    /// that waited there are pending. Several: optional groups may be missing lanes or not there.
    /// Here and below, groups are added to `passed`. Throws `NotFollowed`.
    [[nodiscard]] std::vector<SimtStack> open_points(PassedOver& passed) const;
    /// The active lanes arrive at a point, to go on at this block: who goes on, they themselves
    /// where no lanes are missing (kind of that point), or others. Throws `NotFollowed`.
    [[nodiscard]] std::vector<Resumed> arrive(std::size_t entry, std::size_t resume,
                                              PassedOver& passed) const;
    /// The active lanes end: who goes on. None: that may be nobody.
    [[nodiscard]] std::vector<Resumed> end(PassedOver& passed) const;

    auto operator<=>(const SimtStack&) const = default;
    bool operator==(const SimtStack&) const = default;

private:
    enum class Missing { None, Perhaps, Some };

    [[nodiscard]] static bool is_point(const Entry& entry) {
        return entry.kind == Kind::Explicit || entry.kind == Kind::PostDominator;
    }
    /// Lanes that have joined the point and have neither arrived at it nor left it.
    [[nodiscard]] Missing missing_at(std::size_t entry) const;
    [[nodiscard]] bool is_missing(const Entry& above, const Point& point) const;
    /// What `joined` holds. With `mixes` groups between two others are in any order.
    [[nodiscard]] std::optional<std::vector<Entry>> joined_entries(const SimtStack& other,
                                                                   bool mixes) const;
    /// The stack if no lanes are missing at a point, which `Perhaps` some are.
    [[nodiscard]] SimtStack without_missing(std::size_t entry) const;
    void add_points_above(std::size_t entry, std::set<Point>& to) const;
    void remove(std::size_t entry);
    void note_passed(std::size_t entry, PassedOver& passed) const;
    void release(std::size_t entry, PassedOver& passed);
    /// The point `closed`, if any, does not open: some lanes are missing.
    void collect_opened(const std::optional<Point>& closed, PassedOver& passed,
                        std::vector<SimtStack>& to) const;
    /// Adds who goes on when no lanes are active.
    void add_next(const std::optional<Point>& closed, PassedOver& passed,
                  std::vector<Resumed>& to) const;
    /// The lowest entry of the groups of which any may be on top.
    [[nodiscard]] std::size_t lowest_of_top() const;
    [[nodiscard]] std::size_t first_interleaved(std::size_t entry) const;
    /// Of the entries that are in any order with this one: the lowest one, and the one above all.
    [[nodiscard]] std::size_t first_of_order(std::size_t entry) const;
    [[nodiscard]] std::size_t end_of_order(std::size_t entry) const;
    std::size_t mix(std::size_t from, std::size_t end);

    std::vector<Entry> entries_;
    std::set<Point> left_; ///< Points that the active lanes are not in.
    bool active_ = true;
};

struct SimtStack::Resumed {
    Kind kind = Kind::Pending; ///< Of a point: the lanes that arrived go on with those that waited.
    std::size_t block = none;  ///< None: all lanes have ended.
    SimtStack stack;

    auto operator<=>(const Resumed&) const = default;
    bool operator==(const Resumed&) const = default;
};

} // namespace warpbound::certification::verify
