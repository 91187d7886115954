#include "certification/verify/divergence/simt_stack.hpp"

#include <algorithm>
#include <iterator>

namespace warpbound::certification::verify {

namespace {

SimtStack::Point point_of(const SimtStack::Entry& entry) {
    return {entry.kind, entry.origin};
}

bool is_pending(const SimtStack::Entry& entry) {
    return entry.kind == SimtStack::Kind::Pending || entry.kind == SimtStack::Kind::Released;
}

/// The flags of an entry, and of the one below it, belong together.
bool is_well_formed(const SimtStack::Entry& entry, const SimtStack::Entry* below) {
    const bool is_group = entry.kind == SimtStack::Kind::Pending;
    if (is_pending(entry) && entry.resume == SimtStack::none) return false;
    if (!is_group &&
        (entry.optional || entry.one_or_more || entry.interleaved || entry.simultaneous))
        return false;
    if (entry.simultaneous && (entry.one_or_more || entry.interleaved)) return false;
    return !entry.interleaved ||
           (entry.one_or_more && below != nullptr && below->kind == SimtStack::Kind::Pending &&
            below->one_or_more && below->optional == entry.optional &&
            (below->left == entry.left || entry.optional));
}

/// Next to each other.
bool diverged_at_once(const SimtStack::Entry& a, const SimtStack::Entry& b) {
    return a.simultaneous && b.simultaneous && a.origin == b.origin;
}

} // namespace

std::optional<SimtStack> SimtStack::of(std::vector<Entry> entries, std::set<Point> left) {
    if (entries.size() > most_entries) return std::nullopt;
    SimtStack stack;
    std::set<Point> points;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        if (!is_well_formed(entry, i == 0 ? nullptr : &entries[i - 1]) ||
            !std::includes(points.begin(), points.end(), entry.left.begin(), entry.left.end()) ||
            (is_point(entry) && !points.insert(point_of(entry)).second))
            return std::nullopt;
    }
    if (!std::includes(points.begin(), points.end(), left.begin(), left.end())) return std::nullopt;
    stack.entries_ = std::move(entries);
    stack.left_ = std::move(left);
    return stack;
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

bool SimtStack::is_missing(const Entry& above, const Point& point) const {
    return above.resume != none && above.left.count(point) == 0;
}

SimtStack::Missing SimtStack::missing_at(std::size_t entry) const {
    if (is_in(entry)) return Missing::Some;
    const Point point = point_of(entries_[entry]);
    Missing missing = Missing::None;
    for (std::size_t i = entry + 1; i < entries_.size(); ++i) {
        if (!is_missing(entries_[i], point)) continue;
        if (!entries_[i].optional) return Missing::Some;
        missing = Missing::Perhaps;
    }
    return missing;
}

SimtStack SimtStack::without_missing(std::size_t entry) const {
    SimtStack rest = *this;
    const Point point = point_of(entries_[entry]);
    rest.entries_.clear();
    bool begins = true; // The first that is left of interleaved groups.
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        begins = begins || !entries_[i].interleaved;
        if (i > entry && is_missing(entries_[i], point)) continue;
        rest.entries_.push_back(entries_[i]);
        if (std::exchange(begins, false)) rest.entries_.back().interleaved = false;
    }
    return rest;
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

/// Those who wait at the point go on above groups, which have all left it.
void SimtStack::note_passed(std::size_t entry, PassedOver& passed) const {
    for (std::size_t above = entry + 1; above < entries_.size(); ++above)
        if (entries_[above].kind == Kind::Pending)
            passed[{entries_[above].origin, entries_[above].resume}].insert(entries_[entry].resume);
}

void SimtStack::release(std::size_t entry, PassedOver& passed) {
    note_passed(entry, passed);
    Entry released{Kind::Released, entries_[entry].origin, entries_[entry].resume,
                   entries_[entry].left};
    add_points_above(entry, released.left);
    for (const Entry& other : entries_)
        if (other.kind == Kind::Released && other.origin == released.origin)
            throw NotFollowed{"lanes may wait at this reconvergence point again while others that "
                              "it released are still pending, which this check does not follow"};
    entries_.push_back(std::move(released));
}

void SimtStack::collect_opened(const std::optional<Point>& closed, PassedOver& passed,
                               std::vector<SimtStack>& to) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!is_point(entries_[i]) || entries_[i].resume == none) continue;
        const Missing missing = missing_at(i);
        if (closed == point_of(entries_[i])) {
            if (missing == Missing::None) return;
        } else if (missing == Missing::Perhaps) {
            without_missing(i).collect_opened(closed, passed, to);
        }
    }
    // Older points first: of two that open in one step, the lanes of the newer one are above.
    SimtStack opened = *this;
    for (std::size_t i = 0; i < opened.entries_.size();) {
        if (!is_point(opened.entries_[i]) || opened.missing_at(i) != Missing::None) {
            ++i;
            continue;
        }
        if (opened.entries_[i].resume != none) opened.release(i, passed);
        opened.remove(i);
    }
    if (to.size() >= most_outcomes)
        throw NotFollowed{"more points may open in one step than this check follows"};
    to.push_back(std::move(opened));
}

std::vector<SimtStack> SimtStack::open_points(PassedOver& passed) const {
    std::vector<SimtStack> opened;
    collect_opened(std::nullopt, passed, opened);
    return opened;
}

void SimtStack::push_pending(std::size_t origin, std::size_t resume, const SimtStack& others,
                             bool simultaneous, bool optional) {
    Entry group{Kind::Pending, origin, resume, others.left_};
    group.simultaneous = simultaneous;
    group.optional = optional;
    entries_.push_back(std::move(group));
    if (!simultaneous) merge_groups();
}

