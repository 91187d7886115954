#include "harness/simulator/decode/residency.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

std::string_view to_string(Resource resource) {
    switch (resource) {
    case Resource::Warps:
        return "warps";
    case Resource::Blocks:
        return "blocks";
    case Resource::Registers:
        return "registers";
    case Resource::SharedMemory:
        break;
    }
    return "shared memory";
}

Residency::Residency(const Capacity& capacity)
    : capacity_{capacity}, free_warps_{capacity.warps},
      occupied_(static_cast<std::size_t>(capacity.warps), false),
      registers_(static_cast<std::size_t>(capacity.register_partitions), 0) {}

Residency::WarpSlots Residency::lowest_free(std::int64_t warps) const {
    WarpSlots warp_slots;
    warp_slots.reserve(static_cast<std::size_t>(warps));
    for (std::uint32_t index = first_free_; static_cast<std::int64_t>(warp_slots.size()) < warps;
         ++index)
        if (!occupied_[index]) warp_slots.push_back(index);
    return warp_slots;
}

std::optional<Resource> Residency::missing(const Demand& demand) const {
    if (demand.warps > free_warps_) return Resource::Warps;
    if (blocks_ >= capacity_.blocks) return Resource::Blocks;
    if (demand.shared_memory > capacity_.shared_memory - shared_memory_)
        return Resource::SharedMemory;
    if (demand.registers == 0) return std::nullopt;
    std::vector<std::int64_t> registers = registers_;
    for (const std::uint32_t warp_slot : lowest_free(demand.warps)) {
        std::int64_t& partition = registers[warp_slot % registers.size()];
        if (demand.registers > capacity_.registers - partition) return Resource::Registers;
        partition += demand.registers;
    }
    return std::nullopt;
}

std::int64_t Residency::room_for(const Demand& demand) const {
    Residency with = *this;
    std::int64_t room = 0;
    for (; with.fits(demand); ++room)
        with.enter(demand);
    return room;
}

Residency::WarpSlots Residency::enter(const Demand& demand) {
    WarpSlots warp_slots = lowest_free(demand.warps);
    for (const std::uint32_t warp_slot : warp_slots) {
        occupied_[warp_slot] = true;
        registers_[warp_slot % registers_.size()] += demand.registers;
    }
    while (first_free_ < occupied_.size() && occupied_[first_free_])
        ++first_free_;
    free_warps_ -= demand.warps;
    shared_memory_ += demand.shared_memory;
    ++blocks_;
    return warp_slots;
}

void Residency::leave(const Demand& demand, const WarpSlots& warp_slots) {
    for (const std::uint32_t warp_slot : warp_slots) {
        occupied_[warp_slot] = false;
        first_free_ = std::min(first_free_, warp_slot);
        registers_[warp_slot % registers_.size()] -= demand.registers;
    }
    free_warps_ += demand.warps;
    shared_memory_ -= demand.shared_memory;
    --blocks_;
}

} // namespace warpbound::harness::simulator
