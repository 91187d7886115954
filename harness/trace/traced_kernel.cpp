#include "harness/trace/traced_kernel.hpp"

#include "assembly/isa/reader.hpp"
#include "models/architecture/instruction_timing.hpp"

namespace warpbound::harness::trace {

Result<TracedKernel> traced_kernel(const models::Architecture& architecture, const Kernel& kernel) {
    const auto warp_size =
        models::require(architecture, architecture.geometry, "geometry", "warp-size");
    if (!warp_size) return warp_size.as_failure();
    TracedKernel traced;
    traced.name = kernel.function->name;
    traced.machine = architecture.name;
    traced.warps_per_block = kernel.launch.warps_per_block(warp_size.value().lo);
    traced.units = architecture.units;
    const auto timings = models::instruction_timings(*kernel.function, architecture, *kernel.facts,
                                                     kernel.launch.threads);
    for (std::size_t index = 0; index < timings.size(); ++index) {
        const assembly::Instruction& instruction = kernel.function->instructions[index];
        TracedInstruction named{.text = assembly::print(instruction),
                                .opcode = assembly::opcode_text(instruction),
                                .address = instruction.address,
                                .unit = std::nullopt,
                                .enters_write_buffer = false};
        if (timings[index]) {
            named.unit = timings[index].value().unit;
            named.enters_write_buffer = timings[index].value().enters_write_buffer;
        }
        traced.instructions.push_back(std::move(named));
    }
    for (const assembly::BasicBlock& block : kernel.graph->blocks)
        traced.block_addresses.push_back(block.address);
    return traced;
}

} // namespace warpbound::harness::trace
