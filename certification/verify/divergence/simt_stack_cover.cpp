#include "certification/verify/divergence/simt_stack.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

// Which stacks a stack stands for.
namespace warpbound::certification::verify {

namespace {

/// The entry represents the other one, where the lanes of both left the same of some points.
bool represents(const SimtStack::Entry& entry, const SimtStack::Entry& other) {
    return entry.kind == other.kind && entry.origin == other.origin &&
           entry.resume == other.resume &&
           (entry.optional || entry.interleaved == other.interleaved) &&
           entry.simultaneous == other.simultaneous && (entry.optional || !other.optional) &&
           (entry.one_or_more || !other.one_or_more);
}

/// The entries are alike but for how many groups there are.
bool is_same(const SimtStack::Entry& a, const SimtStack::Entry& b) {
    return a.kind == b.kind && a.origin == b.origin && a.resume == b.resume && a.left == b.left;
}

/// Adds such groups as any number of them in any order.
void add_mixed(const std::vector<SimtStack::Entry>& groups, std::vector<SimtStack::Entry>& to) {
    std::set<std::tuple<std::set<SimtStack::Point>, std::size_t, std::size_t>> kinds;
    for (const SimtStack::Entry& group : groups)
        kinds.emplace(group.left, group.origin, group.resume);
    for (const auto& kind : kinds) {
        const auto& [left, origin, resume] = kind;
        to.push_back({SimtStack::Kind::Pending, origin, resume, left, true, true});
        to.back().interleaved = kind != *kinds.begin();
    }
}

bool are_equal_without(const std::set<SimtStack::Point>& absent,
                       const std::set<SimtStack::Point>& left,
                       const std::set<SimtStack::Point>& other) {
    std::set<SimtStack::Point> rest;
    std::set_difference(left.begin(), left.end(), absent.begin(), absent.end(),
                        std::inserter(rest, rest.end()));
    return rest == other;
}

} // namespace

// Entries that the other one lacks are groups that need not be there, or points at which nobody
// waits and in which there are no lanes but the active ones (S19e).
bool SimtStack::covers(const SimtStack& other) const {
    std::set<Point> absent;
    auto theirs = other.entries_.begin();
    const auto is_covered_by = [&](const Entry& entry) {
        return theirs != other.entries_.end() && represents(entry, *theirs) &&
               are_equal_without(absent, entry.left, theirs->left);
    };
    // Groups that diverged at once stay next to each other.
    std::size_t last = 0;
    const auto breaks_up = [&](std::size_t at) {
        if (theirs == other.entries_.begin() || !theirs->simultaneous) return false;
        const Entry& below = *std::prev(theirs);
        return below.simultaneous && below.origin == theirs->origin &&
               std::any_of(entries_.begin() + static_cast<std::ptrdiff_t>(last),
                           entries_.begin() + static_cast<std::ptrdiff_t>(at),
                           [&](const Entry& entry) {
                               return !entry.simultaneous || entry.origin != theirs->origin;
                           });
    };
    const auto is_in_absent = [&](const Entry& entry) {
        return entry.resume != none &&
               !std::includes(entry.left.begin(), entry.left.end(), absent.begin(), absent.end());
    };
    for (std::size_t i = 0; i < entries_.size();) {
        // Groups in any order: as many of their kinds as follow each other.
        std::size_t end = i + 1;
        while (end < entries_.size() && entries_[end].interleaved)
            ++end;
        const bool mixed = entries_[i].one_or_more && entries_[i].optional;
        std::size_t found = 0;
        for (; mixed || found == 0; ++found, ++theirs) {
            const auto entry = std::find_if(
                entries_.begin() + static_cast<std::ptrdiff_t>(i),
                entries_.begin() + static_cast<std::ptrdiff_t>(mixed ? end : i + 1), is_covered_by);
            if (entry == entries_.begin() + static_cast<std::ptrdiff_t>(mixed ? end : i + 1)) break;
            if (is_in_absent(*entry) || breaks_up(i)) return false;
            last = i;
            // What is mixed with the one below is here too, unless it begins here.
            if (theirs->interleaved && (mixed ? found == 0 : !entries_[i].interleaved))
                return false;
        }
        if (found == 0 && entries_[i].kind == Kind::PostDominator && entries_[i].resume == none)
            absent.insert(Point{entries_[i].kind, entries_[i].origin});
        else if (found == 0 && !entries_[i].optional)
            return false;
        i = mixed ? end : i + 1;
    }
    return theirs == other.entries_.end() && active_ == other.active_ &&
           are_equal_without(absent, left_, other.left_);
}

std::vector<SimtStack> SimtStack::with_points_absent() const {
    std::vector<SimtStack> all{*this};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Point point{entries_[i].kind, entries_[i].origin};
        if (point.first != Kind::PostDominator || entries_[i].resume != none || !is_in(i)) continue;
        const bool has_other_lanes =
            std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
                return is_missing(entry, point) && !entry.optional;
            });
        if (has_other_lanes) continue;
        const std::size_t with_it = all.size();
        for (std::size_t known = 0; known < with_it; ++known) {
            const auto at = std::find_if(all[known].entries_.begin(), all[known].entries_.end(),
                                         [&](const Entry& entry) {
                                             return Point{entry.kind, entry.origin} == point;
                                         });
            const auto index = static_cast<std::size_t>(at - all[known].entries_.begin());
            SimtStack without = all[known].without_missing(index);
            without.remove(index);
            all.push_back(std::move(without));
        }
    }
    return all;
}

