#pragma once
/// \file
/// A cache of lines as the checks know it.

#include "models/architecture/architecture.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>

namespace warpbound::tests {

/// A cache with LRU replacement and a number of ways in an interval: a cache of w ways holds the w
/// lines of a set that were used last.
class LruLines {
public:
    LruLines(std::int64_t sets, models::Interval ways)
        : sets_{static_cast<std::uint64_t>(sets)}, ways_{ways} {}

    /// Whether it may be that a look-up hits, or that it does not. The line becomes the most
    /// recently used one where it hits.
    bool allows(std::uint64_t line, bool hits) {
        auto& set = lines_[line % sets_];
        const auto found = std::find(set.begin(), set.end(), line);
        const std::int64_t used_since = std::distance(set.begin(), found);
        const bool may_hit = found != set.end() && used_since < ways_.hi;
        const bool may_miss = found == set.end() || used_since >= ways_.lo;
        if (hits && found != set.end()) set.splice(set.begin(), set, found);
        return hits ? may_hit : may_miss;
    }
    void fill(std::uint64_t line) {
        auto& set = lines_[line % sets_];
        set.remove(line);
        set.push_front(line);
        if (static_cast<std::int64_t>(set.size()) > ways_.hi) set.pop_back();
    }

private:
    std::uint64_t sets_;
    models::Interval ways_;
    std::map<std::uint64_t, std::list<std::uint64_t>> lines_; ///< The last used one first.
};

} // namespace warpbound::tests
