/// \file
/// Every thread of a launch adds to one word: the measured times of an RTX 2080 Ti lie inside the
/// bounds on the description of its family with as many SMs, and near the simulated ones (C57).

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/silicon/measured_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

namespace warpbound {
namespace {

// The clock was not locked. At 1350 MHz the other kernels of the card ran; 1635 MHz is its boost.
constexpr double slow_clock = 1350e3; // Cycles in a millisecond.
constexpr double fast_clock = 1635e3;
constexpr std::int64_t multiprocessors = 68;

class HotAtomics : public testing::Test {
protected:
    void SetUp() override {
        const auto text =
            assembly::read_source(std::string{WARPBOUND_SILICON} + "/atomic_hotspot.sm_75.sass");
        ASSERT_TRUE(text) << to_string(text.error());
        auto read = assembly::read_program(text.value());
        ASSERT_TRUE(read) << to_string(read.error());
        program = std::move(read).value();
        graph = assembly::build_control_flow_graph(program.functions.front()).value();
        machine = models::load_architecture("turing-t4").value();
        ASSERT_TRUE(models::override_value(machine, "geometry/multiprocessors", multiprocessors));
        ASSERT_TRUE(models::override_value(machine, "fetch/warm", 1)); // Launched before.
    }
    /// As `bound` takes it from the code and the argument.
    [[nodiscard]] models::FlowFacts facts_of(const models::Launch& launch) const {
        auto facts = analyzer::facts_in_use(program.functions.front(), graph, machine, launch,
                                            models::FlowFacts{});
        EXPECT_TRUE(facts) << to_string(facts.error());
        return facts.value();
    }
    [[nodiscard]] models::Bounds<models::Cycles> bounds(const models::Launch& launch) const {
        const auto facts = facts_of(launch);
        analyzer::Request request;
        request.function = &program.functions.front();
        request.graph = &graph;
        request.architecture = &machine;
        request.facts = &facts;
        request.launch = launch;
        request.multiprocessors = multiprocessors;
        request.follow_branches = true;
        const auto analysis = analyzer::analyze(request);
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        return analysis.value().execution_time.bounds();
    }

    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::Architecture machine;
};

models::Launch launch_of(const std::vector<std::string>& row) {
    return models::parse_launch(fmt::format("{}x{},registers=7,0x168={}", row[1], row[2], row[3]))
        .value();
}

TEST_F(HotAtomics, MeasuredTimesLieInsideTheBounds) {
    int compared = 0;
    double largest = 0;
    for (const auto& row : tests::measured_rows("atomic_hotspot.csv")) {
        if (row[0] != "RTX 2080 Ti") continue;
        const double milliseconds = std::stod(row[4]);
        const auto envelope = bounds(launch_of(row));
        const auto upper = static_cast<double>(envelope.upper().count());
        EXPECT_LE(static_cast<double>(envelope.lower().count()), milliseconds * slow_clock);
        EXPECT_GE(upper, milliseconds * fast_clock) << row[1] << " blocks, " << row[3];
        largest = std::max(largest, upper / (milliseconds * slow_clock));
        ++compared;
    }
    EXPECT_EQ(compared, 6);
    EXPECT_LT(largest, 2.5);
    RecordProperty("largest_upper_ratio", std::to_string(largest));
}

/// The blocks that every warp executes: four atomics in each iteration of the first loop, then one.
std::vector<std::size_t> path_of(const assembly::ControlFlowGraph& graph, int iterations) {
    std::vector<std::int64_t> addresses{0x0, 0x40, 0x90};
    addresses.insert(addresses.end(), static_cast<std::size_t>(iterations / 4), 0xc0);
    addresses.push_back(0x170);
    for (int left = iterations % 4; left > 0; --left)
        addresses.insert(addresses.end(), left == iterations % 4
                                              ? std::initializer_list<std::int64_t>{0x180, 0x1a0}
                                              : std::initializer_list<std::int64_t>{0x220, 0x1a0});
    std::vector<std::size_t> path;
    for (const std::int64_t address : addresses)
        path.push_back(static_cast<std::size_t>(
            std::ranges::find(graph.blocks, address, &assembly::BasicBlock::address) -
            graph.blocks.begin()));
    return path;
}

/// All draws high: an elected lane always executes. The slice takes its typical time then.
TEST_F(HotAtomics, SimulatedTimesAreNear) {
    ASSERT_TRUE(models::override_value(machine, "memories/l2/reduction", 1));
    int compared = 0;
    for (const auto& row : tests::measured_rows("atomic_hotspot.csv")) {
        if (row[0] != "RTX 2080 Ti" || row[1] != "1024") continue;
        const models::Launch launch = launch_of(row);
        auto facts = facts_of(launch);
        facts.divergents.clear(); // One transaction, whichever lane is elected.
        const harness::Kernel kernel{&program.functions.front(), &graph, &facts, launch};
        const auto prepared =
            harness::simulator::Machine::prepare(machine, kernel, {}, multiprocessors);
        ASSERT_TRUE(prepared) << to_string(prepared.error());
        const auto seen =
            prepared.value()->run({1, harness::Draw::AllHigh, path_of(graph, std::stoi(row[3]))});
        ASSERT_TRUE(seen) << to_string(seen.error());
        const double measured = std::stod(row[4]) * slow_clock;
        const double error =
            static_cast<double>(seen.value().execution_time.count()) / measured - 1;
        EXPECT_LT(std::abs(error), 0.15) << row[3] << " iterations: " << error;
        RecordProperty("error_at_" + row[3], std::to_string(error));
        ++compared;
    }
    EXPECT_EQ(compared, 2);
}

} // namespace
} // namespace warpbound
