/// \file
/// Occupancy against the limits themselves, on random blocks.

#include "models/formulas/occupancy.hpp"
#include "tests/support/campaign.hpp"

#include <array>

namespace warpbound::models::occupancy {
namespace {

TEST(OccupancyProperty, NeverExceedsALimitAndFallsWithEveryAmount) {
    constexpr auto capabilities = std::to_array<const char*>(
        {"2.0", "3.0", "3.7", "5.2", "6.0", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "12.0"});
    tests::for_seeds(3000, [&](tests::RandomSource& random_source) {
        const auto index =
            static_cast<std::size_t>(random_source.whole(0, capabilities.size() - 1));
        const Limits limits = limits_of(capabilities.at(index)).value();
        const Block block{.threads = random_source.whole(1, 1100),
                          .registers_per_thread = random_source.whole(0, 256),
                          .shared_memory = random_source.whole(0, limits.shared_per_block + 100)};
        const Occupancy found = resident(block, limits).value();
        const std::int64_t warps = (block.threads + 31) / 32;
        EXPECT_LE(found.blocks, limits.blocks);
        EXPECT_LE(found.blocks * warps, limits.warps);
        EXPECT_LE(found.blocks * warps * 32 * block.registers_per_thread, limits.registers);
        EXPECT_LE(found.blocks * (block.shared_memory + limits.shared_reserved),
                  limits.shared_memory);
        EXPECT_FALSE(found.limiting().empty());
        EXPECT_LE(found.fraction, 1);
        Block larger = block;
        switch (random_source.whole(0, 2)) {
        case 0:
            larger.threads += random_source.whole(0, 200);
            break;
        case 1:
            larger.registers_per_thread += random_source.whole(0, 40);
            break;
        default:
            larger.shared_memory += random_source.whole(0, 9000);
        }
        // Fermi's unit of 128 at some register counts makes 23 cheaper than 22 there.
        if (!limits.fermi_register_rule ||
            larger.registers_per_thread == block.registers_per_thread) {
            EXPECT_LE(resident(larger, limits).value().blocks, found.blocks);
        }
    });
}

} // namespace
} // namespace warpbound::models::occupancy
