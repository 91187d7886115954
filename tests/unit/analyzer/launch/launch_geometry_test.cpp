/// \file
/// The occupancy limit (C30) in the analyzer.

#include "analyzer/launch/launch_geometry.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// Resident blocks, or the refusal. The machine states how blocks replace each other.
std::string resident_blocks(const models::Launch& launch, const assembly::Function& function = {}) {
    auto machine = models::load_architecture("turing-t4").value();
    for (auto& value : machine.blocks.values)
        value.interval = models::Interval{0, 0, 0};
    const auto shape = launch_geometry(launch, function, machine);
    return shape ? std::to_string(shape.value().resident) : to_string(shape.error());
}

TEST(LaunchGeometry, IsLimitedByTheResourcesOfTheLaunch) {
    EXPECT_EQ(resident_blocks({40, 32}), "16");     // limits/max-blocks.
    EXPECT_EQ(resident_blocks({8, 128}), "8");      // 32 warps / 4.
    EXPECT_EQ(resident_blocks({8, 128, 128}), "4"); // 4 x 4 warps of 4,096 registers.
    EXPECT_EQ(resident_blocks({8, 160, 128}), "3"); // The block's 5 warps are counted as 8.
    EXPECT_EQ(resident_blocks({9, 32, std::nullopt, 20'000}), "3"); // 20,224 of 65,536 bytes.
    EXPECT_THAT(resident_blocks({1, 1024, 65}), HasSubstr("65 registers a thread"));
    EXPECT_THAT(resident_blocks({1, 32, std::nullopt, 70'000}), HasSubstr("70000 bytes"));
}

TEST(LaunchGeometry, UsesTheResourcesOfTheListingWithSeveralBlocks) {
    assembly::Function function;
    function.shared_memory = 20'000;
    EXPECT_EQ(resident_blocks({9, 32}, function), "3");
    EXPECT_EQ(resident_blocks({9, 32, std::nullopt, 10'000}, function),
              "6"); // The launch overrides the listing.
    function.register_count = 128;
    EXPECT_EQ(resident_blocks({9, 256}, function), "2"); // 8 warps of 4,096 registers.
    function.shared_memory = 70'000;
    EXPECT_EQ(resident_blocks({1, 32}, function), "1");
}

} // namespace
} // namespace warpbound::analyzer
