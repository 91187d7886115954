/// \file
/// What Voudouris 2014 measured on a Fermi card, measured on the simulated one.

#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/benchmark_times.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::harness {
namespace {

using testing::Each;
using tests::points;
using tests::runs_of;
using tests::times_of;

constexpr const char* fermi = "fermi-gtx470";

std::int64_t axis(const BenchmarkPoint& point, const std::string& name) {
    for (const auto& [axis_name, value] : point.axes)
        if (axis_name == name) return value;
    ADD_FAILURE() << point.name << " has no axis " << name;
    return 0;
}

std::int64_t slowest(const Sample& run) {
    return *std::max_element(run.times.begin(), run.times.end());
}

void expect_every_cell(const std::string& benchmark, std::int64_t first, std::int64_t slope) {
    for (const auto& point : points(benchmark))
        EXPECT_THAT(times_of(point, fermi, 20), Each(first + slope * (axis(point, "n") - 1)))
            << point.name;
}

/// The orders in which the warps of a point first issued, over runs with seeds 1 to `runs`.
std::set<std::vector<int>> start_orders(const BenchmarkPoint& point, std::uint64_t runs) {
    const auto program = assembly::read_program({point.name, point.text}).value();
    const auto graph = assembly::build_control_flow_graph(program.functions.front()).value();
    const auto machine = simulator::Machine::prepare(
        models::load_architecture(fermi).value(),
        Kernel{&program.functions.front(), &graph, &point.facts, point.launch});
    EXPECT_TRUE(machine) << to_string(machine.error());
    std::set<std::vector<int>> orders;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        std::vector<int> order;
        RunOptions options;
        options.seed = seed;
        const auto run = machine.value()->run(options, [&](const simulator::Event& event) {
            const auto* issued = std::get_if<simulator::Issued>(&event);
            if (issued != nullptr && issued->number == 0) order.push_back(issued->warp);
        });
        EXPECT_TRUE(run);
        orders.insert(order);
    }
    return orders;
}

/// Slowest warp by number of warps, over all runs.
std::map<std::int64_t, std::int64_t> slowest_by_warps(const std::string& benchmark) {
    std::map<std::int64_t, std::int64_t> worst;
    for (const auto& point : points(benchmark))
        for (const auto& run : runs_of(point, fermi, 50))
            worst[axis(point, "warps")] = std::max(worst[axis(point, "warps")], slowest(run));
    return worst;
}

// Table 19 (24 + 6 n) and Table 20 (30 + 18 (n - 1), COS 30 + 22 (n - 1)); n = 6..16 extend the
// rule.
TEST(FermiDevice, TakesTheTimesOfTables19And20) {
    for (const std::string operation : {"add", "mul", "mad", "cos"}) {
        expect_every_cell("independent-" + operation, 30, 6);
        expect_every_cell("dependent-" + operation, 30, operation == "cos" ? 22 : 18);
    }
}

// Figures 17 and 30: flat up to 3 warps a scheduler, growing beyond. Figure 19: with 16 warps the
// slowest takes at most half as long again, with 8 about 4 %.
TEST(FermiDevice, IsFlatUpToSixWarpsAndGrowsBeyond) {
    for (const std::string benchmark : {"dependent-pair", "dependent-mad-add"}) {
        const auto worst = slowest_by_warps(benchmark);
        for (std::int64_t warps = 1; warps <= 6; ++warps)
            EXPECT_EQ(worst.at(warps), 48) << benchmark << " " << warps;
        EXPECT_GT(worst.at(7), 48) << benchmark;
        for (std::int64_t warps = 8; warps <= 16; ++warps)
            EXPECT_GE(worst.at(warps), worst.at(warps - 1)) << benchmark << " " << warps;
        EXPECT_LE(worst.at(8), 48 * 110 / 100) << benchmark;
        EXPECT_LE(worst.at(16), 48 * 150 / 100) << benchmark;
        EXPECT_GE(worst.at(16), 48 * 125 / 100) << benchmark;
    }
}

