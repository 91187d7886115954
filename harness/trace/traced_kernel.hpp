#pragma once
/// \file
/// The static part of a trace: names of instructions, units and the machine.

#include "harness/device.hpp"
#include "models/architecture/architecture.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::trace {

/// Receives the text of a trace piece by piece, in order.
using Sink = std::function<void(std::string_view)>;

struct TracedInstruction {
    std::string text;   ///< "@!P0 LDG.E R4, [R2+0x10] ;"
    std::string opcode; ///< "LDG.E"
    std::int64_t address = 0;
    std::optional<std::size_t> unit; ///< Index into `TracedKernel::units`.
    bool enters_write_buffer = false;
};

struct TracedKernel {
    std::string name;
    std::string machine;
    std::int64_t warps_per_block = 1;
    std::vector<models::Unit> units;
    std::vector<TracedInstruction> instructions; ///< By index into the function.
    std::vector<std::int64_t> block_addresses;   ///< By basic block.
};

/// Uses the architecture description only. Refuses a machine whose warp size is unknown. An
/// instruction whose unit is unknown has none here; the simulator refuses a run that could reach
/// it.
Result<TracedKernel> traced_kernel(const models::Architecture& architecture, const Kernel& kernel);

} // namespace warpbound::harness::trace
