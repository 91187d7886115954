/// \file
/// How many loads can precede the first accesses to several sectors.

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/access_enumeration.hpp"
#include "analyzer/memory/first_touches.hpp"
#include "analyzer/preparation.hpp"
#include "tests/unit/analyzer/analyzed.hpp"
#include "tests/unit/harness/simulator/machines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace warpbound::analyzer {
namespace {

/// Two warps that load five times in a loop; lines of 128 bytes, sectors of 32.
std::optional<std::vector<std::int64_t>> counted(const models::AddressPattern& pattern) {
    models::FlowFacts facts;
    models::MemoryFact memory;
    memory.at = 8;
    memory.pattern = pattern;
    facts.memory.push_back(memory);
    facts.loops.push_back({8, 5, 5, {}});
    auto made = analyzed("MOV R2, R3; H: LD R4, [R2]; IADD R5, R4, R5; @P0 BRA H; EXIT;", facts);
    made->architecture =
        harness::simulator::test::cached_machine(models::IssueControl::Interlocked);
    harness::simulator::test::set_class(made->architecture,
                                        {assembly::OpcodeClass::Move, "alu", 18});
    made->request.launch = {1, 64};
    const auto context = prepare(made->request);
    EXPECT_TRUE(context) << to_string(context.error());
    const MemoryParameters& caches = *context.value().memory.caches;
    const auto accesses =
        AccessEnumeration::of(context.value().kernel, context.value().launch.shape, caches);
    return accesses ? loads_without_sectors(*accesses, caches.sector) : std::nullopt;
}

using Counts = std::vector<std::int64_t>;

TEST(FirstTouches, AreLateWhereEveryLoadHasSectorsOfItsOwn) {
    // Ten loads; a sector is one load's. Two sectors may be the same load's, as may three.
    const models::AddressPattern stream{
        .thread_stride = 4, .warp_stride = 128, .iteration_stride = 256, .random = {}};
    EXPECT_EQ(counted(stream), (Counts{9, 9, 9}));
    // One sector for each load.
    const models::AddressPattern words{
        .thread_stride = 0, .warp_stride = 32, .iteration_stride = 64, .random = {}};
    EXPECT_EQ(counted(words), (Counts{9, 8, 7}));
}

TEST(FirstTouches, AreEarlyWhereAllLoadsShareTheirSectors) {
    const models::AddressPattern same{.thread_stride = 4, .random = {}};
    EXPECT_EQ(counted(same), (Counts{0, 0, 0}));
    // One sector of each warp: five loads access neither of one, none access neither of both.
    const models::AddressPattern own{.thread_stride = 0, .warp_stride = 32, .random = {}};
    EXPECT_EQ(counted(own), (Counts{5, 0}));
}

TEST(FirstTouches, AreNotCountedOfManySectors) {
    const models::AddressPattern far{.thread_stride = 32, .warp_stride = 1024, .random = {}};
    EXPECT_TRUE(counted(far)); // 64 sectors
    const models::AddressPattern more{
        .thread_stride = 32, .warp_stride = 1024, .iteration_stride = 2048, .random = {}};
    EXPECT_FALSE(counted(more)); // 320 sectors
}

TEST(FirstTouches, BoundTheWaitsOfSectorsThatComeLate) {
    EXPECT_EQ(most_waits_for_first_touches({70}, 7), 11);
    EXPECT_EQ(most_waits_for_first_touches({70, 55, 41}, 7), 8); // 3 + 41 / 7
    EXPECT_EQ(most_waits_for_first_touches({70, 13, 13}, 7), 3); // 2 + 13 / 7
    EXPECT_EQ(most_waits_for_first_touches({0}, 1), 1);
}

} // namespace
} // namespace warpbound::analyzer
