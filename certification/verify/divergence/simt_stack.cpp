#include "certification/verify/divergence/simt_stack.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

SimtStack::Point point_of(const SimtStack::Entry& entry) {
    return {entry.kind, entry.origin};
}

} // namespace

std::vector<SimtStack::Group> SimtStack::groups_of(const Entry& entry) const {
    std::vector<Group> groups{{entry.origin, entry.resume}};
    for (const std::size_t resume : entry.earlier_resumes)
        for (const std::size_t origin : (*divergent_)(resume))
            if (origin < entry.origin) groups.emplace_back(origin, resume);
    return groups;
}

SimtStack SimtStack::without_earlier() const {
    SimtStack stack = *this;
    for (Entry& entry : stack.entries_)
        entry.earlier_resumes.clear();
    return stack;
}

bool SimtStack::covers(const SimtStack& other) const {
    return std::equal(entries_.begin(), entries_.end(), other.entries_.begin(),
                      [](const Entry& a, const Entry& b) {
                          return std::includes(a.earlier_resumes.begin(), a.earlier_resumes.end(),
                                               b.earlier_resumes.begin(), b.earlier_resumes.end());
                      });
}

bool SimtStack::is_converged() const {
    return std::all_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return entry.resume == none; });
}

bool SimtStack::is_in(std::size_t entry) const {
    return active_ && is_point(entries_[entry]) && left_.count(point_of(entries_[entry])) == 0;
}

std::optional<std::size_t> SimtStack::innermost() const {
    for (std::size_t i = entries_.size(); i-- > 0;)
        if (is_in(i)) return i;
    return std::nullopt;
}

void SimtStack::join(Kind kind, std::size_t origin) {
    entries_.push_back({kind, origin});
}

void SimtStack::leave(std::size_t entry) {
    left_.insert(point_of(entries_[entry]));
}

