/// \file
/// AMD occupancy against the limits themselves, on random work-groups.

#include "models/formulas/amd_occupancy.hpp"
#include "tests/support/campaign.hpp"

#include <array>

namespace warpbound::models::amd_occupancy {
namespace {

TEST(AmdOccupancyProperty, NeverExceedsALimitAndFallsWithEveryAmount) {
    constexpr auto families =
        std::to_array<Family>({Family::Gcn1, Family::Gcn2, Family::Gcn3ToGcn5, Family::Cdna2And3,
                               Family::Cdna4, Family::Rdna1, Family::Rdna2, Family::Rdna3Large});
    tests::for_seeds(3000, [&](tests::RandomSource& random_source) {
        const auto index = static_cast<std::size_t>(random_source.whole(0, families.size() - 1));
        const Limits limits = limits_of(families.at(index), 64, false).value();
        const WorkGroup group{.threads = random_source.whole(1, 1024),
                              .vector_registers = random_source.whole(0, 256),
                              .scalar_registers = random_source.whole(0, 106),
                              .local_memory = random_source.whole(0, 70000)};
        const Occupancy found = resident(group, limits).value();
        EXPECT_LE(found.waves, limits.waves_per_simd * limits.simds);
        EXPECT_LE(found.waves * group.vector_registers, limits.vector_registers * limits.simds);
        EXPECT_LE(found.work_groups * group.local_memory, limits.local_memory);
        EXPECT_FALSE(found.limiting.empty());
        WorkGroup larger = group;
        larger.threads += random_source.whole(0, 100);
        larger.vector_registers += random_source.whole(0, 256 - group.vector_registers);
        larger.scalar_registers += random_source.whole(0, 20);
        larger.local_memory += random_source.whole(0, 5000);
        const Occupancy fewer = resident(larger, limits).value();
        // A group of one wave is exempt from barriers, so only more than one wave compares.
        if (group.threads > limits.wave_size) {
            EXPECT_LE(fewer.work_groups, found.work_groups);
        }
        EXPECT_LE(fewer.waves_per_simd, found.waves_per_simd);
    });
}

} // namespace
} // namespace warpbound::models::amd_occupancy
