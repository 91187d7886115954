#include "tests/support/recorded_events.hpp"

#include "harness/recorded_launch.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <map>
#include <optional>

namespace warpbound::tests {

namespace {

using harness::simulator::Issued;
using harness::trace::PackedAddresses;
using harness::trace::TracedIssue;

class TraceRecorder {
public:
    TraceRecorder(const harness::Kernel& kernel, const models::Architecture& machine)
        : kernel_{kernel}, timings_{models::instruction_timings(
                               *kernel.function, machine, *kernel.facts, kernel.launch.threads)} {}

    harness::trace::TracedWarp warp(int number, std::int64_t block,
                                    const std::vector<Issued>& issues) {
        harness::trace::TracedWarp out{number, {}};
        std::map<std::size_t, std::uint64_t> executions;
        for (std::size_t index = 0; index < issues.size(); ++index) {
            const Issued& event = issues[index];
            const auto& code = kernel_.function->instructions[event.instruction];
            TracedIssue issue;
            issue.address = code.address;
            issue.opcode = assembly::opcode_text(code);
            issue.mask = static_cast<std::uint32_t>(mask(issues, index));
            for (std::size_t operand = 0; operand < code.operands.size(); ++operand)
                if (const auto* reg =
                        std::get_if<assembly::RegisterOperand>(&code.operands[operand]);
                    reg != nullptr && reg->file == assembly::RegisterFile::General)
                    (operand == 0 ? issue.destinations : issue.sources)
                        .push_back(reg->index.value_or(255));
            if (harness::has_recorded_addresses(code)) {
                issue.width = 4;
                if (event.executed)
                    issue.addresses = addresses(event, block, number,
                                                executions[event.instruction]++, issue.mask);
            }
            out.issues.push_back(std::move(issue));
        }
        return out;
    }

private:
    std::uint64_t mask(const std::vector<Issued>& issues, std::size_t index) const {
        const Issued& event = issues[index];
        const auto& code = kernel_.function->instructions[event.instruction];
        const bool exits = code.control_flow == assembly::ControlFlow::Exit;
        if (!exits && !assembly::transfers_control(code.control_flow)) return event.executing;
        if (!code.guard || code.guard->always()) return event.lanes;
        if (code.guard->never()) return 0;
        std::uint64_t taken = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            const std::uint64_t bit = std::uint64_t{1} << lane;
            if ((event.lanes & bit) == 0) continue;
            std::optional<std::size_t> next;
            for (std::size_t later = index + 1; later < issues.size() && !next; ++later)
                if ((issues[later].lanes & bit) != 0) next = issues[later].block;
            bool transferred = exits && !next;
            for (const std::size_t edge : kernel_.graph->blocks[event.block].out)
                if (!exits && next && kernel_.graph->edges[edge].to == *next &&
                    kernel_.graph->edges[edge].kind == assembly::EdgeKind::Taken)
                    transferred = true;
            if (transferred) taken |= bit;
        }
        return taken;
    }

    PackedAddresses addresses(const Issued& event, std::int64_t block, int warp,
                              std::uint64_t execution, std::uint32_t mask) const {
        const auto& timing = timings_[event.instruction].value();
        const auto* fact =
            kernel_.facts->memory_at(kernel_.function->instructions[event.instruction].address);
        models::LaneAddresses lanes;
        if (fact != nullptr && fact->pattern) {
            lanes = models::addresses_of(*fact->pattern,
                                         {.block = static_cast<std::uint64_t>(block),
                                          .warp = static_cast<std::uint64_t>(warp),
                                          .execution = execution},
                                         mask, timing.access.bytes);
        } else {
            std::uint64_t distinct = 0; // Words of one bank, each in a different line.
            for (unsigned lane = 0; lane < 32; ++lane)
                if (((mask >> lane) & 1U) != 0)
                    lanes.address[lane] =
                        distinct < static_cast<std::uint64_t>(event.passes) ? 4096 * distinct++ : 0;
        }
        PackedAddresses packed;
        for (unsigned lane = 0; lane < 32; ++lane)
            if (((mask >> lane) & 1U) != 0)
                packed.numbers.push_back(static_cast<std::int64_t>(lanes.address[lane]));
        return packed;
    }

    const harness::Kernel& kernel_;
    std::vector<Result<models::InstructionTiming>> timings_;
};

} // namespace

harness::trace::SassTrace trace_of(const harness::Kernel& kernel,
                                   const models::Architecture& machine,
                                   const std::vector<harness::simulator::Event>& events) {
    std::map<int, std::vector<Issued>> warps;
    for (const auto& event : events)
        if (const auto* issued = std::get_if<Issued>(&event))
            warps[issued->warp].push_back(*issued);
    harness::trace::SassTrace trace;
    trace.kernel = kernel.function->name;
    trace.grid = {kernel.launch.blocks, 1, 1};
    trace.block = {kernel.launch.threads, 1, 1};
    trace.shared_memory = kernel.launch.shared_memory;
    trace.registers = kernel.launch.registers.value_or(0);
    trace.binary_version = kernel.function->target.sm;
    trace.tracer_version = harness::trace::printed_tracer_version;
    const auto of_block = static_cast<int>(kernel.launch.warps_per_block());
    TraceRecorder recorder{kernel, machine};
    for (const auto& [number, issues] : warps) {
        const std::int64_t block = number / of_block;
        if (trace.blocks.empty() || trace.blocks.back().number[0] != block)
            trace.blocks.push_back({{block, 0, 0}, {}});
        trace.blocks.back().warps.push_back(recorder.warp(number % of_block, block, issues));
    }
    return trace;
}

} // namespace warpbound::tests
