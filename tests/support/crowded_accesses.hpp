#pragma once
/// \file
/// Loops that wait for one thing in the memory system nearly all of the time.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>
#include <string_view>

namespace warpbound::tests {

/// What the loads of many warps wait for nearly all of the time.
enum class Crowded {
    Port,
    L1,
    Link,
    ChannelAndLink,
    Slice,
    Channel,
    Banks,
    Entries,
    PlacesInEntry,
    LoadQueue,
    LinkQueue
};
std::string_view to_string(Crowded crowded);
inline constexpr Crowded all_crowded[]{
    Crowded::Port,          Crowded::L1,        Crowded::Link,     Crowded::ChannelAndLink,
    Crowded::Slice,         Crowded::Channel,   Crowded::Banks,    Crowded::Entries,
    Crowded::PlacesInEntry, Crowded::LoadQueue, Crowded::LinkQueue};
/// A loop with one load on a machine on which everything else is there in plenty. `stores`: and
/// with a store, to lines that an L2 may have to replace.
harness::simulator::test::RandomAccesses crowded_accesses(Crowded crowded, std::uint64_t seed,
                                                          bool stores = false);

/// What warps that store wait for nearly all of the time.
enum class CrowdedByStores {
    ReplacedLines, ///< Of the L2, on their way to DRAM.
    LinkQueue
};
std::string_view to_string(CrowdedByStores crowded);
inline constexpr CrowdedByStores all_crowded_by_stores[]{CrowdedByStores::ReplacedLines,
                                                         CrowdedByStores::LinkQueue};
/// A loop with one store on a machine on which everything else is there in plenty.
harness::simulator::test::RandomAccesses crowded_stores(CrowdedByStores crowded,
                                                        std::uint64_t seed);

} // namespace warpbound::tests