std::optional<SimtStack> SimtStack::joined(const SimtStack& other) const {
    for (const bool mixes : {false, true}) {
        auto entries = joined_entries(other, mixes);
        if (!entries) continue;
        auto joined = of(std::move(*entries), left_);
        if (joined && joined->covers(*this) && joined->covers(other)) return joined;
    }
    return std::nullopt;
}

std::optional<std::vector<SimtStack::Entry>> SimtStack::joined_entries(const SimtStack& other,
                                                                       bool mixes) const {
    std::vector<Entry> all;
    auto a = entries_.begin();
    auto b = other.entries_.begin();
    const auto is_group = [](const Entry& entry) { return entry.kind == Kind::Pending; };
    const auto may_be_absent = [&](const Entry& entry, auto from, auto end) {
        return (is_group(entry) || (entry.kind == Kind::PostDominator && entry.resume == none)) &&
               std::none_of(from, end, [&](const Entry& one) { return is_same(one, entry); });
    };
    while (a != entries_.end() || b != other.entries_.end()) {
        if (mixes) {
            // Groups up to the next other entry: of both stacks, in any order.
            const auto next_a = std::find_if_not(a, entries_.end(), is_group);
            const auto next_b = std::find_if_not(b, other.entries_.end(), is_group);
            std::vector<Entry> groups{a, next_a};
            groups.insert(groups.end(), b, next_b);
            add_mixed(groups, all);
            a = next_a;
            b = next_b;
            if (a == entries_.end() && b == other.entries_.end()) break;
        }
        const bool both = a != entries_.end() && b != other.entries_.end() && is_same(*a, *b);
        if (both) {
            all.push_back(*a++);
            all.back().optional = all.back().optional || b->optional;
            all.back().one_or_more = all.back().one_or_more || b->one_or_more;
            all.back().interleaved = all.back().interleaved || b->interleaved;
            ++b;
            continue;
        }
        const bool without_a = a != entries_.end() && may_be_absent(*a, b, other.entries_.end());
        const bool without_b = b != other.entries_.end() && may_be_absent(*b, a, entries_.end());
        if (!without_a && !without_b) return std::nullopt;
        // Where nothing tells their order, groups of later blocks are mostly above.
        const bool takes_a = without_a && (!without_b || a->origin <= b->origin);
        all.push_back(takes_a ? *a++ : *b++);
        all.back().optional = is_group(all.back());
    }
    return all;
}

} // namespace warpbound::certification::verify
