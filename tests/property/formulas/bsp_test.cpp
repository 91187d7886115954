/// \file
/// The BSP model is linear in work and inverse in throughput, and its calibration closes.

#include "models/formulas/bsp.hpp"
#include "models/formulas/scaling.hpp"
#include "tests/support/campaign.hpp"

namespace warpbound::models::bsp {
namespace {

TEST(BspProperty, IsLinearInWorkAndInverseInThroughput) {
    tests::for_seeds(1000, [](tests::Chance& chance) {
        const Work work{.computation = chance.real(1, 1000),
                        .shared_loads = chance.real(0, 100),
                        .shared_stores = chance.real(0, 100),
                        .global_loads = chance.real(10, 100),
                        .global_stores = chance.real(10, 100),
                        .l1_hits = chance.real(0, 10),
                        .l2_hits = chance.real(0, 10)};
        const Machine machine{.clock = chance.real(1e8, 2e9),
                              .cores = chance.whole(1, 10000),
                              .latencies = {chance.real(1, 50), chance.real(200, 900),
                                            chance.real(10, 60), chance.real(60, 300)}};
        const std::int64_t threads = chance.whole(1, 1'000'000);
        const auto time = [&](std::int64_t t, const Work& w, const Machine& m, double lambda) {
            return kernel_time(t, w, m, lambda).value().time.value();
        };
        const double once = time(threads, work, machine, 1);
        EXPECT_NEAR(time(3 * threads, work, machine, 1), 3 * once, 1e-9 * once);
        EXPECT_NEAR(time(threads, work, machine, 4), once / 4, 1e-9 * once);
        Machine wider = machine;
        wider.cores *= 2;
        EXPECT_NEAR(time(threads, work, wider, 1), once / 2, 1e-9 * once);
        Machine faster = machine;
        faster.clock *= 2;
        EXPECT_NEAR(time(threads, work, faster, 1), once / 2, 1e-9 * once);
        // Linear in the computation: equal steps cost the same.
        Work more = work;
        more.computation += 100;
        Work most = work;
        most.computation += 200;
        EXPECT_NEAR(time(threads, most, machine, 1) - time(threads, more, machine, 1),
                    time(threads, more, machine, 1) - once, 1e-6 * once);
        // Every latency counts.
        Machine slower = machine;
        slower.latencies.global *= 1.5;
        EXPECT_GT(time(threads, work, slower, 1), once);

        const Seconds measured{once * chance.real(0.1, 10)};
        const double lambda = scaling_factor(Estimate<Seconds>{once}, measured).value();
        EXPECT_NEAR(time(threads, work, machine, lambda), measured.count(),
                    1e-9 * measured.count());
    });
}

} // namespace
} // namespace warpbound::models::bsp