std::size_t SimtStack::first_interleaved(std::size_t entry) const {
    while (entries_[entry].interleaved)
        --entry;
    return entry;
}

std::size_t SimtStack::lowest_of_top() const {
    return first_of_order(entries_.size() - 1);
}

std::size_t SimtStack::first_of_order(std::size_t entry) const {
    entry = first_interleaved(entry);
    while (entry > 0 && diverged_at_once(entries_[entry - 1], entries_[entry]))
        --entry;
    return entry;
}

std::size_t SimtStack::end_of_order(std::size_t entry) const {
    std::size_t end = entry + 1;
    while (end < entries_.size() &&
           (entries_[end].interleaved || diverged_at_once(entries_[end - 1], entries_[end])))
        ++end;
    return end;
}

// Groups of a later iteration of a loop are above those of earlier ones, mixed with others that
// left the same iterations at another branch.
void SimtStack::merge_groups() {
    const auto are_of_one_divergence = [](const Entry& a, const Entry& b) {
        return a.kind == Kind::Pending && b.kind == Kind::Pending && a.origin == b.origin &&
               a.resume == b.resume;
    };
    for (std::size_t to = 0; to < entries_.size(); ++to) {
        std::size_t from = to;
        for (std::size_t below = to; below-- > 0 && !is_point(entries_[below]);)
            if (are_of_one_divergence(entries_[below], entries_[to])) from = below;
        if (from != to) to = mix(first_of_order(from), end_of_order(to)) - 1;
    }
}

/// The groups become any number of theirs in any order. Returns their new end.
std::size_t SimtStack::mix(std::size_t from, std::size_t end) {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::any_of(first, last, [](const Entry& entry) { return entry.kind != Kind::Pending; }))
        throw NotFollowed{"lanes may diverge here again before they reconverge, while others that "
                          "waited are to go on, which this check does not follow"};
    std::set<std::tuple<std::set<Point>, std::size_t, std::size_t>> kinds;
    for (auto entry = first; entry != last; ++entry)
        kinds.emplace(entry->left, entry->origin, entry->resume);
    // Of these all may be absent that are in some point.
    const bool differ = std::get<0>(*kinds.begin()) != std::get<0>(*kinds.rbegin());
    const bool optional =
        differ || std::all_of(first, last, [](const Entry& entry) { return entry.optional; });
    auto at = entries_.erase(first, last);
    for (const auto& kind : kinds) {
        const auto& [left, origin, resume] = kind;
        Entry group{Kind::Pending, origin, resume, left, optional, true};
        group.interleaved = kind != *kinds.begin();
        at = std::next(entries_.insert(at, std::move(group)));
    }
    return static_cast<std::size_t>(at - entries_.begin());
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

std::vector<SimtStack::Resumed> SimtStack::arrive(std::size_t entry, std::size_t resume,
                                                  PassedOver& passed) const {
    const Point point = point_of(entries_[entry]);
    SimtStack waiting = *this;
    waiting.wait_at(entry, resume, *this);
    waiting.active_ = false;
    waiting.left_.clear();
    std::vector<Resumed> resumed;
    const Missing missing = waiting.missing_at(entry);
    if (missing != Missing::Some) {
        SimtStack opened = waiting.without_missing(entry);
        if (entries_[entry].resume != none) opened.note_passed(entry, passed);
        opened.left_ = opened.entries_[entry].left;
        opened.add_points_above(entry, opened.left_);
        opened.active_ = true;
        opened.remove(entry);
        for (SimtStack& stack : opened.open_points(passed))
            resumed.push_back({point.first, resume, std::move(stack)});
    }
    if (missing != Missing::None) waiting.add_next(point, passed, resumed);
    return resumed;
}

std::vector<SimtStack::Resumed> SimtStack::end(PassedOver& passed) const {
    SimtStack ended = *this;
    ended.active_ = false;
    ended.left_.clear();
    std::vector<Resumed> resumed;
    ended.add_next(std::nullopt, passed, resumed);
    return resumed;
}

// The group that has been pending for the shortest time goes on. One that may be missing is there,
// or the next one is on top.
void SimtStack::add_next(const std::optional<Point>& closed, PassedOver& passed,
                         std::vector<Resumed>& to) const {
    std::vector<SimtStack> all;
    collect_opened(closed, passed, all);
    for (const SimtStack& stack : all) {
        if (stack.entries_.empty()) {
            to.push_back({Kind::Pending, none, {}});
            continue;
        }
        const std::size_t from = stack.lowest_of_top();
        const auto& entries = stack.entries_;
        for (std::size_t on_top = from; on_top < entries.size(); ++on_top) {
            SimtStack rest = stack;
            rest.left_ = entries[on_top].left;
            rest.active_ = true;
            const auto goes_on = [&](SimtStack then) {
                to.push_back({entries[on_top].kind, entries[on_top].resume, std::move(then)});
            };
            if (entries[on_top].one_or_more) goes_on(rest);
            if (entries[on_top].one_or_more && entries[on_top].optional) continue;
            if (entries[on_top].simultaneous)
                rest.entries_.erase(rest.entries_.begin() + static_cast<std::ptrdiff_t>(on_top));
            else
                rest.entries_.resize(from);
            goes_on(std::move(rest));
        }
        if (std::all_of(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end(),
                        [](const Entry& entry) { return entry.optional; })) {
            SimtStack absent = stack;
            absent.entries_.resize(from);
            absent.add_next(closed, passed, to);
        }
    }
}

} // namespace warpbound::certification::verify