// Figure 20: of 100 runs with 16 warps 94 are identical. Tables 5 and 6: the orders in which warps
// start differ. The device draws the first warp of each scheduler in every run, and no warp's time
// depends on it: it has no event as rare as the card's other six runs.
TEST(FermiDevice, RepeatsTheTimesOfSixteenWarps) {
    const auto all = points("dependent-mad-add");
    const auto point = std::find_if(all.begin(), all.end(), [](const BenchmarkPoint& candidate) {
        return axis(candidate, "warps") == 16;
    });
    ASSERT_NE(point, all.end());
    std::map<std::vector<std::int64_t>, int> patterns;
    for (const auto& run : runs_of(*point, fermi, 100))
        ++patterns[run.times];
    int most = 0;
    for (const auto& [times, count] : patterns)
        most = std::max(most, count);
    EXPECT_GE(most, 94);
    EXPECT_GT(start_orders(*point, 100).size(), 1U);
}

// Table 7, Figure 21: a new shared access after 26 (load) and 30 (store) cycles.
TEST(FermiDevice, SpacesSharedAccessesAsTable7) {
    expect_every_cell("shared-load", 24 + 6, 26);
    expect_every_cell("shared-store", 24 + 6, 30);
}

// 5.3: alternating stores and loads take the sum of both.
TEST(FermiDevice, AddsUpSharedStoresAndLoads) {
    for (const auto& point : points("shared-pairs")) {
        const std::int64_t n = axis(point, "n");
        EXPECT_THAT(times_of(point, fermi, 20), Each(24 + 6 + 30 * n + 26 * (n - 1))) << point.name;
    }
}

// Figure 22: linear in the conflict degree up to 32; strides 64 and 128 cost what 32 costs. A load
// whose value is used takes up to 24 cycles more (5.3), so the best of many runs is compared.
TEST(FermiDevice, IsLinearInTheConflictDegreeUpTo32) {
    std::map<std::int64_t, std::int64_t> best;
    for (const auto& point : points("bank-conflict")) {
        const auto times = times_of(point, fermi, 200);
        best[axis(point, "stride")] = *std::min_element(times.begin(), times.end());
    }
    const std::int64_t slope = best.at(2) - best.at(1);
    EXPECT_EQ(slope, 26); // Table 7
    for (const std::int64_t degree : {1, 2, 4, 8, 16, 32})
        EXPECT_EQ(best.at(degree), best.at(1) + slope * (degree - 1)) << degree;
    EXPECT_EQ(best.at(64), best.at(32));
    EXPECT_EQ(best.at(128), best.at(32));
    for (const std::int64_t odd : {3, 5})
        EXPECT_EQ(best.at(odd), best.at(1));
}

// Figure 23 and Table 7: slope of about 370 a load, single loads 350 to 500; 34 a store.
TEST(FermiDevice, HasTheSlopesOfGlobalAccesses) {
    std::map<std::int64_t, std::int64_t> best;
    for (const auto& point : points("global-load")) {
        const auto times = times_of(point, fermi, 100);
        const std::int64_t n = axis(point, "n");
        best[n] = *std::min_element(times.begin(), times.end());
        for (const auto time : times) {
            EXPECT_GE(time, 350 * n) << point.name;
            EXPECT_LE(time, 500 * n + 60) << point.name;
        }
    }
    // Loads are drawn from 350 to 500 each; the best chain comes near Figure 23's slope.
    EXPECT_NEAR(static_cast<double>(best.at(2) - best.at(1)), 370.0, 37.0);
    for (const auto& point : points("global-store")) {
        if (axis(point, "warps") != 1) continue;
        EXPECT_THAT(times_of(point, fermi, 20), Each(30 + 34 * (axis(point, "n") - 1)))
            << point.name;
    }
}

// Figure 25: of 16 warps some are late with one store, not always the same; of up to 8 none.
TEST(FermiDevice, DelaysSingleStoresOfManyWarpsOnly) {
    for (const auto& point : points("global-store")) {
        if (axis(point, "n") != 1) continue;
        std::set<std::vector<std::size_t>> late_sets;
        for (const auto& run : runs_of(point, fermi, 100)) {
            const auto typical = *std::min_element(run.times.begin(), run.times.end());
            std::vector<std::size_t> late;
            for (std::size_t warp = 0; warp < run.times.size(); ++warp)
                if (run.times[warp] > typical) late.push_back(warp);
            late_sets.insert(late);
        }
        if (axis(point, "warps") <= 8)
            EXPECT_THAT(late_sets, Each(testing::IsEmpty())) << point.name;
        else
            EXPECT_GT(late_sets.size(), 1U) << point.name;
    }
}

} // namespace
} // namespace warpbound::harness
