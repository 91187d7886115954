/// \file
/// The occupancy limit (C30) in the analyzer.

#include "analyzer/launch/launch_geometry.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

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
    return shape ? std::to_string(shape.value().resident.count()) : to_string(shape.error());
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

/// Two sums per thread, on all multiprocessors of a GTX 470.
Envelope sums_on_a_card(std::int64_t blocks, const char* policy) {
    const auto kernel = analyzed("IADD R4, R2, R3; IADD R5, R4, R3; EXIT;");
    kernel->request.launch = {blocks, 256};
    kernel->request.multiprocessors = 14;
    kernel->request.policy = models::read_policy(policy).value();
    return envelope(*kernel);
}

TEST(LaunchGeometry, TheLargestGridOfCudaIsBounded) {
    constexpr std::int64_t most = 2'147'483'647;
    for (const char* policy : {"unknown", "lrr", "srr", "two-level:active=4"}) {
        const auto small = sums_on_a_card(1'000'000, policy).bounds();
        const auto large = sums_on_a_card(most, policy).bounds();
        const auto scaled = [&](models::Cycles time) {
            return static_cast<double>(time.count()) * static_cast<double>(most) / 1e6;
        };
        // So many blocks take their time in proportion, but for the first and the last of them.
        EXPECT_NEAR(static_cast<double>(large.upper().count()) / scaled(small.upper()), 1, 0.01)
            << policy;
        EXPECT_NEAR(static_cast<double>(large.lower().count()) / scaled(small.lower()), 1, 0.01)
            << policy;
    }
}

// C98: an even share of the blocks that all start at once; in several waves the occupancy limit.
TEST(LaunchGeometry, SharesTheBlocksOfOneWaveEvenly) {
    auto machine = models::load_architecture("turing-t4").value();
    const auto resident = [&](std::int64_t blocks, std::int64_t multiprocessors) {
        const auto shape = launch_geometry({blocks, 128}, {}, machine, multiprocessors);
        return shape ? std::to_string(shape.value().resident.count()) : to_string(shape.error());
    };
    EXPECT_EQ(resident(40, 40), "1");
    EXPECT_EQ(resident(41, 40), "2");
    EXPECT_EQ(resident(320, 40), "8"); // All places.
    EXPECT_EQ(resident(321, 40), "8");
    EXPECT_EQ(resident(5, 1), "5");
    const auto state = [&](std::int64_t number) {
        for (auto& value : machine.blocks.values)
            if (value.name == "most-room")
                value.interval = models::Interval{number, number, number};
    };
    state(0);
    EXPECT_EQ(resident(40, 40), "8");
    state(2);
    EXPECT_THAT(resident(40, 40),
                HasSubstr("blocks/most-room is 2..2; expected one number 0 to 1"));
}

TEST(LaunchGeometry, RefusesWhatNoGridHas) {
    EXPECT_THAT(resident_blocks({std::int64_t{1} << 60U, 256}), HasSubstr("has more than"));
}

} // namespace
} // namespace warpbound::analyzer
