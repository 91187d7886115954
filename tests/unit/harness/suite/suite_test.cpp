#include "assembly/isa/reader.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/library.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/benchmark_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace warpbound::harness {
namespace {

using tests::points;
using tests::times_of;

/// What a benchmark needs that most descriptions lack, in the words of the refusal. Empty: nothing.
std::string needs_much(const std::string& name) {
    if (name == "saxpy-occupancy")
        return "blocks/(start|replacement) is unknown|limits/shared-memory-per-block is absent";
    if (name == "full-register-usage")
        return "blocks/(start|replacement) is unknown|limits/register-granularity is absent";
    for (const std::string_view several_blocks :
         {"launch-size", "block-replacement", "multiprocessors", "saxpy", "domain-size", "full-"})
        if (name.starts_with(several_blocks)) return "blocks/(start|replacement) is unknown";
    for (const std::string_view walk : {"pointer-chase", "parallel-misses", "contract-chase"})
        if (name.starts_with(walk))
            return "memories/(l1/(line|sets) is absent|l[12]/latency is unknown)";
    return name == "shared-atomic" ? "classes/atomic-shared/latency is (absent|unknown)" : "";
}

/// Those for whose instruction sets benchmarks are made.
std::vector<models::ArchitectureEntry> nvidia_machines() {
    auto entries = models::list_architectures();
    std::erase_if(entries, [](const models::ArchitectureEntry& entry) {
        return is_amd(models::load_architecture(entry).value().target);
    });
    return entries;
}

TEST(Suite, RefusesMachinesOfAmd) {
    const auto machine = models::load_architecture("cdna2-mi210").value();
    const auto refused = points_of("dependent-add", machine);
    ASSERT_FALSE(refused);
    EXPECT_THAT(to_string(refused.error()),
                testing::HasSubstr("made for NVIDIA's instruction sets"));
}

TEST(Suite, RunsOnEveryDescribedMachine) {
    std::set<std::string> ran;
    for (const auto& entry : nvidia_machines()) {
        const auto device = simulated_device(models::load_architecture(entry.name).value(), {});
        for (const auto& benchmark : benchmarks()) {
            if (benchmark.interlocked) continue; // Measured in calibration_test.cpp.
            // Resident blocks: quantity_test.cpp, calibration_memory_test.cpp.
            if (benchmark.quantity == Quantity::ResidentBlocks) continue;
            if (benchmark.copies) continue; // Measured in copies_test.cpp.
            const auto all = points(benchmark.name, entry.name);
            for (const auto& point : {all.front(), all.back()}) {
                SCOPED_TRACE(entry.name + " " + point.name);
                const auto runs = PointRun::prepare(*device, point);
                const std::string needed = needs_much(benchmark.name);
                if (!runs && !needed.empty()) {
                    EXPECT_THAT(to_string(runs.error()), testing::ContainsRegex(needed));
                    continue;
                }
                ASSERT_TRUE(runs) << to_string(runs.error());
                ran.insert(benchmark.name);
                const auto times = times_of(point, entry.name, 2);
                EXPECT_THAT(times, testing::Contains(testing::Gt(0)));
            }
        }
    }
    for (const auto& benchmark : benchmarks())
        EXPECT_TRUE(benchmark.interlocked || benchmark.copies ||
                    benchmark.quantity == Quantity::ResidentBlocks || ran.contains(benchmark.name))
            << benchmark.name;
}

TEST(Suite, NamesOnlyExistingBenchmarks) {
    std::set<std::string> names;
    for (const auto* list : {&benchmarks(), &benchmarks_of_encoded_machines()})
        for (const auto& benchmark : *list)
            EXPECT_TRUE(names.insert(benchmark.name).second) << benchmark.name;
    for (const auto& suite : suites())
        for (const auto& name : suite.benchmarks)
            EXPECT_TRUE(names.contains(name)) << suite.name << " " << name;
}

// The body is between the clock reads and executes as often as the fact states.
TEST(Suite, WritesALoopWithTheStatedIterations) {
    const auto all = points("granularity", "fermi-gtx470");
    ASSERT_EQ(all.size(), 32U);
    // Each iteration: its additions 6 cycles apart, and 32 cycles from the branch to the next
    // iteration.
    for (const auto& point : all) {
        const std::int64_t operations = point.axes.front().second;
        const auto times = times_of(point, "fermi-gtx470", 3);
        EXPECT_EQ(times.front(), 24 + 16 * 6 * operations + 15 * 32 + 28) << point.name;
    }
}

// Two instructions of one unit wait for its port; instructions of two units wait for separate
// ports. Stores also wait for the write buffer, and times of accesses vary.
TEST(Suite, TimesIndependentPairsByTheirPorts) {
    auto machine = models::load_architecture("fermi-gtx470").value();
    std::int64_t initiation = 0;
    for (const auto& [opcode_class, timing] : machine.classes) {
        const std::string path = "classes/" + std::string{to_string(opcode_class)};
        // Below and above the interval of 6 cycles, and different enough that four pairs
        // distinguish them.
        initiation = initiation % 20 + 5;
        ASSERT_TRUE(models::override_value(machine, path + "/initiation", initiation));
        if (timing.values.find("latency") != nullptr && !timing.values.find("latency")->interval) {
            ASSERT_TRUE(models::override_value(machine, path + "/latency", 20));
        }
    }
    ASSERT_TRUE(models::override_value(machine, "memories/l2/atomic", 1));
    const auto device = simulated_device(machine, {});
    Protocol once;
    once.repetitions = 1;
    const auto time_of = [&](const BenchmarkPoint& point) {
        const auto series = measure_point(*device, point, once, nullptr);
        EXPECT_TRUE(series) << point.name << ": " << to_string(series.error());
        return series ? series.value().samples.front().times.front() : 0;
    };
    const std::int64_t step =
        models::find_value(machine, "schedulers/same-warp-interval")->interval->lo;
    int pairs = 0;
    for (const auto& benchmark : benchmarks()) {
        if (!benchmark.interlocked || !benchmark.name.starts_with("independent-pairs-")) continue;
        const auto of_n = points(benchmark.name, "fermi-gtx470");
        ASSERT_EQ(of_n.size(), 4U);
        const auto class_of = [&](std::size_t i) {
            return of_n.back().region.timed[i].opcode_class;
        };
        const auto is_buffered = [](assembly::OpcodeClass one) {
            return one == assembly::OpcodeClass::StoreGlobal ||
                   one == assembly::OpcodeClass::StoreLocal;
        };
        if (is_buffered(class_of(0)) || is_buffered(class_of(1))) continue;
        const auto& first = machine.classes.at(class_of(0));
        const auto& second = machine.classes.at(class_of(1));
        const std::int64_t a = first.values.find("initiation")->interval->lo;
        const std::int64_t b = second.values.find("initiation")->interval->lo;
        const std::int64_t pair = first.unit == second.unit ? std::max(step, a) + std::max(step, b)
                                                            : std::max({2 * step, a, b});
        const std::int64_t growth = time_of(of_n[3]) - time_of(of_n[2]);
        EXPECT_EQ(growth, 4 * pair) << benchmark.name;
        ++pairs;
    }
    EXPECT_GT(pairs, 200);
}

// Each operation of a chain reads the result of the previous one.
TEST(Suite, ChainsPairsThroughTheirResults) {
    int pairs = 0;
    for (const auto& benchmark : benchmarks()) {
        if (!benchmark.interlocked || !benchmark.name.starts_with("dependent-pairs-")) continue;
        const auto timed = points(benchmark.name, "fermi-gtx470").back().region.timed;
        ASSERT_EQ(timed.size(), 16U) << benchmark.name;
        for (std::size_t i = 1; i < timed.size(); ++i) {
            const auto reads = timed[i].text.find("R" + std::to_string(timed[i - 1].destination));
            EXPECT_NE(reads, std::string::npos) << timed[i].text;
        }
        ++pairs;
    }
    EXPECT_GT(pairs, 100);
}

// No two loads of a region access the same line of 128 bytes, and all addresses use one register:
// only the loads are in the chain.
TEST(Suite, LoadsEachGlobalValueFromASeparateLine) {
    for (const auto& entry : nvidia_machines())
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

TEST(Suite, StatesForEachCalibratingBenchmarkWhatItCalibratesAndWhere) {
    const auto fermi = models::load_architecture("fermi-gtx470").value();
    const auto volta = models::load_architecture("volta-v100").value();
    int count = 0;
    for (const auto& benchmark : benchmarks()) {
        if (!benchmark.interlocked) continue;
        ++count;
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

// The code depends only on the instruction set of a machine: it is the same for an unknown machine.
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

TEST(Suite, RefusesAnUnknownNameWithSimilarOnes) {
    const auto machine = models::load_architecture("fermi-gtx470").value();
    const auto what = [&](std::string_view name) {
        const auto none = points_of(name, machine);
        return none ? std::string{} : none.error().what;
    };
    EXPECT_EQ(what("pairs-add-mad"),
              "no benchmark 'pairs-add-mad'; `warpbound measure --list` shows all " +
                  std::to_string(benchmarks().size()) +
                  ", with that in their names independent-pairs-add-mad, dependent-pairs-add-mad");
    EXPECT_TRUE(what("no-such").ends_with(std::to_string(benchmarks().size())));
}

} // namespace
} // namespace warpbound::harness
