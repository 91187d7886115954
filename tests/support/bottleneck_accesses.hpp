#pragma once
/// \file
/// Loops that saturate one resource of the memory system.

#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <cstdint>
#include <string_view>

namespace warpbound::tests {

/// The resource that the loads of many warps saturate.
enum class Bottleneck {
    Port,
    L1,
    Link,
    ChannelAndLink,
    Slice,
    Channel,
    Banks,
    MshrEntries,
    MshrMerges,
    LoadQueue,
    LinkQueue
};
std::string_view to_string(Bottleneck bottleneck);
inline constexpr Bottleneck all_bottlenecks[]{
    Bottleneck::Port,       Bottleneck::L1,        Bottleneck::Link,     Bottleneck::ChannelAndLink,
    Bottleneck::Slice,      Bottleneck::Channel,   Bottleneck::Banks,    Bottleneck::MshrEntries,
    Bottleneck::MshrMerges, Bottleneck::LoadQueue, Bottleneck::LinkQueue};
/// A loop with one load on a machine with plenty of all other resources. `stores`: also with a
/// store, to lines that the L2 may have to write back.
harness::simulator::test::RandomAccesses
bottleneck_accesses(Bottleneck bottleneck, std::uint64_t seed, bool stores = false);

/// The resource that the stores of many warps saturate.
enum class StoreBottleneck {
    Writebacks, ///< From the L2 to DRAM.
    LinkQueue
};
std::string_view to_string(StoreBottleneck bottleneck);
inline constexpr StoreBottleneck all_store_bottlenecks[]{StoreBottleneck::Writebacks,
                                                         StoreBottleneck::LinkQueue};
/// A loop with one store on a machine with plenty of all other resources.
harness::simulator::test::RandomAccesses bottleneck_stores(StoreBottleneck bottleneck,
                                                           std::uint64_t seed);

} // namespace warpbound::tests