bool SimtStack::has_missing_lanes(std::size_t entry) const {
    const Point point = point_of(entries_[entry]);
    return is_in(entry) ||
           std::any_of(entries_.begin() + static_cast<std::ptrdiff_t>(entry) + 1, entries_.end(),
                       [&](const Entry& above) {
                           return above.resume != none && above.left.count(point) == 0;
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
    merge_groups();
}

// Older points first: of two that open in one step, the lanes of the newer one are above (S19e).
void SimtStack::open_points(const LaterIteration& later_iteration) {
    for (std::size_t i = 0; i < entries_.size();) {
        if (!is_point(entries_[i]) || has_missing_lanes(i)) {
            ++i;
            continue;
        }
        if (entries_[i].resume != none) {
            Entry released{Kind::Released, entries_[i].origin, entries_[i].resume,
                           entries_[i].left};
            add_points_above(i, released.left);
            for (std::size_t above = i + 1; above < entries_.size(); ++above)
                if (entries_[above].kind == Kind::Pending)
                    for (const Group& group : groups_of(entries_[above]))
                        if (!later_iteration(group.first, entries_[i].resume))
                            entries_[above].overtaken = true;
            for (const Entry& other : entries_)
                if (other.kind == Kind::Released && other.origin == released.origin)
                    throw NotFollowed{
                        "lanes may wait at this reconvergence point again while others "
                        "that it released are still pending, which this check does "
                        "not follow"};
            entries_.push_back(std::move(released));
        }
        remove(i);
    }
}

std::size_t SimtStack::first_interleaved(std::size_t entry) const {
    while (entries_[entry].interleaved)
        --entry;
    return entry;
}

std::size_t SimtStack::first_simultaneous(std::size_t entry) const {
    while (entry > 0 && entries_[entry].simultaneous && entries_[entry - 1].simultaneous &&
           entries_[entry - 1].origin == entries_[entry].origin)
        --entry;
    return entry;
}

void SimtStack::push_pending(std::size_t origin, std::size_t resume, const SimtStack& others,
                             bool simultaneous) {
    Entry group{Kind::Pending, origin, resume, others.left_};
    group.simultaneous = simultaneous;
    entries_.push_back(std::move(group));
    merge_groups();
}

// Abstraction to the last divergence: the topmost group represents those below, pending or not.
void SimtStack::merge_earlier_groups() {
    const auto is_single_group = [](const Entry& entry) {
        return entry.kind == Kind::Pending && !entry.one_or_more && !entry.overtaken &&
               !entry.interleaved && !entry.simultaneous;
    };
    for (std::size_t i = 1; i < entries_.size();) {
        Entry& below = entries_[i - 1];
        Entry& above = entries_[i];
        if (!is_single_group(below) || !is_single_group(above) || below.left != above.left ||
            below.origin >= above.origin) {
            ++i;
            continue;
        }
        above.earlier_resumes.merge(below.earlier_resumes);
        above.earlier_resumes.insert(below.resume);
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
}

// Groups of a later iteration of a loop are above those of earlier ones, mixed with others that
// left the same iterations at another branch.
void SimtStack::merge_groups() {
    if (divergent_ != nullptr) merge_earlier_groups();
    const auto represents = [this](const Entry& a, const Entry& b) {
        const std::vector<Group> groups = groups_of(a);
        return std::find(groups.begin(), groups.end(), Group{b.origin, b.resume}) != groups.end();
    };
    const auto are_of_one_divergence = [&](const Entry& a, const Entry& b) {
        return a.kind == Kind::Pending && b.kind == Kind::Pending &&
               (represents(a, b) || represents(b, a));
    };
    for (std::size_t to = 0; to < entries_.size(); ++to) {
        std::size_t from = to;
        for (std::size_t below = to; below-- > 0 && !is_point(entries_[below]);)
            if (are_of_one_divergence(entries_[below], entries_[to])) from = below;
        if (from == to) continue;
        from = first_interleaved(from);
        const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(from);
        auto last = entries_.begin() + static_cast<std::ptrdiff_t>(to) + 1;
        while (last != entries_.end() && last->interleaved)
            ++last;
        const std::set<Point> left = first->left;
        if (std::any_of(first, last, [&](const Entry& entry) {
                return entry.kind != Kind::Pending || entry.overtaken || entry.simultaneous ||
                       entry.left != left;
            }))
            throw NotFollowed{
                "lanes may diverge here again before they reconverge, which this check "
                "does not follow"};
        std::set<Group> merged;
        for (auto entry = first; entry != last; ++entry) {
            const std::vector<Group> groups = groups_of(*entry);
            merged.insert(groups.begin(), groups.end());
        }
        auto end = entries_.erase(first, last);
        for (const auto& [origin, resume] : merged) {
            Entry group{Kind::Pending, origin, resume, left, true};
            group.interleaved = Group{origin, resume} != *merged.begin();
            end = std::next(entries_.insert(end, std::move(group)));
        }
        to = static_cast<std::size_t>(end - entries_.begin()) - 1;
    }
}

void SimtStack::wait_at(std::size_t entry, std::size_t resume, const SimtStack& others) {
    Entry& point = entries_[entry];
    std::set<Point> left;
    for (std::size_t below = 0; below < entry; ++below)
        if (const Point other = point_of(entries_[below]); others.left_.count(other) != 0)
            left.insert(other);
    if (point.resume != none && (point.resume != resume || point.left != left))
        throw NotFollowed{"lanes wait at one reconvergence point to go on at several blocks, or in "
                          "different points around it, which this check does not follow"};
    point.resume = resume;
    point.left = std::move(left);
}

bool SimtStack::arrive(std::size_t entry, std::size_t resume,
                       const LaterIteration& later_iteration) {
    wait_at(entry, resume, *this);
    active_ = false;
    if (has_missing_lanes(entry)) {
        end(later_iteration);
        return false;
    }
    left_ = entries_[entry].left;
    add_points_above(entry, left_);
    active_ = true;
    remove(entry);
    open_points(later_iteration);
    return true;
}

void SimtStack::end(const LaterIteration& later_iteration) {
    active_ = false;
    left_.clear();
    open_points(later_iteration);
}

// The top is a group: a point at the top would have opened.
std::vector<std::pair<SimtStack::Entry, SimtStack>> SimtStack::next() const {
    std::vector<std::pair<Entry, SimtStack>> choices;
    if (entries_.empty()) return choices;
    const std::size_t top = entries_.size() - 1;
    const bool simultaneous = entries_.back().simultaneous; // Then none is interleaved.
    const std::size_t from = simultaneous ? first_simultaneous(top) : first_interleaved(top);
    for (std::size_t on_top = from; on_top <= top; ++on_top) {
        SimtStack rest = *this;
        rest.left_ = entries_[on_top].left;
        rest.active_ = true;
        if (entries_[on_top].one_or_more) choices.emplace_back(entries_[on_top], rest);
        for (const Group& group : groups_of(entries_[on_top])) {
            if (group.first == entries_[on_top].origin) continue;
            choices.emplace_back(entries_[on_top], rest);
            Entry& below = choices.back().second.entries_[on_top];
            std::tie(below.origin, below.resume) = group;
        }
        if (simultaneous)
            rest.entries_.erase(rest.entries_.begin() + static_cast<std::ptrdiff_t>(on_top));
        else
            rest.entries_.resize(from);
        choices.emplace_back(entries_[on_top], std::move(rest));
    }
    return choices;
}

} // namespace warpbound::certification::verify
