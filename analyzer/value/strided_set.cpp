#include "analyzer/value/strided_set.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t address_space = std::int64_t{1} << 32U;

/// A set that grows by translated copies of itself.
class StridedSet {
public:
    StridedSet(std::int64_t bytes, std::int64_t unit)
        : bytes_{bytes}, unit_{unit}, span_{bytes}, units_{count_of_run()} {}

    [[nodiscard]] const TouchedUnits& units() const { return units_; }

    /// The union of `index.count` copies, or of fewer. Requires: a stride that is not negative.
    void repeat(const StridedIndex& index) {
        if (index.stride == 0) return;
        const std::int64_t room = (address_space - unit_ - span_) / index.stride;
        const std::int64_t copies = std::min(index.count, room + 1);
        if (copies <= 1) return;
        const bool overlap = index.stride < span_;
        const bool stays_run = is_run_ && index.stride <= span_ - bytes_ + unit_;
        if (overlap && !stays_run) return; // One copy counts.
        const bool share_units = index.stride < span_ + unit_ - 1;
        is_dense_ = is_dense_ && index.stride <= span_;
        is_run_ = stays_run;
        span_ += (copies - 1) * index.stride;
        if (!overlap) units_.covered *= copies;
        // Neighbours share one unit at most.
        if (!is_run_)
            units_.touched = units_.touched * copies - (share_units ? copies - 1 : 0);
        else
            units_ = {count_of_run().touched, std::max(units_.covered, count_of_run().covered)};
    }

private:
    /// Of bytes that follow each other at less than a unit: the whole span is touched.
    [[nodiscard]] TouchedUnits count_of_run() const {
        return {models::divide_up(span_, unit_),
                is_dense_ ? std::max<std::int64_t>(0, (span_ - unit_ + 1) / unit_) : 0};
    }

    std::int64_t bytes_;
    std::int64_t unit_;
    std::int64_t span_;    ///< From the first to the last byte.
    bool is_run_ = true;   ///< From one access to the next it is at most a unit.
    bool is_dense_ = true; ///< All bytes of the span are accessed.
    TouchedUnits units_;
};

} // namespace

TouchedUnits least_touched(std::vector<StridedIndex> indices, std::int64_t bytes,
                           std::int64_t unit) {
    for (StridedIndex& index : indices)
        index.stride = std::abs(index.stride); // Counted from its other end.
    std::ranges::sort(indices, {}, &StridedIndex::stride);
    StridedSet set{bytes, unit};
    for (std::size_t i = 0; i < indices.size(); ++i) {
        StridedIndex sum = indices[i];
        for (; i + 1 < indices.size() && indices[i + 1].stride == sum.stride; ++i)
            sum.count += indices[i + 1].count - 1; // All numbers from the least to the greatest.
        set.repeat(sum);
    }
    return set.units();
}

} // namespace warpbound::analyzer
