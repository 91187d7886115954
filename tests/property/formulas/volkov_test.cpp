/// \file
/// Volkov's model is monotone where it claims to be, its calibration closes, and its critical path
/// is the longest of all paths.

#include "models/formulas/execution_graph.hpp"
#include "models/formulas/scaling.hpp"
#include "models/formulas/volkov.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>

namespace warpbound::models::volkov {
namespace {

TEST(VolkovProperty, GrowsWithWorkAndFallsWithWidth) {
    tests::for_seeds(3000, [](tests::RandomSource& random_source) {
        const Machine machine{
            .multiprocessors = random_source.whole(1, 132),
            .clock = random_source.real(5e8, 2e9),
            .cores = random_source.real(32, 192),
            .schedulers = random_source.real(1, 4),
            .dram_bytes = random_source.real(4, 30),
            .knee = random_source.whole(0, 1) == 0 ? 1 : random_source.real(0.5, 0.99)};
        const Warp warp{.cuda_instructions = random_source.real(0, 1000),
                        .issued_instructions = random_source.real(1, 1000),
                        .bytes = random_source.real(0, 4000),
                        .latency = random_source.real(100, 10000)};
        const Launch launch{.blocks = random_source.whole(1, 100000),
                            .threads = random_source.whole(1, 1024)};
        const std::int64_t occupancy = random_source.whole(1, 63);
        const auto time = [&](const Launch& l, const Warp& w, std::int64_t resident,
                              const Machine& m, double lambda) {
            return kernel_time(l, w, resident, m, lambda).value().time.value();
        };
        const double once = time(launch, warp, occupancy, machine, 1);
        EXPECT_LE(time(launch, warp, occupancy + 1, machine, 1), once);
        Machine sharp = machine;
        sharp.knee = 1;
        EXPECT_GE(once, time(launch, warp, occupancy, sharp, 1));
        EXPECT_LE(once * machine.knee, time(launch, warp, occupancy, sharp, 1) * (1 + 1e-12));
        Warp heavier = warp;
        heavier.cuda_instructions += random_source.real(0, 100);
        heavier.issued_instructions += random_source.real(0, 100);
        heavier.bytes += random_source.real(0, 100);
        heavier.latency += random_source.real(0, 100);
        EXPECT_GE(time(launch, heavier, occupancy, machine, 1), once);
        Machine wider = machine;
        wider.cores *= random_source.real(1, 2);
        wider.schedulers *= random_source.real(1, 2);
        wider.dram_bytes *= random_source.real(1, 2);
        EXPECT_LE(time(launch, warp, occupancy, wider, 1), once);
        Launch longer = launch;
        longer.blocks *= 3;
        EXPECT_NEAR(time(longer, warp, occupancy, machine, 1), 3 * once, 1e-9 * once);

        const Seconds measured{once * random_source.real(0.5, 2)};
        const double lambda = scaling_factor(Estimate<Seconds>{once}, measured).value();
        EXPECT_NEAR(time(launch, warp, occupancy, machine, lambda), measured.count(),
                    1e-9 * measured.count());
    });
}

/// Longest path to `node` by trying all of them.
std::int64_t longest_to(const ExecutionGraph& graph, std::size_t node) {
    std::int64_t longest = 0;
    for (const auto& edge : graph.edges)
        if (edge.to == node)
            longest = std::max(longest, longest_to(graph, edge.from) + edge.latency.count());
    return longest;
}

TEST(ExecutionGraphProperty, CriticalPathIsTheLongestAndGrowsWithLatency) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        ExecutionGraph graph{.nodes = 10, .edges = {}};
        for (int edge = 0; edge < 20; ++edge) {
            const std::int64_t from = random_source.whole(0, 8);
            graph.edges.push_back({static_cast<std::size_t>(from),
                                   static_cast<std::size_t>(random_source.whole(from + 1, 9)),
                                   Cycles{random_source.whole(0, 400)}});
        }
        const auto path = critical_path(graph).value();
        EXPECT_EQ(path.length.value(), longest_to(graph, 9));
        EXPECT_EQ(path.nodes.back(), 9U);
        graph.edges[static_cast<std::size_t>(random_source.whole(0, 19))].latency += 10_cycles;
        EXPECT_GE(critical_path(graph).value().length.value(), path.length.value());
    });
}

} // namespace
} // namespace warpbound::models::volkov
