/// \file
/// GPUMech's stack sums to its CPI, its multithreading stays between its limits, and its queues are
/// monotone.

#include "models/formulas/gpumech.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>

namespace warpbound::models::gpumech {
namespace {

std::vector<Interval> random_intervals(tests::RandomSource& random_source) {
    std::vector<Interval> intervals;
    const std::int64_t count = random_source.whole(1, 20);
    for (std::int64_t index = 0; index < count; ++index) {
        Interval interval{.instructions = random_source.whole(1, 30),
                          .stall = Cycles{random_source.whole(0, 500)}};
        if (random_source.whole(0, 1) == 1) {
            const double l1 = random_source.real(0, 1);
            const double l2 = random_source.real(0, 1 - l1);
            interval.cause = StallCause::Memory;
            interval.memory = {.misses = random_source.whole(0, 32),
                               .dram_reads = random_source.real(0, 32),
                               .dram_writes = random_source.real(0, 32),
                               .l1_share = l1,
                               .l2_share = l2,
                               .dram_share = 1 - l1 - l2};
        }
        intervals.push_back(interval);
    }
    return intervals;
}

Multithreading random_multithreading(tests::RandomSource& random_source) {
    return {.policy =
                random_source.whole(0, 1) == 0 ? Policy::RoundRobin : Policy::GreedyThenOldest,
            .probability =
                random_source.whole(0, 1) == 0 ? IssueProbability::Average : IssueProbability::One,
            .warps = random_source.whole(1, 48),
            .issue_rate = random_source.real(0.5, 2),
            .unit_cycles = random_source.whole(0, 1) == 0 ? 0 : random_source.real(1, 1e5),
            .memory_cycles = random_source.whole(0, 1) == 0 ? 0 : random_source.real(1, 1e5)};
}

const Memory memory{.miss_registers = 64,
                    .miss_latency = 420,
                    .cores = 16,
                    .dram = {.clock = 1.4e9, .line_bytes = 128, .bandwidth = 177e9}};

TEST(GpumechProperty, StackSumsToTheCyclesPerInstruction) {
    tests::for_seeds(3000, [](tests::RandomSource& random_source) {
        const auto intervals = random_intervals(random_source);
        const auto multithreading = random_multithreading(random_source);
        const auto found = predict(intervals, multithreading, memory).value();
        double sum = 0;
        for (const double part : found.stack) {
            EXPECT_GE(part, 0);
            sum += part;
        }
        EXPECT_EQ(sum, found.cpi.value());
        // And the sum is the model's CPI: all cycles over all instructions.
        const double instructions =
            static_cast<double>(multithreading.warps) * found.single_warp_instructions;
        const double cycles =
            found.multithreaded_cycles + found.mshr_queueing + found.dram_queueing;
        EXPECT_NEAR(found.cpi.value(), cycles / instructions, 1e-12 * cycles / instructions);
        EXPECT_GE(found.cpi.value(), (1 - 1e-12) / multithreading.issue_rate);
        EXPECT_GE(cycles, (1 - 1e-12) * multithreading.unit_cycles);
        EXPECT_GE(cycles, (1 - 1e-12) * multithreading.memory_cycles);
    });
}

TEST(GpumechProperty, ProbabilityOneErrsLongAndIsMonotone) {
    tests::for_seeds(3000, [](tests::RandomSource& random_source) {
        const auto intervals = random_intervals(random_source);
        auto multithreading = random_multithreading(random_source);
        multithreading.issue_rate = 1;
        multithreading.probability = IssueProbability::Average;
        const auto average = predict(intervals, multithreading, memory).value();
        multithreading.probability = IssueProbability::One;
        const auto one = predict(intervals, multithreading, memory).value();
        EXPECT_GE(one.multithreaded_cycles, average.multithreaded_cycles - 1e-9);
        // With probability 1 and round robin only the stalls and waiting slots count, so more
        // stalling, more instructions and more warps all take longer.
        multithreading.policy = Policy::RoundRobin;
        const double cycles =
            predict(intervals, multithreading, memory).value().multithreaded_cycles;
        auto longer = intervals;
        auto& changed = longer[static_cast<std::size_t>(
            random_source.whole(0, static_cast<std::int64_t>(longer.size()) - 1))];
        changed.stall += Cycles{random_source.whole(0, 50)};
        changed.instructions += random_source.whole(0, 5);
        EXPECT_GE(predict(longer, multithreading, memory).value().multithreaded_cycles, cycles);
        multithreading.warps += 1;
        EXPECT_GE(predict(intervals, multithreading, memory).value().multithreaded_cycles, cycles);
    });
}

// A warp in isolation waits for no other warp.
TEST(GpumechProperty, OneWarpTakesItsOwnTime) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        const auto intervals = random_intervals(random_source);
        auto multithreading = random_multithreading(random_source);
        multithreading.warps = 1;
        multithreading.unit_cycles = 0;
        const auto found = predict(intervals, multithreading, memory).value();
        EXPECT_EQ(found.nonhiding, 0);
        EXPECT_EQ(found.multithreaded_cycles, found.single_warp_cycles);
    });
}

