// GPUDIAG: H.-J. Kim, thesis, Seoul National University, 2023 (K23), section 3.1, on the simulated
// machine. Its resident blocks are those of equation 3.3 with the allocation rules of NVIDIA's
// occupancy calculator, which the simulator counts by itself, warp by warp.
#include "harness/simulator/machine.hpp"
#include "models/formulas/gpudiag.hpp"
#include "models/formulas/occupancy.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace warpbound::harness::simulator {
namespace {

using namespace test;
namespace occupancy = models::occupancy;

/// One SM with the limits of a compute capability; blocks follow each other without delay.
models::Architecture machine_of(const occupancy::Limits& limits, bool fermi) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    machine.target = assembly::Target{fermi ? 20 : 70};
    set(machine.limits, "max-warps", limits.warps);
    set(machine.limits, "max-blocks", limits.blocks);
    set(machine.limits, "registers", limits.registers);
    set(machine.limits, "registers-per-block", limits.registers_per_block);
    set(machine.limits, "registers-per-thread", limits.registers_per_thread);
    set(machine.limits, "register-granularity", limits.register_unit);
    set(machine.limits, "register-partitions", limits.register_partitions);
    set(machine.limits, "shared-memory", limits.shared_memory);
    set(machine.limits, "shared-memory-per-block", limits.shared_per_block);
    set(machine.limits, "shared-granularity", limits.shared_unit);
    set(machine.limits, "shared-reserved", limits.shared_reserved);
    set(machine.blocks, "start", 0);
    set(machine.blocks, "replacement", 0);
    return machine;
}

/// Co-resident blocks at the start; 0 when the block is refused.
std::int64_t slots_of(const TestProgram& program, const models::Architecture& machine,
                      const models::Launch& launch) {
    const auto prepared = Machine::prepare(machine, program.kernel(launch));
    if (!prepared) {
        EXPECT_NE(prepared.error().what.find("fits no SM"), std::string::npos)
            << prepared.error().what;
        return 0;
    }
    std::int64_t warps = 0;
    const auto run = prepared.value()->run({}, [&](const Event& event) {
        const auto* started = std::get_if<WarpStarted>(&event);
        if (started != nullptr && started->cycle == 0) ++warps;
    });
    EXPECT_TRUE(run.has_value());
    return warps / launch.warps_per_block();
}

// Tolerance 0: whole numbers.
TEST(GpudiagEquation33, IsMetByTheSimulatedMachineForEveryMixOfResources) {
    const TestProgram program = straight_line({add(1, 0, 0)});
    for (const char* const capability : {"2.0", "3.0", "3.7", "5.2", "5.3", "6.0", "6.1", "7.0",
                                         "7.5", "8.0", "8.6", "8.9", "9.0"}) {
        const auto limits = occupancy::limits_of(capability).value();
        const auto machine = machine_of(limits, limits.fermi_register_rule);
        for (const std::int64_t threads : {1, 33, 64, 96, 160, 256, 512, 768, 1024})
            for (const std::int64_t registers : {1, 21, 24, 32, 37, 48, 63, 64, 255})
                for (const std::int64_t shared :
                     {0, 1, 3072, 12288, 20000, 49152, 100000, 230000}) {
                    const auto expected = occupancy::resident({threads, registers, shared}, limits);
                    ASSERT_TRUE(expected);
                    const models::Launch launch{33, threads, registers, shared};
                    ASSERT_EQ(slots_of(program, machine, launch), expected.value().blocks)
                        << capability << ", " << models::to_string(launch);
                }
    }
}

// Equation 3.6: c warps of one block take the time of one until their unit is full, then a step
// more with every warp, or with every pair of warps where each of two schedulers has a unit of its
// own. 64 dependent additions: a period of 64 x 24 cycles, of which the unit is in use 64 x 4.
// Tolerance: a fiftieth, for the first and the last round-robin turn.
TEST(GpudiagEquation36, IsTheShapeOfTheSimulatedMachineForOneAndTwoPartitions) {
    constexpr int additions = 64;
    constexpr std::int64_t latency = 24;
    constexpr std::int64_t initiation = 4;
    const TestProgram program =
        straight_line(std::vector<assembly::Instruction>(additions, float_add(1, 1, 1)));
    for (const auto& [unit, groups] : {std::pair{"core-unit", 1}, {"alu", 2}}) {
        auto machine = small_machine(models::IssueControl::Interlocked);
        set_class(machine, {assembly::OpcodeClass::FloatAdd, unit, latency, initiation});
        const auto time = [&](std::int64_t warps) {
            const auto prepared = Machine::prepare(machine, program.kernel({1, 32 * warps}));
            return static_cast<double>(prepared.value()->run({}).value().execution_time.count());
        };
        const models::gpudiag::Mix mix{.units = {{unit, initiation * additions, 1, groups}},
                                       .period = latency * additions};
        const auto fu = models::gpudiag::relative_times(mix, 24).value();
        const double alone = time(1);
        for (std::size_t warps = 1; warps < fu.size(); ++warps)
            EXPECT_NEAR(time(static_cast<std::int64_t>(warps)) / alone, fu[warps], fu[warps] / 50)
                << unit << ", " << warps << " warps";
    }
}

// Equation 3.2 with fu = 1, a chain of dependent instructions too slow to contend for issue slots:
// T(g, b) is the number of waves, ceil(g / N).
TEST(GpudiagEquation32, CountsTheWavesOfTheSimulatedMachine) {
    const auto limits = occupancy::limits_of("7.5").value();
    auto machine = machine_of(limits, false);
    set_class(machine, {assembly::OpcodeClass::FloatAdd, "alu", 400, 1});
    // A block leaves with its EXIT, which follows the use of the last result.
    const TestProgram program =
        straight_line({float_add(1, 1, 1), float_add(1, 1, 1), add(2, 1, 1)});
    const auto time = [&](std::int64_t blocks, std::int64_t registers) {
        const auto prepared = Machine::prepare(machine, program.kernel({blocks, 64, registers}));
        return prepared.value()->run({}).value().execution_time.count();
    };
    const std::int64_t one = time(1, 64);
    // 64 x 32 registers a warp, 16384 in each of 4 partitions: 32 warps; 128 x 32: 16 warps.
    for (const auto& [registers, slots] : {std::pair{64, 16}, {128, 8}})
        for (std::int64_t blocks = 1; blocks <= 3 * slots + 1; ++blocks) {
            const std::int64_t waves = (blocks + slots - 1) / slots;
            // Warps of a scheduler issue one after the other: less than 100 cycles of 400.
            EXPECT_NEAR(static_cast<double>(time(blocks, registers)),
                        static_cast<double>(waves * one), static_cast<double>(100 * waves))
                << blocks << " blocks, " << slots << " slots";
        }
}

} // namespace
} // namespace warpbound::harness::simulator
