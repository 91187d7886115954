#include "analyzer/divergence/abstract_stack.hpp"

#include <algorithm>
#include <iterator>

namespace warpbound::analyzer {

namespace {

using Entry = AbstractStack::Entry;

constexpr std::size_t most_alike = 3; ///< Groups of one branch that are told apart.

bool contains(const std::vector<StackPoint>& sorted, const StackPoint& point) {
    return std::binary_search(sorted.begin(), sorted.end(), point);
}

void insert(std::vector<StackPoint>& sorted, const StackPoint& point) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), point);
    if (at == sorted.end() || *at != point) sorted.insert(at, point);
}

void add_groups(std::vector<PendingGroup>& to, const std::vector<PendingGroup>& groups) {
    to.insert(to.end(), groups.begin(), groups.end());
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
}

bool is_of_one_branch(const PendingGroup& a, const PendingGroup& b) {
    return a.origin == b.origin && a.resume == b.resume && a.released == b.released;
}

template <typename IsAlike>
bool has_one_of(const Entry& entry, const std::vector<PendingGroup>& groups,
                const IsAlike& is_alike) {
    return std::any_of(entry.groups.begin(), entry.groups.end(), [&](const PendingGroup& known) {
        return std::any_of(groups.begin(), groups.end(),
                           [&](const PendingGroup& group) { return is_alike(known, group); });
    });
}

/// Lanes of the entry other than those for which it is a point.
bool has_lanes_in(const Entry& entry, const StackPoint& point) {
    return (entry.waiting && entry.waiting->is_in(point)) ||
           std::any_of(entry.groups.begin(), entry.groups.end(),
                       [&](const PendingGroup& group) { return group.is_in(point); });
}

bool has_lanes_outside(const Entry& entry, const StackPoint& point) {
    return (entry.waiting && !entry.waiting->is_in(point)) ||
           std::any_of(entry.groups.begin(), entry.groups.end(),
                       [&](const PendingGroup& group) { return !group.is_in(point); });
}

} // namespace

bool PendingGroup::is_in(const StackPoint& point) const {
    return !contains(left, point);
}

bool PendingGroup::goes_on_as(const PendingGroup& other) const {
    return resume == other.resume && traversal == other.traversal && left == other.left &&
           released == other.released;
}

bool AbstractStack::is_converged() const {
    return std::all_of(entries.begin(), entries.end(),
                       [](const Entry& entry) { return entry.groups.empty() && !entry.waiting; });
}

bool AbstractStack::is_in(std::size_t entry) const {
    return entries[entry].point && !contains(left, *entries[entry].point);
}

std::optional<std::size_t> AbstractStack::innermost() const {
    for (std::size_t i = entries.size(); i-- > 0;)
        if (is_in(i)) return i;
    return std::nullopt;
}

bool AbstractStack::is_in_explicit() const {
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (is_in(i) && !entries[i].point->implicit) return true;
    return false;
}

bool AbstractStack::may_miss(std::size_t entry) const {
    return std::any_of(
        entries.begin() + static_cast<std::ptrdiff_t>(entry) + 1, entries.end(),
        [&](const Entry& above) { return has_lanes_in(above, *entries[entry].point); });
}

bool AbstractStack::has_left(std::size_t entry) const {
    return std::any_of(
        entries.begin() + static_cast<std::ptrdiff_t>(entry) + 1, entries.end(),
        [&](const Entry& above) { return has_lanes_outside(above, *entries[entry].point); });
}

void AbstractStack::leave(std::size_t entry) {
    insert(left, *entries[entry].point);
}

void AbstractStack::push(const std::vector<PendingGroup>& groups, std::size_t at_most) {
    if (groups.empty()) return;
    Entry added;
    add_groups(added.groups, groups);
    added.repeats = at_most != 0;
    added.at_most = at_most;
    entries.push_back(std::move(added));
    merge_alike(most_alike);
}

