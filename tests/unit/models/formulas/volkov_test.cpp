#include "models/formulas/execution_graph.hpp"
#include "models/formulas/volkov.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::volkov {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Machine machine{
    .multiprocessors = 10, .clock = 1e9, .cores = 64, .schedulers = 4, .dram_bytes = 16};

// 0 and 1 are issued together, 2 waits 350 for the load 0, the branch costs 10, the end 150.
TEST(ExecutionGraph, FollowsOrderDependencesAndTheEnd) {
    const std::vector<Executed> trace{{.latency = 350_cycles},
                                      {.latency = 6_cycles, .dual_issued = true},
                                      {.latency = 6_cycles, .producers = {0, 1}},
                                      {.latency = 0_cycles, .branch = Branch::NotTaken},
                                      {.latency = 6_cycles}};
    const auto graph = graph_of(trace, {}).value();
    EXPECT_EQ(graph.edges[0].latency, 0_cycles);
    const auto path = critical_path(graph).value();
    EXPECT_EQ(path.length.value(), 350 + 3 + 10 + 150);
    EXPECT_THAT(path.nodes, ElementsAre(0, 2, 3, 4, 5));
}

TEST(ExecutionGraph, RefusesWhatIsNoGraph) {
    EXPECT_THAT(graph_of({}, {}).error().what, HasSubstr("no instructions"));
    const std::vector<Executed> later{{.latency = 1_cycles, .producers = {0}}};
    EXPECT_THAT(graph_of(later, {}).error().what, HasSubstr("not earlier"));
    const std::vector<Executed> dual{{.latency = 1_cycles, .dual_issued = true}};
    EXPECT_THAT(graph_of(dual, {}).error().what, HasSubstr("dual-issued with none"));
    EXPECT_THAT(critical_path({}).error().what, HasSubstr("without nodes"));
    EXPECT_THAT(critical_path({.nodes = 2, .edges = {{1, 0, 1_cycles}}}).error().what,
                HasSubstr("from 1 to 0"));
    EXPECT_THAT(critical_path({.nodes = 2, .edges = {{0, 1, Cycles{-1}}}}).error().what,
                HasSubstr("latency of an edge is -1"));
}

// 640 / 16 of latency, 32 * 100 / 64 of the cores, 120 / 4 of issue, 640 / 16 of memory.
TEST(Volkov, NamesTheTightestResource) {
    const Warp warp{
        .cuda_instructions = 100, .issued_instructions = 120, .bytes = 640, .latency = 640};
    const auto found = warp_throughput(warp, 16, machine).value();
    EXPECT_EQ(found.latency, 40);
    EXPECT_EQ(found.cores, 50);
    EXPECT_EQ(found.issue, 30);
    EXPECT_EQ(found.memory, 40);
    EXPECT_EQ(to_string(found.limit), "cores");
    EXPECT_EQ(found.throughput.value(), 1.0 / 50);
    // 3 blocks of 2 warps: 6 * 50 / (10 * 1e9 * 0.5) s.
    const auto time = kernel_time({.blocks = 3, .threads = 33}, warp, 16, machine, 0.5).value();
    EXPECT_DOUBLE_EQ(time.time.value(), 6e-8);
}

TEST(Volkov, RefusesWhatItCannotComputeWith) {
    const Warp warp{.issued_instructions = 1, .latency = 1};
    EXPECT_THAT(warp_throughput({}, 1, machine).error().what,
                HasSubstr("issued instructions is 0"));
    EXPECT_THAT(warp_throughput(warp, 0, machine).error().what, HasSubstr("resident warps is 0"));
    EXPECT_THAT(warp_throughput(warp, 1, {}).error().what, HasSubstr("multiprocessors is 0"));
    EXPECT_THAT(kernel_time({}, warp, 1, machine, 0).error().what, HasSubstr("lambda is 0"));
    EXPECT_THAT(dram_bytes_per_cycle(1, 0, 1, 1, 1).error().what, HasSubstr("bus width is 0"));
    EXPECT_THAT(memory_throughput(1, {}).error().what, HasSubstr("memory latency is 0"));
    EXPECT_THAT(warps_needed(-1, 1).error().what, HasSubstr("latency is -1"));
}

TEST(Volkov, ExplainsItself) {
    const Warp warp{.cuda_instructions = 100, .issued_instructions = 120, .latency = 640};
    const auto symbols =
        explain(warp, 16, machine, 1, kernel_time({}, warp, 16, machine, 1).value());
    const ExplainedSymbol expected{"CPW cores", 50, "cycles/warp", "G17 eq. 4.5"};
    EXPECT_THAT(symbols, testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::volkov
