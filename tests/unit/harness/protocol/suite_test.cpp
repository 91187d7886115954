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

TEST(Suite, RefusesAnUnknownNameListingTheKnownOnes) {
    const auto machine = models::load_architecture("fermi-gtx470");
    const auto none = points_of("no-such", machine.value());
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().what.find("dependent-add"), std::string::npos);
}

} // namespace
} // namespace warpbound::harness
