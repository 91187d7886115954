#pragma once
/// \file
/// Resources of the memory system that may be full: MSHR entries, merge slots in them, and queue
/// entries of links (case e of step S21 of docs/theory, and S22).

#include "certification/verify/memory/launch_volume.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// The fewest line accesses that hold a resource while another one finds too little of it; the
/// largest number: none ever does. Side: lower.
struct LeastHolders {
    std::int64_t of_l1_entries = 1;
    std::int64_t of_l1_merges = 1;
    std::int64_t of_slice_entries = 1;
    std::int64_t of_slice_merges = 1;

    [[nodiscard]] std::int64_t of_l1() const;
    [[nodiscard]] std::int64_t of_slice() const;
};

class FullResources {
public:
    FullResources(const MemoryLayout& layout, const Footprint& footprint,
                  const LaunchVolume& volume);

    [[nodiscard]] const LeastHolders& least() const { return least_; }
    /// Whether more line accesses than that can be in flight.
    [[nodiscard]] bool may_lack(std::int64_t holders) const {
        return volume_.lines_in_flight > holders;
    }
    /// S21 (e): cycles in which so many or more line accesses hold a resource that another one
    /// waits for, of which each proceeds for so long.
    [[nodiscard]] std::int64_t waiting_cycles(std::int64_t holders, std::int64_t proceeding) const;
    /// S22: blocking intervals of such a resource.
    [[nodiscard]] std::int64_t blocking_intervals(std::int64_t holders) const;

    /// Whether all entries of the queue of the link may be taken.
    [[nodiscard]] bool link_may_fill() const;
    /// S21 (e): cycles in which they are.
    [[nodiscard]] std::int64_t cycles_of_full_link() const;

private:
    /// Line accesses that proceed, each in a time of its own: those that merge do so in that of
    /// another one, where they never wait to merge.
    [[nodiscard]] std::int64_t that_proceed() const;

    const MemoryLayout& layout_;
    const LaunchVolume& volume_;
    LeastHolders least_;
};

} // namespace warpbound::certification::verify
