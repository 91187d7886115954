#include "analyzer/memory/service_times.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// An access that waits for `needed` entries finds fewer of them free; each outstanding access
/// occupies at most `needed`.
std::int64_t accesses_in_entries(std::int64_t entries, std::int64_t needed) {
    return (entries - needed) / needed + 1;
}

} // namespace

bool is_cached_load(const models::InstructionTiming& timing) {
    return timing.through_caches && !timing.enters_write_buffer;
}

bool is_cached_store(const models::InstructionTiming& timing) {
    return timing.through_caches && timing.enters_write_buffer;
}

std::int64_t l1_time(const MemoryParameters& caches, const models::InstructionTiming& load) {
    const std::int64_t service = caches.first_level_service.hi;
    return (models::Cycles{std::max(service, load.pass_cost.hi)} * (load.passes.hi - 1) +
            models::Cycles{service})
        .count();
}

std::int64_t transaction_time(const MemoryParameters& caches) {
    return (models::Cycles{caches.slice_service.hi} + models::Cycles{caches.link_service.hi} * 2)
        .count();
}

std::int64_t store_time(const MemoryParameters& caches, const models::InstructionTiming& store,
                        std::int64_t transfer) {
    if (!store.through_caches) return 1;
    const models::Cycles line = models::Cycles{caches.slice_service.hi} +
                                models::Cycles{caches.link_service.hi} + models::Cycles{transfer};
    return (line * store.passes.hi + models::Cycles{1}).count();
}

std::int64_t least_in_full_l1(const MemoryParameters& caches, std::int64_t sectors,
                              bool merge_fits) {
    const std::int64_t held = accesses_in_entries(caches.entries.lo, sectors);
    return merge_fits ? held : std::min(held, caches.merges);
}

std::int64_t least_in_full_slice(const MemoryParameters& caches, std::int64_t multiprocessors,
                                 std::int64_t sectors, bool merge_fits) {
    const auto line =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, caches.line / caches.second_sector));
    const auto of_one =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, caches.sector / caches.second_sector));
    // If the slice has an entry for every sector that the L1s can request, no access waits.
    const models::Cycles requested = models::Cycles{caches.entries.hi} * multiprocessors * of_one;
    const std::int64_t held =
        requested <= models::Cycles{caches.slice_entries}
            ? INT64_MAX
            : accesses_in_entries(caches.slice_entries, std::min(line, sectors * of_one));
    // An L1 requests a sector once until its data arrive.
    const bool once =
        caches.second_sector <= caches.sector && multiprocessors <= caches.slice_merges;
    return once || merge_fits ? held : std::min(held, caches.slice_merges);
}

std::int64_t delaying_refreshes(const MemoryParameters& caches, models::Cycles duration,
                                models::Cycles time, std::int64_t transfers) {
    std::int64_t refreshes = transfers;
    // Or as many as the time allows, if this fixed point converges.
    if ((duration * caches.channels.hi).count() <= caches.refresh_interval / 2)
        for (std::int64_t before = 0, needed = 1; needed > before;) {
            before = needed;
            const models::Cycles until = time + duration * before;
            needed =
                (models::Cycles{until.count() / caches.refresh_interval + 1} * caches.channels.hi)
                    .count();
            refreshes = std::min(transfers, needed);
        }
    return refreshes;
}

} // namespace warpbound::analyzer
