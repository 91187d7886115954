#pragma once
/// \file
/// A kernel translated for the simulated SM: everything that is equal in all runs.

#include "harness/simulator/decode/access_code.hpp"
#include "harness/simulator/decode/machine_shape.hpp"
#include "harness/simulator/decode/operation.hpp"
#include "harness/simulator/paths/kernel_paths.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Immutable after `translate`; runs share it.
struct KernelCode : KernelPaths {
    std::vector<Operation> operations; ///< Per instruction of the function.
    std::vector<std::uint16_t>
        registers; ///< Of all operations; the registers in use, numbered densely.
    std::size_t register_count = 0;
    std::vector<AccessCode> accesses; ///< Instructions with an address pattern.
    std::size_t scoreboard_depth = 1; ///< Latest releases that a scoreboard must keep.

    MachineShape machine;    ///< The machine that runs it.
    std::int64_t blocks = 1; ///< Of the launch.
    Demand demand;           ///< Of one block.

    std::vector<std::uint16_t> bank_registers; ///< Of all operations: R0, R1, ..
    std::vector<BankRead> bank_reads;          ///< Of all operations, through read ports.
    /// Of all operations: through write ports, and, those of variable latency, through read ports.
    std::vector<BankRegisters> bank_writes;
    std::vector<BankRegisters> queued_reads;
    std::vector<std::uint64_t> constant_lines; ///< Of all operations.
    std::vector<std::uint64_t> lines;          ///< Of the instruction caches, from `lines_of`.

    Range barrier_latency; ///< Of the barrier class, drawn once per release.
};

} // namespace warpbound::harness::simulator
