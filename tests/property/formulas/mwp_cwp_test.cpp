/// \file
/// MWP-CWP inside one of its cases: monotone in latency and instructions, linear in repetitions.
/// Across its cases it jumps, so nothing is claimed there.

#include "models/formulas/mwp_cwp.hpp"
#include "tests/support/campaign.hpp"

namespace warpbound::models::mwp_cwp {
namespace {

TEST(MwpCwpProperty, IsMonotoneInsideACase) {
    int compared = 0;
    tests::for_seeds(5000, [&](tests::RandomSource& random_source) {
        const Kernel kernel{.instructions = random_source.real(50, 500),
                            .coalesced = random_source.real(0, 20),
                            .uncoalesced = random_source.real(1, 10),
                            .transactions = random_source.real(1, 32),
                            .bytes_per_load = random_source.real(32, 512),
                            .synchronisations = random_source.real(0, 5)};
        const Machine machine{.memory_latency = random_source.real(200, 800),
                              .departure_coalesced = random_source.real(1, 10),
                              .departure_uncoalesced = random_source.real(1, 40),
                              .issue_cycles = random_source.real(1, 4),
                              .clock = 1e9,
                              .bandwidth = random_source.real(50e9, 900e9)};
        const std::int64_t blocks_per_sm = random_source.whole(1, 8);
        const Residency residency{.blocks = blocks_per_sm * 10 * random_source.whole(1, 5),
                                  .blocks_per_sm = blocks_per_sm,
                                  .multiprocessors = 10,
                                  .warps = random_source.whole(1, 48)};
        const auto found = kernel_time(kernel, machine, residency);
        if (!found) {
            EXPECT_NE(found.error().what.find("MWP is"), std::string::npos);
            return;
        }
        const double time = found.value().time.value();
        EXPECT_GT(time, 0);
        EXPECT_GE(found.value().synchronisation, 0);

        const auto grows = [&](const Kernel& k, const Machine& m) {
            const auto other = kernel_time(k, m, residency);
            if (!other || other.value().which != found.value().which) return;
            ++compared;
            EXPECT_GE(other.value().time.value(), time * (1 - 1e-12));
        };
        Machine slower = machine;
        slower.memory_latency += random_source.real(0, 100);
        grows(kernel, slower);
        Kernel longer = kernel;
        longer.instructions += random_source.real(0, 100);
        grows(longer, machine);
        Kernel synchronised = kernel;
        synchronised.synchronisations += random_source.real(0, 5);
        grows(synchronised, machine);

        Residency twice = residency;
        twice.blocks *= 2;
        EXPECT_NEAR(kernel_time(kernel, machine, twice).value().time.value(), 2 * time,
                    1e-9 * time);
    });
    EXPECT_GT(compared, 1000);
}

} // namespace
} // namespace warpbound::models::mwp_cwp
