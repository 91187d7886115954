#include "certification/verify/memory/accesses.hpp"

#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/facts/address_pattern.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most_executions = std::int64_t{1} << 16U;

bool accesses_caches(const TimedCode& code, std::size_t i) {
    return code.reachable[i] && code.timings[i].value().through_caches;
}

/// How often the paths of a side execute the instruction, which may stand in several blocks: in one
/// for each call of its function. Side: that of the bound.
std::int64_t executions_of(const ControlFlow& flow, std::size_t instruction, bool upper) {
    std::vector<std::int64_t> visits(flow.blocks.size(), 0);
    for (std::size_t block = 0; block < visits.size(); ++block)
        if (flow.first[block] <= instruction && instruction <= flow.last[block]) visits[block] = 1;
    return std::max<std::int64_t>(0, best_block_sum(flow, visits, upper).value_or(0));
}

const models::AddressPattern& pattern_of(const TimedCode& code, std::size_t instruction) {
    const std::int64_t address = code.kernel.function->instructions[instruction].address;
    const auto* fact = code.kernel.facts.memory_at(address);
    if (fact == nullptr || !fact->pattern)
        refuted(
            fmt::format("{}: no pattern gives the addresses at {:#06x}", code.kernel.id, address));
    return *fact->pattern;
}

} // namespace

std::vector<LineAccess> list_accesses(const TimedCode& code, const MemoryLayout& layout) {
    if (!code.kernel.serialized.empty() || !code.kernel.facts.divergents.empty())
        refuted(code.kernel.id + ": lanes may diverge, so addresses do not tell what is accessed");
    const std::int64_t warps = code.geometry.warps;
    std::vector<std::int64_t> executions(code.timings.size(), 0);
    std::vector<std::int64_t> certain(code.timings.size(), 0); ///< Of these, in every run.
    models::Cycles all{0};
    for (std::size_t i = 0; i < executions.size(); ++i) {
        if (!accesses_caches(code, i)) continue;
        executions[i] = executions_of(code.upper_flow, i, true);
        if (!assembly::is_guarded(code.kernel.function->instructions[i]))
            certain[i] = executions_of(code.lower_flow, i, false);
        all += models::Cycles{models::times(executions[i], warps)};
        if (all > models::Cycles{most_executions})
            refuted(code.kernel.id + ": too many accesses for an argument by addresses");
    }
    std::vector<LineAccess> accesses;
    std::vector<models::TouchedLine> lines;
    std::int64_t execution = 0;
    const std::int64_t warp_size =
        exact_number(code.kernel, code.kernel.architecture.geometry, "geometry", "warp-size");
    for (std::int64_t warp = 0; warp < warps; ++warp) {
        const std::int64_t of_block = warp % code.geometry.warps_per_block;
        // The last warp of a block has the threads that are left (C21).
        const std::int64_t left = code.kernel.launch.threads - of_block * warp_size;
        const std::uint64_t lanes = models::all_lanes(std::min(left, warp_size));
        for (std::size_t i = 0; i < executions.size(); ++i)
            for (std::int64_t n = 0; n < executions[i]; ++n, ++execution) {
                const models::WarpAccess place{
                    static_cast<std::uint64_t>(warp / code.geometry.warps_per_block),
                    static_cast<std::uint64_t>(of_block), static_cast<std::uint64_t>(n)};
                const models::InstructionTiming& timing = code.timings[i].value();
                models::coalesce(
                    models::addresses_of(pattern_of(code, i), place, lanes, timing.access.bytes),
                    layout.line, layout.sector, lines);
                for (std::size_t k = 0; k < lines.size(); ++k)
                    accesses.push_back({.execution = execution,
                                        .warp = warp,
                                        .instruction = i,
                                        .is_load = !timing.enters_write_buffer,
                                        .is_certain = n < certain[i],
                                        .is_last = k + 1 == lines.size(),
                                        .address = lines[k].address,
                                        .sectors = lines[k].sectors});
            }
    }
    return accesses;
}

} // namespace warpbound::certification::verify
