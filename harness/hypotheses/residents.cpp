#include "harness/hypotheses/residents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness::hypotheses {

namespace {

constexpr std::array every_resource{Resource::BlockSlots, Resource::Registers, Resource::Threads,
                                    Resource::SharedMemory};

std::string began(const ObservedOperation& launch, const ObservedBlock& block) {
    return fmt::format("block {} of '{}' on SM {} began", &block - launch.blocks.data(),
                       launch.name, block.multiprocessor);
}

bool by_begin(const ObservedBlock& a, const ObservedBlock& b) {
    return a.begin < b.begin;
}

/// Whether one more block fits where these blocks, by their launch, are resident.
bool fits(const MultiprocessorLimits& limits, const ObservedOperation& launch,
          const std::vector<const ObservedOperation*>& residents) {
    if (residents.empty()) return true;
    return std::all_of(every_resource.begin(), every_resource.end(), [&](Resource resource) {
        const auto limit = limit_of(limits, resource);
        auto taken = demand_of(launch, resource);
        for (const ObservedOperation* resident : residents) {
            const auto more = demand_of(*resident, resource);
            if (taken) taken = more ? std::optional{*taken + *more} : std::nullopt;
        }
        return limit && taken && *taken <= *limit;
    });
}

} // namespace

std::optional<std::int64_t> demand_of(const ObservedOperation& launch, Resource resource) {
    switch (resource) {
    case Resource::BlockSlots:
        return 1;
    case Resource::Registers:
        if (!launch.registers) return std::nullopt;
        return *launch.registers * launch.threads;
    case Resource::Threads:
        return launch.threads;
    case Resource::SharedMemory:
        break;
    }
    return launch.shared_memory;
}

std::optional<std::int64_t> limit_of(const MultiprocessorLimits& limits, Resource resource) {
    switch (resource) {
    case Resource::BlockSlots:
        return limits.blocks;
    case Resource::Registers:
        return limits.registers;
    case Resource::Threads:
        return limits.threads;
    case Resource::SharedMemory:
        break;
    }
    return limits.shared_memory;
}

bool fits_beside_residents(const ObservedWorkload& workload, const ObservedOperation& launch,
                           std::int64_t at) {
    const std::int64_t slack = workload.resolution + workload.latency;
    std::map<std::int64_t, std::vector<const ObservedOperation*>> residents;
    for (const ObservedOperation& other : workload.operations)
        for (const ObservedBlock& block : other.blocks) {
            auto& on_sm = residents[block.multiprocessor];
            if (block.begin <= at + slack && block.end + slack >= at && &other != &launch)
                on_sm.push_back(&other);
        }
    return std::any_of(residents.begin(), residents.end(), [&](const auto& on_sm) {
        return fits(workload.limits, launch, on_sm.second);
    });
}

std::string first_block(const ObservedOperation& launch) {
    return began(launch, *std::min_element(launch.blocks.begin(), launch.blocks.end(), by_begin));
}

std::string last_dispatched(const ObservedOperation& launch) {
    return began(launch, *std::max_element(launch.blocks.begin(), launch.blocks.end(), by_begin));
}

} // namespace warpbound::harness::hypotheses
