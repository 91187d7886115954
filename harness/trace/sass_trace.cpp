#include "harness/trace/sass_trace.hpp"

#include <fmt/format.h>

#include <bit>

namespace warpbound::harness::trace {

namespace {

std::string addresses_text(const PackedAddresses& addresses) {
    std::string out = fmt::format(" {}", static_cast<int>(addresses.form));
    if (addresses.form == PackedAddresses::Form::List) {
        for (const std::int64_t address : addresses.numbers)
            out += fmt::format(" {:#x}", static_cast<std::uint64_t>(address));
        return out;
    }
    out += fmt::format(" {:#x}", addresses.base);
    for (const std::int64_t number : addresses.numbers)
        out += fmt::format(" {}", number);
    return out;
}

} // namespace

std::int64_t SassTrace::warps_per_block() const {
    return (block[0] * block[1] * block[2] + trace_lanes - 1) / trace_lanes;
}

std::string print_header(const SassTrace& trace, bool has_lines) {
    return fmt::format(
        "-kernel name = {}\n-kernel id = {}\n-grid dim = ({},{},{})\n-block dim = ({},{},{})\n"
        "{}{}-binary version = {}\n-cuda stream id = {}\n"
        "-accelsim tracer version = {}\n-enable lineinfo = {}\n",
        trace.kernel, trace.id, trace.grid[0], trace.grid[1], trace.grid[2], trace.block[0],
        trace.block[1], trace.block[2],
        trace.shared_memory ? fmt::format("-shmem = {}\n", *trace.shared_memory) : std::string{},
        trace.registers ? fmt::format("-nregs = {}\n", *trace.registers) : std::string{},
        trace.binary_version, trace.stream, printed_tracer_version, has_lines ? 1 : 0);
}

std::string print(const TracedBlock& block, bool has_lines) {
    std::string out = fmt::format("\n#BEGIN_TB\n\nthread block = {},{},{}\n", block.number[0],
                                  block.number[1], block.number[2]);
    for (const TracedWarp& warp : block.warps) {
        out += fmt::format("\nwarp = {}\ninsts = {}\n", warp.number, warp.issues.size());
        for (const TracedIssue& issue : warp.issues) {
            if (has_lines) out += fmt::format("{} ", issue.line);
            out += fmt::format("{:04x} {:08x} {}", issue.address, issue.mask,
                               issue.destinations.size());
            for (const int reg : issue.destinations)
                out += fmt::format(" R{}", reg);
            out += fmt::format(" {} {}", issue.opcode, issue.sources.size());
            for (const int reg : issue.sources)
                out += fmt::format(" R{}", reg);
            out += fmt::format(" {}", issue.width);
            if (issue.width > 0) out += addresses_text(issue.addresses);
            out += '\n';
        }
    }
    return out + "\n#END_TB\n";
}

std::string print(const SassTrace& trace) {
    bool has_lines = false;
    for (const TracedBlock& block : trace.blocks)
        for (const TracedWarp& warp : block.warps)
            for (const TracedIssue& issue : warp.issues)
                has_lines = has_lines || issue.line != 0;
    std::string out = print_header(trace, has_lines);
    for (const TracedBlock& block : trace.blocks)
        out += print(block, has_lines);
    return out;
}

std::vector<std::uint64_t> addresses_of(const TracedIssue& issue) {
    std::vector<std::uint64_t> addresses;
    if (issue.width == 0) return addresses;
    const PackedAddresses& packed = issue.addresses;
    const auto active = static_cast<std::size_t>(std::popcount(issue.mask));
    std::uint64_t address = packed.base;
    for (std::size_t lane = 0; lane < active; ++lane) {
        // Differences wrap around, as addresses do.
        if (packed.form == PackedAddresses::Form::List)
            address = static_cast<std::uint64_t>(packed.numbers[lane]);
        else if (lane > 0)
            address += static_cast<std::uint64_t>(
                packed.numbers[packed.form == PackedAddresses::Form::Stride ? 0 : lane - 1]);
        addresses.push_back(address);
    }
    return addresses;
}

} // namespace warpbound::harness::trace
