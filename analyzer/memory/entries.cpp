#include "analyzer/memory/entries.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// Whoever waits for `needed` entries finds fewer free, and each access has at most so many of
/// them.
std::int64_t holders(std::int64_t entries, std::int64_t needed) {
    return (entries - needed) / needed + 1;
}

} // namespace

std::int64_t Entries::sectors() const {
    return problem_.touched ? problem_.touched->most_sectors
                            : static_cast<std::int64_t>(caches_.line / caches_.sector);
}

bool Entries::is_shared_by_few() const {
    return problem_.touched && problem_.touched->sharers <= caches_.merges;
}

std::int64_t Entries::holders_in_l1() const {
    return holders(caches_.entries.lo, sectors());
}

std::int64_t Entries::places_in_l1() const {
    return is_shared_by_few() ? holders_in_l1() : std::min(holders_in_l1(), caches_.merges);
}

std::int64_t Entries::places_in_slice() const {
    const auto line =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, caches_.line / caches_.second_sector));
    const auto of_one = static_cast<std::int64_t>(
        std::max<std::uint64_t>(1, caches_.sector / caches_.second_sector));
    // Where the slice has an entry for everything that the L1s can ask for, none waits.
    const models::Cycles asked =
        models::Cycles{caches_.entries.hi} * problem_.shape.multiprocessors * of_one;
    const std::int64_t held =
        asked <= models::Cycles{caches_.slice_entries}
            ? INT64_MAX
            : holders(caches_.slice_entries, std::min(line, sectors() * of_one));
    // An L1 asks for a sector once until it comes.
    const bool once = caches_.second_sector <= caches_.sector &&
                      problem_.shape.multiprocessors <= caches_.slice_merges;
    const bool few = caches_.second_sector <= caches_.line && problem_.touched &&
                     problem_.touched->sharers <= caches_.slice_merges;
    return once || few ? held : std::min(held, caches_.slice_merges);
}

} // namespace warpbound::analyzer
