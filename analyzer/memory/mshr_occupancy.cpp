#include "analyzer/memory/mshr_occupancy.hpp"

#include "analyzer/memory/service_times.hpp"

namespace warpbound::analyzer {

std::int64_t Entries::sectors() const {
    return context_.footprint ? context_.footprint->most_sectors
                              : static_cast<std::int64_t>(caches_.line / caches_.sector);
}

bool Entries::is_shared_by_few() const {
    return context_.footprint && context_.footprint->sharers <= caches_.merges;
}

std::int64_t Entries::holders_in_l1() const {
    return held_by_l1(caches_, sectors(), true);
}

std::int64_t Entries::held_in_l1() const {
    return caches_.entries.lo - sectors() + 1;
}

std::int64_t Entries::places_in_l1() const {
    return held_by_l1(caches_, sectors(), is_shared_by_few());
}

std::int64_t Entries::places_in_slice() const {
    const bool few = caches_.second_sector <= caches_.line && context_.footprint &&
                     context_.footprint->sharers <= caches_.slice_merges;
    return held_by_slice(caches_, context_.shape.multiprocessors, sectors(), few);
}

} // namespace warpbound::analyzer
