// The caches and DRAM of gtx480-gpgpusim against what GPGPU-Sim shows (simulation.md 2.1): a
// dependent load takes 40 cycles when it hits L1 and 143 when it hits L2. The simulated device does
// not run caches and operand collectors together, so the collectors are left out here and the 6
// cycles of the stages around the unit with them. Tolerance 0.
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness::simulator {
namespace {

constexpr std::int64_t around_the_unit = 6;

/// Cycles of one of so many dependent loads that go from line to line of a footprint, without what
/// the start costs.
double load_time(std::uint64_t footprint) {
    models::Architecture machine = models::load_architecture("gtx480-gpgpusim").value();
    machine.fetch.values.clear();
    machine.register_file.values.clear();
    machine.operand_collectors.clear();
    const auto program =
        assembly::read_program({.name = "chase",
                                .text = "!Arch sm_20\n!Kernel chase\nturn:\nLD R2, [R2];\n@P0 BRA "
                                        "turn;\nEXIT;\n!EndKernel\n"})
            .value();
    const auto& function = program.functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const auto cycles = [&](std::int64_t turns) {
        models::FlowFacts facts;
        facts.loops.push_back({0, turns, turns, {}});
        facts.memory.push_back({0,
                                {},
                                {},
                                models::MemoryLevel::Any,
                                {},
                                models::AddressPattern{.iteration_stride = 128,
                                                       .footprint = footprint,
                                                       .random = {}}});
        const auto prepared =
            Machine::prepare(machine, {&function, &graph, &facts, models::Launch{}}, {}).value();
        RunOptions options;
        return static_cast<double>(prepared->run(options).value().execution_time.count());
    };
    return (cycles(4000) - cycles(2000)) / 2000;
}

// 4 KiB fit the L1 of 16 KiB; 64 KiB fit the L2 only, and 128 turns of lines have gone round twice
// before the first count ends.
TEST(Gtx480Memory, HasTheLatenciesOfDependentLoads) {
    EXPECT_EQ(load_time(4096) + around_the_unit, 40);
    EXPECT_EQ(load_time(65536) + around_the_unit, 143);
}

} // namespace
} // namespace warpbound::harness::simulator
