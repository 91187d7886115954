#include "assembly/isa/reader.hpp"
#include "harness/suite/benchmark.hpp"
#include "tests/support/benchmark_times.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warpbound::harness {
namespace {

using tests::points;
using tests::times_of;

TEST(Suite, RunsOnEveryDescribedMachine) {
    for (const auto& entry : models::list_architectures())
        for (const auto& benchmark : benchmarks()) {
            if (benchmark.interlocked) continue; // Measured in calibration_test.cpp.
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

TEST(Suite, SaysOfEachCalibratingBenchmarkWhatItCalibratesAndWhere) {
    const auto fermi = models::load_architecture("fermi-gtx470").value();
    const auto volta = models::load_architecture("volta-v100").value();
    int count = 0;
    for (const auto& benchmark : benchmarks()) {
        if (!benchmark.interlocked) continue;
        ++count;
        EXPECT_FALSE(benchmark.calibrates.empty()) << benchmark.name;
        EXPECT_FALSE(benchmark.relation.empty()) << benchmark.name;
        EXPECT_FALSE(benchmark.source.empty()) << benchmark.name;
        const auto points = points_of(benchmark.name, fermi);
        ASSERT_TRUE(points) << benchmark.name << to_string(points.error());
        for (const auto& point : points.value())
            EXPECT_TRUE(assembly::read_program({point.name, point.text})) << point.text;
        EXPECT_FALSE(points_of(benchmark.name, volta)) << benchmark.name;
    }
    EXPECT_GT(count, 70);
}

// Nothing of a machine but its instruction set goes into the code: it is the same for a stranger.
TEST(Suite, WritesCalibratingBenchmarksWithoutKnowingTheMachine) {
    const auto fermi = models::load_architecture("fermi-gtx470").value();
    models::Architecture stranger;
    stranger.target = fermi.target;
    for (const auto& benchmark : benchmarks()) {
        if (!benchmark.interlocked) continue;
        const auto known = points_of(benchmark.name, fermi);
        const auto unknown = points_of(benchmark.name, stranger);
        ASSERT_TRUE(known && unknown);
        for (std::size_t i = 0; i < known.value().size(); ++i)
            EXPECT_EQ(known.value()[i].text, unknown.value()[i].text);
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
