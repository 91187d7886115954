/// \file
/// Loads of a warp that hit the L1 with a stride: the measured cycles for each load lie between
/// those of the bounds, and between the shortest and the longest simulated ones (C22).

#include "analyzer/analyze.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/silicon/measured_rows.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using namespace harness::simulator::test;

constexpr std::int64_t warps = 16;
constexpr double rounding = 0.005; // Of the measured values: two digits.

/// `loads` independent loads of one width, `stride` elements between lanes.
TestProgram loads_of(int loads, bool wide, std::uint64_t stride) {
    std::vector<assembly::Instruction> code;
    for (int i = 0; i < loads; ++i) {
        auto load = with(load_global(2 * i + 4, 0), stall(1));
        load.modifiers = {"E"};
        if (wide) load.modifiers.emplace_back("64");
        code.push_back(std::move(load));
    }
    code.push_back(with(exit(), stall(1)));
    TestProgram program = program_of({code});
    program.function.target = assembly::Target{80};
    for (int i = 0; i < loads; ++i) {
        program.set_pattern(static_cast<std::size_t>(i)).thread_stride = stride * (wide ? 8 : 4);
        program.facts.memory.back().level = models::MemoryLevel::L1;
    }
    return program;
}

struct Cycles {
    double lower = 0;
    double upper = 0;
    double shortest = 0;
    double longest = 0;
};

/// Of launches that differ in their number of loads alone, divided by the further loads.
Cycles cycles_of_a_load(const models::Architecture& machine, bool wide, std::uint64_t stride) {
    Cycles sum;
    constexpr int few = 20;
    constexpr int many = 100;
    for (const int loads : {few, many}) {
        const double sign = loads == many ? 1 : -1;
        const TestProgram program = loads_of(loads, wide, stride);
        const models::Launch launch{1, 32 * warps};
        analyzer::Request request;
        request.function = &program.function;
        request.graph = &program.graph;
        request.architecture = &machine;
        request.facts = &program.facts;
        request.launch = launch;
        const auto analysis = analyzer::analyze(request);
        EXPECT_TRUE(analysis) << to_string(analysis.error());
        if (!analysis) return sum;
        const auto bounds = analysis.value().execution_time.bounds();
        sum.lower += sign * static_cast<double>(bounds.lower().count());
        sum.upper += sign * static_cast<double>(bounds.upper().count());
        const auto prepared =
            harness::simulator::Machine::prepare(machine, program.kernel(launch), {});
        EXPECT_TRUE(prepared) << to_string(prepared.error());
        if (!prepared) return sum;
        const auto time = [&](harness::Draw draw) {
            const auto seen = prepared.value()->run({1, draw, {}}).value();
            return static_cast<double>(seen.execution_time.count());
        };
        sum.shortest += sign * time(harness::Draw::AllLow);
        sum.longest += sign * time(harness::Draw::AllHigh);
    }
    for (double* value : {&sum.lower, &sum.upper, &sum.shortest, &sum.longest})
        *value /= (many - few) * warps;
    return sum;
}

TEST(Wavefronts, MeasuredCyclesOfALoadLieInsideTheBounds) {
    auto ampere = models::load_architecture("ampere-a100").value();
    auto hopper = models::load_architecture("hopper-h200").value();
    for (auto* machine : {&ampere, &hopper}) {
        ASSERT_TRUE(models::override_value(*machine, "memories/l1/line", 128));
        ASSERT_TRUE(models::override_value(*machine, "fetch/warm", 1)); // Launched before.
    }
    int compared = 0;
    for (const auto& row : tests::measured_rows("wavefronts.csv")) {
        // The A40 is of the family of the A100 and differs in what a load takes at least, 2 cycles.
        const auto& machine = row[0] == "H200" ? hopper : ampere;
        const double measured = std::stod(row[3]);
        const Cycles load = cycles_of_a_load(machine, row[1] == "LDG.E.64", std::stoull(row[2]));
        const std::string about = row[0] + " " + row[1] + " stride " + row[2];
        EXPECT_LE(load.lower, measured + rounding) << about;
        EXPECT_GE(load.upper, measured - rounding) << about;
        EXPECT_LE(load.shortest, measured + rounding) << about;
        EXPECT_GE(load.longest, measured - rounding) << about;
        ++compared;
    }
    EXPECT_EQ(compared, 115);
}

} // namespace
} // namespace warpbound