void AbstractStack::take_from_top(const PendingGroup& group) {
    Entry& top = entries.back();
    const bool was_last = top.repeats && top.at_most != 0 && --top.at_most == 0;
    if (!top.repeats) std::erase(top.groups, group);
    if (was_last || top.groups.empty()) entries.pop_back();
}

void AbstractStack::remove(std::size_t entry) {
    const StackPoint point = *entries[entry].point;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(entry));
    const auto forget = [&](std::vector<StackPoint>& points) { std::erase(points, point); };
    forget(left);
    for (Entry& other : entries) {
        if (other.waiting) forget(other.waiting->left);
        for (PendingGroup& group : other.groups)
            forget(group.left);
        std::sort(other.groups.begin(), other.groups.end());
    }
    merge_alike(most_alike);
}

void AbstractStack::merge_alike(std::size_t most, Alike which) {
    const auto is_alike = [which](const PendingGroup& a, const PendingGroup& b) {
        return which == Alike::OfOneBranch ? is_of_one_branch(a, b) : a.goes_on_as(b);
    };
    for (std::size_t to = 1; to < entries.size(); ++to) {
        std::size_t from = to;
        std::size_t alike = 1;
        bool repeats = entries[to].repeats;
        for (std::size_t below = to; below-- > 0 && !entries[below].point && !entries[to].point;)
            if (has_one_of(entries[below], entries[to].groups, is_alike)) {
                from = below;
                ++alike;
                repeats = repeats || entries[below].repeats;
            }
        if (from == to || (alike <= most && !repeats)) continue;
        for (std::size_t i = from + 1; i <= to; ++i)
            add_groups(entries[from].groups, entries[i].groups);
        entries[from].repeats = true;
        entries[from].at_most = 0;
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                      entries.begin() + static_cast<std::ptrdiff_t>(to) + 1);
        to = from;
    }
}

void AbstractStack::remove_with_lanes(std::size_t entry) {
    const StackPoint point = *entries[entry].point;
    for (std::size_t i = entry + 1; i < entries.size(); ++i) {
        Entry& above = entries[i];
        if (above.waiting && above.waiting->is_in(point)) {
            above.waiting.reset();
            above.certain = false;
        }
        std::erase_if(above.groups, [&](const PendingGroup& group) { return group.is_in(point); });
    }
    remove(entry);
    std::erase_if(entries, [](const Entry& other) { return !other.point && other.groups.empty(); });
}

void AbstractStack::drop_empty(bool active) {
    for (std::size_t i = entries.size(); i-- > 0;)
        if (entries[i].point && !entries[i].waiting && !(active && is_in(i)) && !may_miss(i))
            remove(i);
}

bool AbstractStack::close_unmissed() {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].waiting || !has_left(i) || may_miss(i)) continue;
        if (entries[i].certain) return false;
        entries[i].waiting.reset();
    }
    return true;
}

namespace {

using Entries = std::vector<Entry>;

bool shares_group(const Entry& a, const Entry& b) {
    return std::any_of(a.groups.begin(), a.groups.end(), [&](const PendingGroup& group) {
        return std::binary_search(b.groups.begin(), b.groups.end(), group);
    });
}

/// The end of the entries, from the index `end` on, that share groups with the entry.
std::size_t end_of_shared(const Entries& entries, std::size_t end, const Entry& with) {
    for (std::size_t i = entries.size(); i-- > end;)
        if (shares_group(entries[i], with)) return i + 1;
    return end;
}

/// Entries of both stacks from the indices on as one whose groups repeat, with all that share
/// groups with it.
Entry take_shared(const Entries& a, std::size_t& i, const Entries& b, std::size_t& j) {
    Entry all;
    all.repeats = true;
    std::size_t end_a = i + 1;
    std::size_t end_b = j + 1;
    while (i < end_a || j < end_b) {
        while (i < end_a)
            add_groups(all.groups, a[i++].groups);
        while (j < end_b)
            add_groups(all.groups, b[j++].groups);
        end_a = end_of_shared(a, i, all);
        end_b = end_of_shared(b, j, all);
    }
    return all;
}

/// Of entries of the same groups, as `Entry::at_most`.
std::size_t either_at_most(const Entry& a, const Entry& b) {
    const auto most = [](const Entry& entry) {
        return entry.repeats ? entry.at_most : entry.groups.size();
    };
    if (!a.repeats && !b.repeats) return 0;
    return most(a) == 0 || most(b) == 0 ? 0 : std::max(most(a), most(b));
}

/// The groups of one stretch between points. Each of them need not be there; of two that are in one
/// stack alone, that of the first branch is the older one, whichever stack has it.
void add_stretch(const Entries& a, const Entries& b, Entries& to) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i].groups == b[j].groups) {
            to.push_back(a[i]);
            to.back().repeats = a[i].repeats || b[j].repeats;
            to.back().at_most = either_at_most(a[i], b[j]);
            ++i;
            ++j;
            continue;
        }
        const bool only_a = i < a.size() && end_of_shared(b, j, a[i]) == j;
        const bool only_b = j < b.size() && end_of_shared(a, i, b[j]) == i;
        if (only_a && !(only_b && b[j].groups < a[i].groups))
            to.push_back(a[i++]);
        else if (only_b)
            to.push_back(b[j++]);
        else
            to.push_back(take_shared(a, i, b, j));
    }
}

