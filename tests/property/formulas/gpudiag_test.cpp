/// \file
/// GPUDIAG forwards and backwards: times made from known limits give the limits back.

#include "models/formulas/gpudiag.hpp"
#include "models/formulas/gpudiag_slots.hpp"
#include "tests/support/campaign.hpp"

#include <map>

namespace warpbound::models::gpudiag {
namespace {

Mix random_mix(tests::RandomSource& random_source) {
    Mix mix;
    const std::int64_t units = random_source.whole(1, 4);
    for (std::int64_t unit = 0; unit < units; ++unit)
        mix.units.push_back({.name = "unit",
                             .inverse_throughput = random_source.real(2, 8),
                             .units_per_group = random_source.real(1, 4),
                             .groups = random_source.whole(1, 8)});
    mix.period = random_source.real(20, 400);
    return mix;
}

TEST(GpudiagProperty, TimesGrowWithWarpsBlocksAndInverseThroughput) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        const Mix mix = random_mix(random_source);
        const auto fu = relative_times(mix, 200).value();
        for (std::size_t warps = 1; warps < fu.size(); ++warps)
            EXPECT_GE(fu[warps], fu[warps - 1]);
        Mix slower = mix;
        slower.units[0].inverse_throughput *= random_source.real(1, 3);
        const auto slower_fu = relative_times(slower, 200).value();
        for (std::size_t warps = 0; warps < fu.size(); ++warps)
            EXPECT_GE(slower_fu[warps], fu[warps]);
        const std::int64_t warps = random_source.whole(1, 10);
        const std::int64_t slots = random_source.whole(1, 20);
        double last = 0;
        for (std::int64_t blocks = 0; blocks < 50; ++blocks) {
            const double time = waves_time(blocks, warps, slots, fu).value().value();
            EXPECT_GE(time, last - 1e-9);
            last = time;
        }
    });
}

// Eq. 3.7: the highest c / fu(c) reaches m s / t, and no number of warps passes it.
TEST(GpudiagProperty, ThroughputApproachesTheBottleneck) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        const Mix mix = random_mix(random_source);
        const auto fu = relative_times(mix, 10080).value(); // 12 * 840 = 12 lcm(1..8).
        const double seen = throughput(fu, mix.period).value().value();
        const double limit = bottleneck(mix).value().throughput.value();
        EXPECT_LE(seen, limit * (1 + 1e-12));
        EXPECT_GE(seen, limit * (1 - 1e-12));
    });
}

// Eq. 3.8, 3.12 and 3.13: a machine is recovered from the times that eq. 3.2 gives for it.
TEST(GpudiagProperty, LimitsAreRecoveredFromTimes) {
    tests::for_seeds(20, [](tests::RandomSource& random_source) {
        const std::int64_t multiprocessors = random_source.whole(1, 30);
        SlotLimits limits{.warp_size = 32,
                          .blocks = random_source.whole(100, 160),
                          .warps = 0,
                          .shared_memory = 64 * random_source.whole(16, 64),
                          .shared_granularity = std::int64_t{1} << random_source.whole(0, 4)};
        limits.warps = limits.blocks * random_source.whole(1, 4);
        const std::int64_t granularity = std::int64_t{1} << random_source.whole(0, 4);
        limits.registers = {{.name = "vector",
                             .capacity = 64 * random_source.whole(16, 64),
                             .granularity = granularity}};
        // A unit that no number of resident warps fills, so that only slots are seen. There are
        // enough slots for every granularity to show.
        const Mix mix{.units = {{"alu", 1, 1, 1}}, .period = 1000};
        const auto times = [&](std::int64_t slots_of_kernel, std::int64_t machine_width,
                               std::int64_t most) {
            std::vector<double> found;
            for (std::int64_t blocks = 1; blocks <= most; ++blocks)
                found.push_back(kernel_time({.launch = {.blocks = blocks, .threads = 32},
                                             .multiprocessors = machine_width,
                                             .slots = slots_of_kernel,
                                             .periods = 10},
                                            mix)
                                    .value()
                                    .time.value());
            return found;
        };
        EXPECT_EQ(multiprocessors_from(times(1, multiprocessors, 40), 0.01).value(),
                  multiprocessors);
        // By the number of slots, because the times depend on nothing else here.
        std::map<std::int64_t, std::int64_t> measured{{0, 0}};
        const auto measured_slots = [&](const Demand& demand) {
            const std::int64_t n = slots(demand, limits).value().slots;
            const auto [entry, is_new] = measured.try_emplace(n, 0);
            if (is_new && n > 0) entry->second = slots_from(times(n, 1, n + 2), 0.001).value();
            return entry->second;
        };

        std::vector<SlotSample> by_warps;
        for (std::int64_t warps = 1; warps <= limits.warps; ++warps)
            by_warps.push_back(
                {.amount = warps,
                 .slots = measured_slots({.threads = 32 * warps, .registers = {0}})});
        const auto warp_slots = warp_slots_from(by_warps).value();
        EXPECT_EQ(warp_slots.blocks, limits.blocks);
        EXPECT_EQ(warp_slots.warps, limits.warps);

        const std::int64_t other = std::min(limits.blocks, limits.warps);
        std::vector<SlotSample> by_shared;
        for (std::int64_t bytes = 1; bytes <= limits.shared_memory; ++bytes)
            by_shared.push_back({.amount = bytes,
                                 .slots = measured_slots(
                                     {.threads = 32, .shared_memory = bytes, .registers = {0}})});
        const auto shared = capacity_from(by_shared, other).value();
        EXPECT_EQ(shared.capacity, limits.shared_memory);
        EXPECT_EQ(shared.granularity, limits.shared_granularity);

        std::vector<SlotSample> by_registers;
        for (std::int64_t registers = 1; registers <= limits.registers[0].capacity; ++registers)
            by_registers.push_back(
                {.amount = registers,
                 .slots = measured_slots({.threads = 32, .registers = {registers}})});
        const auto file = capacity_from(by_registers, other).value();
        EXPECT_EQ(file.capacity, limits.registers[0].capacity);
        EXPECT_EQ(file.granularity, granularity);
    });
}

} // namespace
} // namespace warpbound::models::gpudiag
