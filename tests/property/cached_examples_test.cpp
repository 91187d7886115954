/// \file
/// lower bound <= every simulated time <= upper bound, of single kernels through caches: called
/// code, and cases that lay outside earlier bounds.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

// C21 counts executions of an instruction, whichever call it is reached by.
TEST(Caches, ExecutionsOfCalledCodeCountOverAllCallSites) {
    auto program = assembly::read_program(
        {"test", "!Kernel k\nCAL F;\nCAL F;\nCAL F;\nCAL F;\nEXIT;\nF:\nLD R4, [R2];\nRET;\n"
                 "!EndKernel\n"});
    ASSERT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const auto machine = harness::simulator::test::random_accesses(3).machine;
    for (const std::uint64_t stride : {0U, 128U, 4096U}) {
        models::FlowFacts facts;
        facts.kernel = "k";
        models::MemoryFact load;
        load.at = 0x28;
        load.pattern.emplace();
        load.pattern->base = 0x10000;
        load.pattern->thread_stride = 4;
        load.pattern->iteration_stride = stride;
        facts.memory.push_back(load);
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph;
        request.architecture = &machine;
        request.facts = &facts;
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error());
        const auto bounds = analysis.value().execution_time.bounds();
        const auto simulated =
            harness::simulator::Machine::prepare(machine, {&function, &graph, &facts, {}}, {}, 1);
        ASSERT_TRUE(simulated) << to_string(simulated.error());
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto draw = seed % 2 == 0 ? harness::Draw::Extremes : harness::Draw::Uniform;
            const auto time = simulated.value()->run({seed, draw, {}}).value().execution_time;
            EXPECT_TRUE(bounds.contains(time)) << stride << ": " << time.count();
        }
    }
}

/// Fermi with the caches of another description and some of their values changed.
models::Architecture with_caches(const std::vector<std::pair<std::string, std::int64_t>>& changed) {
    auto machine = models::load_architecture("fermi-gtx470").value();
    machine.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
    std::erase_if(machine.memories, [](const auto& memory) { return memory.name == "constant"; });
    for (const auto& [path, value] : changed)
        EXPECT_TRUE(models::override_value(machine, path, value)) << path;
    return machine;
}

struct Refuted {
    std::string body;
    std::int64_t threads;
    std::vector<std::int64_t> accesses; ///< Addresses of the code.
    std::uint64_t stride;               ///< From thread to thread.
    std::vector<std::pair<std::string, std::int64_t>> changed;
};

// Each lay outside an earlier bound: loads of other warps take places in the load queue, a store is
// over before the link has started it, and a miss may be faster than a hit.
TEST(Caches, TimesThatRefutedEarlierBoundsLieInside) {
    const std::string store = "ST [R2], R4;\n";
    const std::string stores =
        store + store + store + store + store + store + store + store + "EXIT;\n";
    const std::vector<Refuted> all{
        {"LD R9, [R2];\nEXIT;\n",
         512,
         {0},
         128,
         {{"memories/l1/queue", 1}, {"classes/load-global/pass-cost", 50}}},
        {stores, 32, {0, 8, 16, 24, 32, 40, 48, 56}, 4, {{"memories/interconnect/service", 50}}},
        {"LD R9, [R2];\nLD R10, [R2];\nLD R11, [R2];\nEXIT;\n",
         32,
         {0, 8, 16},
         128,
         {{"memories/l1/latency", 500},
          {"memories/l2/latency", 100},
          {"memories/dram/latency", 100}}}};
    for (const auto& refuted : all) {
        SCOPED_TRACE(refuted.body);
        const auto program = assembly::read_program(
            {"test", "!Arch sm_20\n!Kernel k\n" + refuted.body + "!EndKernel\n"});
        ASSERT_TRUE(program) << to_string(program.error());
        const auto& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function).value();
        const auto machine = with_caches(refuted.changed);
        models::FlowFacts facts;
        facts.kernel = "k";
        for (const std::int64_t at : refuted.accesses) {
            models::MemoryFact access;
            access.at = at;
            access.pattern.emplace();
            access.pattern->thread_stride = refuted.stride;
            facts.memory.push_back(access);
        }
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph;
        request.architecture = &machine;
        request.facts = &facts;
        request.launch.threads = refuted.threads;
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error());
        const auto bounds = analysis.value().execution_time.bounds();
        const auto simulated = harness::simulator::Machine::prepare(
            machine, {&function, &graph, &facts, request.launch}, {}, 1);
        ASSERT_TRUE(simulated) << to_string(simulated.error());
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto time =
                simulated.value()->run({seed, harness::Draw::Uniform, {}}).value().execution_time;
            EXPECT_TRUE(bounds.contains(time))
                << time.count() << " is outside " << bounds.lower().count() << " to "
                << bounds.upper().count();
        }
    }
}

} // namespace
} // namespace warpbound
