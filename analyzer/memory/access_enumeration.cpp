#include "analyzer/memory/access_enumeration.hpp"

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/interference/resource_demand.hpp"

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_accesses = std::int64_t{1} << 16U;

} // namespace

std::optional<AccessEnumeration> AccessEnumeration::of(const TimedKernel& kernel,
                                                       const LaunchGeometry& shape,
                                                       const MemoryParameters& caches) {
    AccessEnumeration list{kernel, shape, caches};
    if (!list.count()) return std::nullopt;
    return list;
}

bool AccessEnumeration::is_load(std::size_t instruction) const {
    return !kernel_->timings[instruction].value().enters_write_buffer;
}

std::int64_t AccessEnumeration::warps() const {
    return shape_->warps().count();
}

bool AccessEnumeration::count() {
    const auto& blocks = kernel_->graph->blocks;
    const auto uses_caches = [&](std::size_t i) {
        return kernel_->used[i] && kernel_->timings[i] &&
               kernel_->timings[i].value().through_caches;
    };
    executions_.assign(kernel_->timings.size(), {});
    models::Cycles all{0};
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        std::int64_t in_block = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
            if (uses_caches(i)) ++in_block;
        // Inlined blocks of a called function are the same instructions (C21).
        const auto inlined = blocks_at(*kernel_->graph, blocks[block].address);
        if (in_block == 0 || inlined.front() != BlockIndex{block}) continue;
        PerBlock<std::int64_t> visits(blocks.size(), 0);
        for (const BlockIndex inlined_block : inlined)
            visits[inlined_block] = 1;
        const std::int64_t most = extreme_sum(*kernel_, visits, Side::Upper);
        const std::int64_t least = extreme_sum(*kernel_, visits, Side::Lower);
        all += models::Cycles{most} * in_block * shape_->warps();
        if (models::Cycles{most_accesses} < all) return false;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!uses_caches(i)) continue;
            const bool certain = !assembly::is_guarded(kernel_->function->instructions[i]);
            executions_[i] = {certain ? least : 0, most};
        }
    }
    return true;
}

void AccessEnumeration::find_lines(std::size_t instruction, std::int64_t warp,
                                   std::int64_t execution,
                                   std::vector<models::TouchedLine>& lines) const {
    const std::int64_t address = kernel_->function->instructions[instruction].address;
    const models::AddressPattern& pattern = *kernel_->stated->memory_at(address)->pattern;
    const models::WarpAccess place{
        .block = static_cast<std::uint64_t>(warp / shape_->warps_per_block.count()),
        .warp = static_cast<std::uint64_t>(warp % shape_->warps_per_block.count()),
        .execution = static_cast<std::uint64_t>(execution)};
    const auto lanes = models::addresses_of(
        pattern, place,
        models::all_lanes(models::lanes_of_warp(shape_->threads_per_block, kernel_->warp_size,
                                                static_cast<std::int64_t>(place.warp))),
        kernel_->timings[instruction].value().access.bytes);
    models::coalesce(lanes, caches_->line, caches_->sector, lines);
}

} // namespace warpbound::analyzer
