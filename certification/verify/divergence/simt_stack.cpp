#include "certification/verify/divergence/simt_stack.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

SimtStack::Point point_of(const SimtStack::Entry& entry) {
    return {entry.kind, entry.of};
}

} // namespace

std::vector<SimtStack::Group> SimtStack::groups_of(const Entry& entry) const {
    std::vector<Group> groups{{entry.of, entry.at}};
    for (const std::size_t at : entry.earlier)
        for (const std::size_t of : (*parting_)(at))
            if (of < entry.of) groups.emplace_back(of, at);
    return groups;
}

SimtStack SimtStack::known() const {
    SimtStack known = *this;
    for (Entry& entry : known.entries_)
        entry.earlier.clear();
    return known;
}

bool SimtStack::covers(const SimtStack& other) const {
    return std::equal(entries_.begin(), entries_.end(), other.entries_.begin(),
                      [](const Entry& a, const Entry& b) {
                          return std::includes(a.earlier.begin(), a.earlier.end(),
                                               b.earlier.begin(), b.earlier.end());
                      });
}

bool SimtStack::all_are_here() const {
    return std::all_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return entry.at == nobody; });
}

bool SimtStack::is_in(std::size_t entry) const {
    return active_ && is_point(entries_[entry]) && left_.count(point_of(entries_[entry])) == 0;
}

std::optional<std::size_t> SimtStack::innermost() const {
    for (std::size_t i = entries_.size(); i-- > 0;)
        if (is_in(i)) return i;
    return std::nullopt;
}

void SimtStack::join(Kind kind, std::size_t of) {
    entries_.push_back({kind, of});
}

void SimtStack::leave(std::size_t entry) {
    left_.insert(point_of(entries_[entry]));
}

/// Some have joined it and have neither arrived nor left it.
bool SimtStack::is_missed(std::size_t entry) const {
    const Point point = point_of(entries_[entry]);
    return is_in(entry) ||
           std::any_of(entries_.begin() + static_cast<std::ptrdiff_t>(entry) + 1, entries_.end(),
                       [&](const Entry& above) {
                           return above.at != nobody && above.left.count(point) == 0;
                       });
}

void SimtStack::add_points_above(std::size_t entry, std::set<Point>& to) const {
    for (std::size_t i = entry + 1; i < entries_.size(); ++i)
        if (is_point(entries_[i])) to.insert(point_of(entries_[i]));
}

void SimtStack::remove(std::size_t entry) {
    const Point point = point_of(entries_[entry]);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(entry));
    for (Entry& other : entries_)
        other.left.erase(point);
    left_.erase(point);
    join_groups();
}

// Of two points that open the newer one is the later one here: its lanes come to stand above.
void SimtStack::open_points(const LaterTurn& later_turn) {
    for (std::size_t i = 0; i < entries_.size();) {
        if (!is_point(entries_[i]) || is_missed(i)) {
            ++i;
            continue;
        }
        if (entries_[i].at != nobody) {
            Entry ready{Kind::Ready, entries_[i].of, entries_[i].at, entries_[i].left};
            add_points_above(i, ready.left);
            for (std::size_t above = i + 1; above < entries_.size(); ++above)
                if (entries_[above].kind == Kind::Turn)
                    for (const Group& group : groups_of(entries_[above]))
                        if (!later_turn(group.first, entries_[i].at)) entries_[above].passed = true;
            for (const Entry& other : entries_)
                if (other.kind == Kind::Ready && other.of == ready.of)
                    throw NotFollowed{"lanes may come here again while others have yet to go on "
                                      "behind the same point, which this check does not follow"};
            entries_.push_back(std::move(ready));
        }
        remove(i);
    }
}

std::size_t SimtStack::begin_of_mixed(std::size_t entry) const {
    while (entries_[entry].mixed)
        --entry;
    return entry;
}

std::size_t SimtStack::begin_of_beside(std::size_t entry) const {
    while (entry > 0 && entries_[entry].beside && entries_[entry - 1].beside &&
           entries_[entry - 1].of == entries_[entry].of)
        --entry;
    return entry;
}

void SimtStack::wait_for_turn(std::size_t behind, std::size_t at, const SimtStack& others,
                              bool beside) {
    Entry waiting{Kind::Turn, behind, at, others.left_};
    waiting.beside = beside;
    entries_.push_back(std::move(waiting));
    join_groups();
}

// Who parted last stands for those below, whether they wait or not.
void SimtStack::forget_earlier() {
    const auto is_one = [](const Entry& entry) {
        return entry.kind == Kind::Turn && !entry.many && !entry.passed && !entry.mixed &&
               !entry.beside;
    };
    for (std::size_t i = 1; i < entries_.size();) {
        Entry& below = entries_[i - 1];
        Entry& above = entries_[i];
        if (!is_one(below) || !is_one(above) || below.left != above.left || below.of >= above.of) {
            ++i;
            continue;
        }
        above.earlier.merge(below.earlier);
        above.earlier.insert(below.at);
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
}

// Those of a later turn of a loop stand above those of the turns before, among others that left
// the same turns elsewhere.
void SimtStack::join_groups() {
    if (parting_ != nullptr) forget_earlier();
    const auto stands_for = [this](const Entry& a, const Entry& b) {
        const std::vector<Group> groups = groups_of(a);
        return std::find(groups.begin(), groups.end(), Group{b.of, b.at}) != groups.end();
    };
    const auto parted_alike = [&](const Entry& a, const Entry& b) {
        return a.kind == Kind::Turn && b.kind == Kind::Turn &&
               (stands_for(a, b) || stands_for(b, a));
    };
    for (std::size_t to = 0; to < entries_.size(); ++to) {
        std::size_t from = to;
        for (std::size_t below = to; below-- > 0 && !is_point(entries_[below]);)
            if (parted_alike(entries_[below], entries_[to])) from = below;
        if (from == to) continue;
        from = begin_of_mixed(from);
        const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(from);
        auto last = entries_.begin() + static_cast<std::ptrdiff_t>(to) + 1;
        while (last != entries_.end() && last->mixed)
            ++last;
        const std::set<Point> left = first->left;
        if (std::any_of(first, last, [&](const Entry& entry) {
                return entry.kind != Kind::Turn || entry.passed || entry.beside ||
                       entry.left != left;
            }))
            throw NotFollowed{"lanes may part here again before they meet, which this check does "
                              "not follow"};
        std::set<Group> kinds;
        for (auto entry = first; entry != last; ++entry) {
            const std::vector<Group> groups = groups_of(*entry);
            kinds.insert(groups.begin(), groups.end());
        }
        auto end = entries_.erase(first, last);
        for (const auto& [of, at] : kinds) {
            Entry kind{Kind::Turn, of, at, left, true};
            kind.mixed = Group{of, at} != *kinds.begin();
            end = std::next(entries_.insert(end, std::move(kind)));
        }
        to = static_cast<std::size_t>(end - entries_.begin()) - 1;
    }
}

void SimtStack::wait_at(std::size_t entry, std::size_t at, const SimtStack& others) {
    Entry& point = entries_[entry];
    std::set<Point> left;
    for (std::size_t below = 0; below < entry; ++below)
        if (const Point other = point_of(entries_[below]); others.left_.count(other) != 0)
            left.insert(other);
    if (point.at != nobody && (point.at != at || point.left != left))
        throw NotFollowed{"lanes wait for each other at several places, which this check does not "
                          "follow"};
    point.at = at;
    point.left = std::move(left);
}

bool SimtStack::arrive(std::size_t entry, std::size_t at, const LaterTurn& later_turn) {
    wait_at(entry, at, *this);
    active_ = false;
    if (is_missed(entry)) {
        end(later_turn);
        return false;
    }
    left_ = entries_[entry].left;
    add_points_above(entry, left_);
    active_ = true;
    remove(entry);
    open_points(later_turn);
    return true;
}

void SimtStack::end(const LaterTurn& later_turn) {
    active_ = false;
    left_.clear();
    open_points(later_turn);
}

// A point at the top would have opened.
std::vector<std::pair<SimtStack::Entry, SimtStack>> SimtStack::next() const {
    std::vector<std::pair<Entry, SimtStack>> choices;
    if (entries_.empty()) return choices;
    const std::size_t top = entries_.size() - 1;
    const bool beside = entries_.back().beside; // Then none is mixed.
    const std::size_t from = beside ? begin_of_beside(top) : begin_of_mixed(top);
    for (std::size_t on_top = from; on_top <= top; ++on_top) {
        SimtStack rest = *this;
        rest.left_ = entries_[on_top].left;
        rest.active_ = true;
        if (entries_[on_top].many) choices.emplace_back(entries_[on_top], rest);
        for (const Group& group : groups_of(entries_[on_top])) {
            if (group.first == entries_[on_top].of) continue;
            choices.emplace_back(entries_[on_top], rest);
            Entry& below = choices.back().second.entries_[on_top];
            std::tie(below.of, below.at) = group;
        }
        if (beside)
            rest.entries_.erase(rest.entries_.begin() + static_cast<std::ptrdiff_t>(on_top));
        else
            rest.entries_.resize(from);
        choices.emplace_back(entries_[on_top], std::move(rest));
    }
    return choices;
}

} // namespace warpbound::certification::verify
