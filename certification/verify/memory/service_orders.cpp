#include "certification/verify/memory/service_orders.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::certification::verify {

bool are_slices_in_order(const MemoryLayout& layout, const LaunchVolume& volume) {
    return volume.multiprocessors == 1 && layout.transit.is_exact();
}

bool follows_hand_overs(const MemoryLayout& layout, const LaunchVolume& volume) {
    return !layout.behind_queues || volume.loads_in_flight <= layout.load_queue;
}

std::string_view missing_for_transfers_in_order(const MemoryLayout& layout,
                                                const LaunchVolume& volume,
                                                const FullResources& resources,
                                                const std::vector<CodeLoad>& loads) {
    const auto all_loads_have_at_most = [&](std::int64_t lines) {
        return std::all_of(loads.begin(), loads.end(),
                           [&](const CodeLoad& load) { return load.lines <= lines; });
    };
    const LeastHolders& least = resources.least();
    const auto assumptions = std::to_array<std::pair<bool, std::string_view>>({
        {volume.writes == 0, "DRAM writes"},
        {follows_hand_overs(layout, volume), "loads behind memory queues may fill the load queue"},
        {are_slices_in_order(layout, volume), "slices are not in-order"},
        {layout.places_in_channels() && layout.slices.hi == layout.channels.hi,
         "a channel has not one slice"},
        {!resources.may_lack(least.of_slice()), "a slice may lack an entry"},
        {layout.link_service.lo > 0, "a service of the link may take no time"},
        {all_loads_have_at_most(layout.channel_queue.lo),
         "a load has more lines than the queue of a channel has entries"},
        {!resources.may_lack(least.of_l1_entries) || all_loads_have_at_most(least.of_l1_entries),
         "a load has more lines than hold the entries of a full L1"},
    });
    for (const auto& [holds, what] : assumptions)
        if (!holds) return what;
    return {};
}

} // namespace warpbound::certification::verify
