#include "analyzer/memory/mshr_occupancy.hpp"

#include "analyzer/memory/service_times.hpp"

namespace warpbound::analyzer {

std::int64_t MshrOccupancy::sectors() const {
    return memory_.footprint ? memory_.footprint->most_sectors
                             : static_cast<std::int64_t>(caches_.line / caches_.sector);
}

bool MshrOccupancy::merges_always_fit() const {
    return memory_.footprint && memory_.footprint->sharers <= caches_.merges;
}

std::int64_t MshrOccupancy::transactions_in_full_l1() const {
    return least_in_full_l1(caches_, sectors(), true);
}

std::int64_t MshrOccupancy::sectors_in_full_l1() const {
    return caches_.entries.lo - sectors() + 1;
}

std::int64_t MshrOccupancy::accesses_in_full_l1() const {
    return least_in_full_l1(caches_, sectors(), merges_always_fit());
}

std::int64_t MshrOccupancy::accesses_in_full_slice() const {
    const bool merges_fit = caches_.second_sector <= caches_.line && memory_.footprint &&
                            memory_.footprint->sharers <= caches_.slice_merges;
    return least_in_full_slice(caches_, multiprocessors_, sectors(), merges_fit);
}

} // namespace warpbound::analyzer
