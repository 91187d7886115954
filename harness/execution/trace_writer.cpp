#include "harness/execution/trace_writer.hpp"

#include "harness/trace/issue_match.hpp"

#include <algorithm>

namespace warpbound::harness::execution {

namespace {

/// The general registers that an instruction names, without its destination.
std::vector<int> sources_of(const assembly::Instruction& instruction, bool has_destination) {
    constexpr int zero = static_cast<int>(zero_register);
    constexpr std::size_t most_traced = 8;
    std::vector<int> sources;
    const auto add = [&](const assembly::RegisterOperand& reg) {
        if (reg.file == assembly::RegisterFile::General && sources.size() < most_traced)
            sources.push_back(reg.index.value_or(zero));
    };
    for (std::size_t i = has_destination ? 1 : 0; i < instruction.operands.size(); ++i) {
        const assembly::Operand& operand = instruction.operands[i];
        if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operand)) add(*reg);
        if (const auto* memory = std::get_if<assembly::MemoryOperand>(&operand); memory != nullptr)
            if (memory->base) add(*memory->base);
    }
    return sources;
}

trace::PackedAddresses packed(const Wides& addresses, Lanes lanes) {
    trace::PackedAddresses list;
    for_each_lane(lanes, [&](std::size_t lane) {
        list.numbers.push_back(static_cast<std::int64_t>(addresses[lane]));
    });
    return list;
}

} // namespace

Result<void> TraceWriter::begun(const assembly::Function& function, const models::Launch& launch) {
    function_ = &function;
    header_.kernel = function.name;
    header_.id = 1;
    header_.grid = launch.grid ? launch.grid->blocks : trace::Dimensions{launch.blocks, 1, 1};
    header_.block = models::block_shape_of(launch).threads;
    header_.shared_memory = launch.shared_memory ? launch.shared_memory : function.shared_memory;
    if (launch.registers)
        header_.registers = launch.registers;
    else if (function.register_count)
        header_.registers = *function.register_count;
    header_.binary_version = function.target.sm;
    block_.warps.resize(static_cast<std::size_t>(header_.warps_per_block()));
    return sink_(trace::print_header(header_, false));
}

void TraceWriter::issued(const WarpIssue& issue) {
    const assembly::Instruction& instruction = function_->instructions[issue.instruction];
    trace::TracedIssue traced;
    traced.address = instruction.address;
    traced.mask = issue.lanes;
    traced.opcode = assembly::opcode_text(instruction);
    const auto destination = trace::destination_of(instruction);
    if (destination) traced.destinations.push_back(*destination);
    traced.sources = sources_of(instruction, destination.has_value());
    if (issue.addresses != nullptr) {
        traced.width = std::max(1, instruction.effects.memory->bytes_per_lane);
        traced.addresses = packed(*issue.addresses, issue.lanes);
    }
    auto& issues = block_.warps[static_cast<std::size_t>(issue.warp)].issues;
    // The tracer writes one line per address of an LDGSTS, that of global memory last.
    if (instruction.mnemonic == "LDGSTS" && issue.addresses != nullptr) issues.push_back(traced);
    issues.push_back(std::move(traced));
}

Result<void> TraceWriter::block_ended(const Extents& index) {
    block_.number = index;
    for (std::size_t warp = 0; warp < block_.warps.size(); ++warp)
        block_.warps[warp].number = static_cast<int>(warp);
    auto written = sink_(trace::print(block_, false));
    for (trace::TracedWarp& warp : block_.warps)
        warp.issues.clear();
    return written;
}

} // namespace warpbound::harness::execution
