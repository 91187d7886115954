#include "analyzer/value/interval_set.hpp"

#include <algorithm>

namespace warpbound::analyzer {

IntervalSet::IntervalSet(std::uint64_t first, std::uint64_t last) {
    if (first <= last) intervals_.emplace_back(first, last);
}

IntervalSet IntervalSet::complement() const {
    IntervalSet rest;
    std::uint64_t next = 0;
    for (const auto& [first, last] : intervals_) {
        if (next < first) rest.intervals_.emplace_back(next, first - 1);
        next = last + 1;
    }
    if (next < modulus) rest.intervals_.emplace_back(next, modulus - 1);
    return rest;
}

IntervalSet IntervalSet::unite(const IntervalSet& other) const {
    auto sorted = intervals_;
    sorted.insert(sorted.end(), other.intervals_.begin(), other.intervals_.end());
    std::sort(sorted.begin(), sorted.end());
    IntervalSet both;
    for (const auto& interval : sorted)
        if (!both.intervals_.empty() && interval.first <= both.intervals_.back().second + 1)
            both.intervals_.back().second =
                std::max(both.intervals_.back().second, interval.second);
        else
            both.intervals_.push_back(interval);
    return both;
}

IntervalSet IntervalSet::intersect(const IntervalSet& other) const {
    IntervalSet both;
    auto a = intervals_.begin();
    auto b = other.intervals_.begin();
    while (a != intervals_.end() && b != other.intervals_.end()) {
        const std::uint64_t first = std::max(a->first, b->first);
        const std::uint64_t last = std::min(a->second, b->second);
        if (first <= last) both.intervals_.emplace_back(first, last);
        if (a->second < b->second)
            ++a;
        else
            ++b;
    }
    return both;
}

bool IntervalSet::disjoint(const IntervalSet& other) const {
    auto a = intervals_.begin();
    auto b = other.intervals_.begin();
    while (a != intervals_.end() && b != other.intervals_.end()) {
        if (std::max(a->first, b->first) <= std::min(a->second, b->second)) return false;
        if (a->second < b->second)
            ++a;
        else
            ++b;
    }
    return true;
}

IntervalSet IntervalSet::shifted(std::uint32_t by) const {
    IntervalSet moved;
    for (const auto& [first, last] : intervals_) {
        const std::uint64_t from = first + by;
        const std::uint64_t to = last + by;
        if (from >= modulus)
            moved = moved.unite({from - modulus, to - modulus});
        else if (to >= modulus)
            moved = moved.unite({from, modulus - 1}).unite({0, to - modulus});
        else
            moved = moved.unite({from, to});
    }
    return moved;
}

IntervalSet IntervalSet::negated() const {
    IntervalSet mirrored; // -v = ~v + 1
    for (const auto& [first, last] : intervals_)
        mirrored = mirrored.unite({modulus - 1 - last, modulus - 1 - first});
    return mirrored.shifted(1);
}

} // namespace warpbound::analyzer
