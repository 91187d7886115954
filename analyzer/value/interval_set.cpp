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
    return complement().unite(other.complement()).complement();
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
