#include "harness/simulator/launch/residency.hpp"

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
      taken_(static_cast<std::size_t>(capacity.warps), false),
      registers_(static_cast<std::size_t>(capacity.register_partitions), 0) {}

Residency::Places Residency::lowest_free(std::int64_t warps) const {
    Places places;
    places.reserve(static_cast<std::size_t>(warps));
    for (std::uint32_t index = first_free_; static_cast<std::int64_t>(places.size()) < warps;
         ++index)
        if (!taken_[index]) places.push_back(index);
    return places;
}

std::optional<Resource> Residency::missing(const Demand& demand) const {
    if (demand.warps > free_warps_) return Resource::Warps;
    if (blocks_ >= capacity_.blocks) return Resource::Blocks;
    if (demand.shared_memory > capacity_.shared_memory - shared_memory_)
        return Resource::SharedMemory;
    if (demand.registers == 0) return std::nullopt;
    std::vector<std::int64_t> registers = registers_;
    for (const std::uint32_t place : lowest_free(demand.warps)) {
        std::int64_t& partition = registers[place % registers.size()];
        if (demand.registers > capacity_.registers - partition) return Resource::Registers;
        partition += demand.registers;
    }
    return std::nullopt;
}

Residency::Places Residency::enter(const Demand& demand) {
    Places places = lowest_free(demand.warps);
    for (const std::uint32_t place : places) {
        taken_[place] = true;
        registers_[place % registers_.size()] += demand.registers;
    }
    while (first_free_ < taken_.size() && taken_[first_free_])
        ++first_free_;
    free_warps_ -= demand.warps;
    shared_memory_ += demand.shared_memory;
    ++blocks_;
    return places;
}

void Residency::leave(const Demand& demand, const Places& places) {
    for (const std::uint32_t place : places) {
        taken_[place] = false;
        first_free_ = std::min(first_free_, place);
        registers_[place % registers_.size()] -= demand.registers;
    }
    free_warps_ += demand.warps;
    shared_memory_ -= demand.shared_memory;
    --blocks_;
}

} // namespace warpbound::harness::simulator