TEST(GpumechProperty, IntervalsAddUpToTheElapsedTime) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        std::vector<TracedInstruction> trace;
        std::vector<std::uint32_t> order;
        const std::int64_t count = random_source.whole(1, 60);
        for (std::int64_t k = 0; k < count; ++k) {
            trace.push_back({.latency = Cycles{random_source.whole(1, 40)},
                             .memory = random_source.whole(0, 3) == 0});
            for (std::int64_t operand = 0; operand < 2 && k > 0; ++operand)
                if (random_source.whole(0, 1) == 0)
                    trace.back().distances.push_back(random_source.whole(1, k));
            order.push_back(static_cast<std::uint32_t>(k));
        }
        // The rule, written out again.
        std::vector<std::int64_t> done;
        std::int64_t issue = -1;
        for (const auto& instruction : trace) {
            ++issue;
            for (const std::int64_t distance : instruction.distances)
                issue = std::max(issue, done[done.size() - static_cast<std::size_t>(distance)]);
            done.push_back(issue + instruction.latency.count());
        }
        const auto intervals = intervals_of(issue_trace(trace, order).value()).value();
        const auto alone = performance_of(intervals, 1).value();
        EXPECT_EQ(alone.instructions, static_cast<double>(trace.size()));
        EXPECT_EQ(alone.cycles, static_cast<double>(*std::ranges::max_element(done)));
    });
}

TEST(GpumechProperty, RepresentativeIsInTheLargerOfTwoFarClusters) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        const std::int64_t few = random_source.whole(1, 10);
        const std::int64_t many = few + random_source.whole(1, 10);
        const bool fast_are_many = random_source.whole(0, 1) == 0;
        std::vector<WarpPerformance> warps;
        std::vector<bool> is_of_many;
        std::int64_t left_few = few;
        std::int64_t left_many = many;
        while (left_few + left_many > 0) {
            const bool of_many = random_source.whole(1, left_few + left_many) <= left_many;
            (of_many ? left_many : left_few) -= 1;
            const bool fast = of_many == fast_are_many;
            const double base = fast ? 1000 : 200;
            warps.push_back({base + random_source.real(0, 20), 2000});
            is_of_many.push_back(of_many);
        }
        const auto found = representative(warps).value();
        EXPECT_TRUE(is_of_many[found.warp]);
        EXPECT_EQ(found.cluster_size, static_cast<std::size_t>(many));
    });
}

TEST(GpumechProperty, QueuesAreMonotoneAndBelowTheirBounds) {
    tests::for_seeds(3000, [](tests::RandomSource& random_source) {
        const std::int64_t requests = random_source.whole(1, 2000);
        const std::int64_t registers = random_source.whole(1, 128);
        const double occupancy = mshr_occupancy(requests, registers).value();
        double sum = 0;
        for (std::int64_t j = 1; j <= requests; ++j)
            sum += static_cast<double>((j + registers - 1) / registers);
        EXPECT_NEAR(occupancy, sum / static_cast<double>(requests), 1e-9);
        EXPECT_GE(mshr_occupancy(requests + 1, registers).value(), occupancy - 1e-12);
        EXPECT_LE(mshr_occupancy(requests, registers + 1).value(), occupancy + 1e-12);
        EXPECT_LE(occupancy, static_cast<double>(mshr_rounds(requests, registers).value()));

        const double reads = random_source.real(0, 400);
        const double delay = dram_delay(reads, memory.miss_latency, memory.dram).value().value();
        EXPECT_GE(delay, 0);
        EXPECT_GE(dram_delay(reads + random_source.real(0, 100), memory.miss_latency, memory.dram)
                      .value()
                      .value(),
                  delay);
    });
}

} // namespace
} // namespace warpbound::models::gpumech
