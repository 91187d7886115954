/// \file
/// The BSP model is linear in work and inverse in throughput, and its calibration closes.

#include "models/formulas/bsp.hpp"
#include "models/formulas/scaling.hpp"
#include "tests/support/campaign.hpp"

namespace warpbound::models::bsp {
namespace {

TEST(BspProperty, IsLinearInWorkAndInverseInThroughput) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        const Work work{.computation = random_source.real(1, 1000),
                        .shared_loads = random_source.real(0, 100),
                        .shared_stores = random_source.real(0, 100),
                        .global_loads = random_source.real(10, 100),
                        .global_stores = random_source.real(10, 100),
                        .l1_hits = random_source.real(0, 10),
                        .l2_hits = random_source.real(0, 10)};
        const Machine machine{.clock = random_source.real(1e8, 2e9),
                              .cores = random_source.whole(1, 10000),
                              .latencies = {random_source.real(1, 50), random_source.real(200, 900),
                                            random_source.real(10, 60),
                                            random_source.real(60, 300)}};
        const std::int64_t threads = random_source.whole(1, 1'000'000);
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
        // AffineExpression in the computation: equal steps cost the same.
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

        const Seconds measured{once * random_source.real(0.1, 10)};
        const double lambda = scaling_factor(Estimate<Seconds>{once}, measured).value();
        EXPECT_NEAR(time(threads, work, machine, lambda), measured.count(),
                    1e-9 * measured.count());
    });
}

} // namespace
} // namespace warpbound::models::bsp
