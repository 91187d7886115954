#include "assembly/isa/reader.hpp"
#include "harness/protocol/measure.hpp"
#include "harness/suite/benchmark.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace warpbound::harness {
namespace {

/// Region times of a point on a machine, all warps and runs.
std::vector<std::int64_t> times_of(const BenchmarkPoint& point, const std::string& architecture,
                                   std::int64_t runs) {
    const auto program = assembly::read_program({point.name, point.text});
    EXPECT_TRUE(program) << to_string(program.error()) << "\n" << point.text;
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    EXPECT_TRUE(graph);
    const auto device = open_device("simulated:" + architecture);
    EXPECT_TRUE(device) << to_string(device.error());
    Protocol protocol;
    protocol.repetitions = runs;
    const Kernel kernel{&function, &graph.value(), &point.facts, point.launch};
    const auto measured = measure(*device.value(), kernel, {}, protocol, Quantity::Region, nullptr);
    EXPECT_TRUE(measured) << to_string(measured.error());
    std::vector<std::int64_t> times;
    for (const auto& sample : measured.value().samples)
        times.insert(times.end(), sample.times.begin(), sample.times.end());
    return times;
}

std::vector<BenchmarkPoint> points(const std::string& benchmark,
                                   const std::string& architecture = "fermi-gtx470") {
    const auto machine = models::load_architecture(architecture);
    EXPECT_TRUE(machine);
    auto all = points_of(benchmark, machine.value());
    EXPECT_TRUE(all) << to_string(all.error());
    return std::move(all).value();
}

void expect_every_cell(const std::string& benchmark, std::int64_t first, std::int64_t slope) {
    for (const auto& point : points(benchmark)) {
        const std::int64_t n = point.axes.front().second;
        for (const auto time : times_of(point, "fermi-gtx470", 20))
            ASSERT_EQ(time, first + slope * (n - 1)) << point.name;
    }
}

// Voudouris 2014, Table 19 (24 + 6 n) and Table 20 (30 + 18 (n - 1), COS 30 + 22 (n - 1)); n
// = 6..16 extend the rule.
TEST(Suite, ReproducesVoudourisTables19And20) {
    for (const std::string operation : {"add", "mul", "mad", "cos"}) {
        expect_every_cell("independent-" + operation, 30, 6);
        expect_every_cell("dependent-" + operation, 30, operation == "cos" ? 22 : 18);
    }
}

// Voudouris 2014, Figure 30: constant for up to 3 warps per scheduler, growing beyond.
TEST(Suite, ShowsAConstantPairUpToSixWarpsAndAGrowingOneAfter) {
    std::map<std::int64_t, std::int64_t> slowest;
    for (const auto& point : points("dependent-pair"))
        for (const auto time : times_of(point, "fermi-gtx470", 50))
            slowest[point.axes.front().second] = std::max(slowest[point.axes.front().second], time);
    for (std::int64_t warps = 1; warps <= 6; ++warps)
        EXPECT_EQ(slowest[warps], 48) << warps;
    EXPECT_GT(slowest[7], 48);
    for (std::int64_t warps = 8; warps <= 16; ++warps)
        EXPECT_GE(slowest[warps], slowest[warps - 1]) << warps;
}

// Voudouris 2014, Figure 22: strides 64 and 128 cost what 32 costs.
TEST(Suite, ShowsTheBankConflictOfAStride) {
    std::map<std::int64_t, std::int64_t> worst;
    for (const auto& point : points("bank-conflict"))
        for (const auto time : times_of(point, "fermi-gtx470", 200))
            worst[point.axes.front().second] = std::max(worst[point.axes.front().second], time);
    EXPECT_EQ(points("bank-conflict").size(), 10U);
    for (const std::int64_t stride : {4, 8, 16, 32})
        EXPECT_GT(worst[stride], worst[stride / 4]);
    EXPECT_GT(worst[32], worst[3] + 31); // 31 further passes of more than a cycle each
}

TEST(Suite, RunsOnEveryDescribedMachine) {
    for (const auto& entry : models::list_architectures())
        for (const auto& benchmark : benchmarks()) {
            const auto all = points(benchmark.name, entry.name);
            for (const auto time : times_of(all.back(), entry.name, 2))
                EXPECT_GT(time, 0) << entry.name << " " << all.back().name;
        }
}

// No two loads of a region touch the same line of 128 bytes, and all addresses come from one
// register: nothing but the loads is in the chain.
TEST(Suite, LoadsEachGlobalValueFromALineOfItsOwn) {
    for (const auto& entry : models::list_architectures())
        for (const auto& point : points("global-load", entry.name)) {
            const auto program = assembly::read_program({point.name, point.text});
            ASSERT_TRUE(program) << to_string(program.error());
            std::set<std::int64_t> lines;
            for (const auto& instruction : program.value().functions.front().instructions) {
                if (instruction.opcode_class != assembly::OpcodeClass::LoadGlobal) continue;
                const auto& address = std::get<assembly::MemoryOperand>(instruction.operands[1]);
                EXPECT_EQ(address.base->index, 4) << point.text;
                EXPECT_EQ(address.offset % 128, 0) << point.text;
                EXPECT_TRUE(lines.insert(address.offset / 128).second) << point.text;
            }
            EXPECT_EQ(static_cast<std::int64_t>(lines.size()), point.axes.front().second);
        }
}

// Voudouris 2014, Table 7: 400 cycles for a load, 350 to 500 in Figure 23. The chain is linear in
// n.
TEST(Suite, RunsGlobalLoadsOneAfterTheOther) {
    const auto all = points("global-load");
    for (const auto& point : all) {
        const std::int64_t n = point.axes.front().second;
        for (const auto time : times_of(point, "fermi-gtx470", 20)) {
            EXPECT_GE(time, 350 * n) << point.name;
            EXPECT_LE(time, 500 * n + 60) << point.name;
        }
    }
}

TEST(Suite, RefusesAnUnknownNameListingTheKnownOnes) {
    const auto machine = models::load_architecture("fermi-gtx470");
    const auto none = points_of("no-such", machine.value());
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().what.find("dependent-add"), std::string::npos);
}

} // namespace
} // namespace warpbound::harness