std::vector<Entry> stretch(const std::vector<Entry>& entries, std::size_t& at) {
    std::vector<Entry> groups;
    while (at < entries.size() && !entries[at].point)
        groups.push_back(entries[at++]);
    return groups;
}

bool has_point_from(const std::vector<Entry>& entries, std::size_t from, const StackPoint& point) {
    return std::any_of(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end(),
                       [&](const Entry& entry) { return entry.point == point; });
}

/// One point of both stacks. None: lanes wait differently.
std::optional<Entry> merged_point(const Entry& a, const Entry& b) {
    if (a.waiting && b.waiting && a.waiting != b.waiting) return std::nullopt;
    Entry point = a;
    point.certain = a.certain && b.certain;
    if (!point.waiting) point.waiting = b.waiting;
    return point;
}

bool has_lanes_from(const std::vector<Entry>& entries, std::size_t from) {
    return std::any_of(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end(),
                       [](const Entry& entry) { return entry.waiting || !entry.groups.empty(); });
}

} // namespace

std::optional<AbstractStack> widened(const AbstractStack& known, const AbstractStack& next,
                                     const IsAround& is_around) {
    const auto& a = known.entries;
    const auto& b = next.entries;
    AbstractStack joined;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        const Entries of_a = stretch(a, i);
        const Entries of_b = stretch(b, j);
        add_stretch(of_a, of_b, joined.entries);
        if (i == a.size() && j == b.size()) break;
        if (i < a.size() && j < b.size() && a[i].point == b[j].point) {
            auto point = merged_point(a[i++], b[j++]);
            if (!point) return std::nullopt;
            joined.entries.push_back(std::move(*point));
            continue;
        }
        const bool lacks_a = i < a.size() && !has_point_from(b, j, *a[i].point);
        const bool lacks_b = j < b.size() && !has_point_from(a, i, *b[j].point);
        if (!lacks_a && !lacks_b) return std::nullopt;
        const bool takes_a =
            lacks_a && !(lacks_b && is_around(b[j].point->block, a[i].point->block));
        Entry only = takes_a ? a[i++] : b[j++];
        // Where a stack lacks the point, its lanes above would not be in it.
        if (!only.point->implicit || has_lanes_from(takes_a ? b : a, takes_a ? j : i))
            return std::nullopt;
        only.certain = false;
        joined.entries.push_back(std::move(only));
    }
    std::set_union(known.left.begin(), known.left.end(), next.left.begin(), next.left.end(),
                   std::back_inserter(joined.left));
    for (const StackPoint& point : joined.left) {
        const bool differs = contains(known.left, point) != contains(next.left, point);
        if (differs && has_point_from(known.entries, 0, point) &&
            has_point_from(next.entries, 0, point))
            return std::nullopt;
    }
    joined.merge_alike(1);
    return joined;
}

} // namespace warpbound::analyzer
