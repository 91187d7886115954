#include "harness/suite/emission/register_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace warpbound::harness {

bool is_address(const PtxRegister& reg) {
    return reg.prefix == shared_prefix || reg.prefix == global_prefix;
}

void reserve_memory(const PtxRegister& reg, std::int64_t lanes, std::int64_t largest_offset,
                    PtxKernel& kernel) {
    constexpr std::int64_t widest_access = 16;
    if (!is_address(reg)) return;
    const bool is_shared = reg.prefix == shared_prefix;
    std::int64_t& room = is_shared ? kernel.shared_bytes : kernel.memory_per_warp;
    const std::int64_t step = is_shared ? shared_word : 1;
    room = std::max(room, (lanes - 1) * reg.number * step + largest_offset + widest_access);
}

std::uint64_t start_value(const PtxRegister& reg) {
    const double fraction = 1.0 + static_cast<double>(reg.number) / 1024.0;
    if (reg.prefix == "f") return std::bit_cast<std::uint32_t>(static_cast<float>(fraction));
    if (reg.prefix == "fd") return std::bit_cast<std::uint64_t>(fraction);
    return 2 * static_cast<std::uint64_t>(reg.number) + 1;
}

namespace {

constexpr std::int64_t walk_word = 8;

} // namespace

void append_to_region(const Operation& operation, const PtxEffects& effects, Producers& producers,
                      PtxKernel& kernel) {
    std::set<std::size_t> of_reads;
    for (const PtxRegister& reg : effects.reads)
        if (const auto producer = producers.find(reg); producer != producers.end())
            of_reads.insert(producer->second);
    for (const PtxRegister& reg : effects.writes)
        producers[reg] = kernel.region.size();
    kernel.region.push_back(
        {operation.opcode_class, operation.ptx, {of_reads.begin(), of_reads.end()}});
}

void note_level(const Operation& operation, PtxKernel& kernel) {
    if (operation.fact &&
        (operation.fact->level == models::MemoryLevel::Dram ||
         (operation.fact->pattern && operation.fact->level == models::MemoryLevel::Any)))
        kernel.from_dram = true;
}

Result<void> take_walk(const Operation& operation, const PtxEffects& effects, PtxKernel& kernel) {
    for (const auto& reg : effects.writes) {
        if (reg.prefix != walk_prefix) continue;
        if (kernel.walk || !operation.fact || !operation.fact->pattern)
            return Failure{"expected one walk, with its footprint in bytes", operation.ptx};
        const auto footprint = static_cast<std::int64_t>(operation.fact->pattern->footprint);
        if (reg.number < walk_word || reg.number % walk_word != 0 || footprint <= 0 ||
            footprint % reg.number != 0)
            return Failure{fmt::format("a walk over {} bytes at a stride of {}; expected a "
                                       "multiple of 8 that divides the bytes",
                                       footprint, reg.number),
                           operation.ptx};
        kernel.walk = PtxWalk{reg.number, footprint};
        kernel.memory_per_warp = footprint;
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness
