#include "harness/simulator/sm/resident_blocks.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

ResidentBlocks::ResidentBlocks(Ports links, std::size_t multiprocessor, const RunOptions& options)
    : links_{std::move(links)}, random_{options.draw, RandomStream{options.seed, StreamOf::Blocks,
                                                                   multiprocessor}} {
    links_.placements.read_by(*this);
    for (const auto& reports : links_.reports)
        reports.read_by(*this);
}

void ResidentBlocks::send_to_schedulers(const BlockOrder& order) {
    for (const auto& orders : links_.orders)
        orders.put(order);
}

void ResidentBlocks::start(const Placement& placement) {
    auto slot = std::find_if(slots_.begin(), slots_.end(), [](const BlockSlot& occupied) {
        return occupied.barriers.live() == 0;
    });
    if (slot == slots_.end()) slot = slots_.emplace(slots_.end());
    slot->barriers = BlockBarriers{static_cast<std::int64_t>(placement.warp_slots.size())};
    slot->block = placement;
    slot->completes = 0;
    send_to_schedulers(BlockOrder{.kind = BlockOrder::Kind::Start,
                                  .block_slot = static_cast<std::size_t>(slot - slots_.begin()),
                                  .placement = placement,
                                  .released = {},
                                  .at = 0});
}

void ResidentBlocks::release(std::size_t block_slot, std::uint8_t barrier, std::int64_t now) {
    const Range latency = slots_[block_slot].block.grid.code->barrier_latency;
    send_to_schedulers(
        BlockOrder{.kind = BlockOrder::Kind::Release,
                   .block_slot = block_slot,
                   .placement = {},
                   .released = std::exchange(slots_[block_slot].waiting[barrier], {}),
                   .at = now + random_.draw(latency)});
}

void ResidentBlocks::arrive(const WarpReport& report, std::int64_t now) {
    BlockSlot& slot = slots_[report.block_slot];
    if (report.waits) slot.waiting[*report.barrier].push_back(report.warp_slot);
    if (slot.barriers.arrive(*report.barrier, report.barrier_warps))
        release(report.block_slot, *report.barrier, now);
}

void ResidentBlocks::end(const WarpReport& report, std::int64_t now) {
    BlockSlot& slot = slots_[report.block_slot];
    slot.completes = std::max(slot.completes, report.completes);
    if (const auto completed = slot.barriers.end()) release(report.block_slot, *completed, now);
    if (slot.barriers.live() > 0) return;
    links_.ends.put(BlockEnded{.launch = slot.block.launch,
                               .warp_slots = slot.block.warp_slots,
                               .completes = slot.completes});
}

void ResidentBlocks::tick(std::int64_t now) {
    arrivals_.clear();
    for (const auto& reports : links_.reports)
        for (const WarpReport& report : reports.messages())
            if (report.barrier && report.barrier_warps != 0)
                arrivals_.push_back(report);
            else if (report.barrier)
                arrive(report, now);
            else
                end(report, now);
    // The order of arrivals at a barrier with a stated number of warps is not determined (C9).
    for (std::size_t left = arrivals_.size(); left > 1; --left)
        std::swap(arrivals_[left - 1], arrivals_[static_cast<std::size_t>(
                                           random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    for (const WarpReport& report : arrivals_)
        arrive(report, now);
    for (const Placement& placement : links_.placements.messages())
        start(placement);
}

} // namespace warpbound::harness::simulator
