#include "harness/simulator/resident_blocks.hpp"

#include <utility>

namespace warpbound::harness::simulator {

ResidentBlocks::ResidentBlocks(Plugs plugs, const KernelCode& code, const RunOptions& options)
    : plugs_{std::move(plugs)}, code_{&code}, chance_{options.draw,
                                                      RandomStream{options.seed, StreamOf::Blocks,
                                                                   0}},
      barriers_(static_cast<std::size_t>(code.slots)) {}

void ResidentBlocks::tell_all(const BlockOrder& order) {
    for (const auto& orders : plugs_.orders)
        orders.put(order);
}

void ResidentBlocks::start(std::size_t slot, std::int64_t at) {
    barriers_[slot] = BlockBarriers{code_->warps_per_block};
    tell_all(BlockOrder{.kind = BlockOrder::Kind::Start,
                        .slot = slot,
                        .block = started_++,
                        .barrier = 0,
                        .at = at});
}

void ResidentBlocks::release(std::size_t slot, std::uint8_t barrier, std::int64_t now) {
    tell_all(BlockOrder{.kind = BlockOrder::Kind::Release,
                        .slot = slot,
                        .block = 0,
                        .barrier = barrier,
                        .at = now + chance_.draw(code_->barrier_latency)});
}

void ResidentBlocks::hear(const WarpReport& report, std::int64_t now) {
    BlockBarriers& barriers = barriers_[report.slot];
    if (report.barrier) {
        if (barriers.arrive(*report.barrier)) release(report.slot, *report.barrier, now);
        return;
    }
    if (const auto completed = barriers.end()) release(report.slot, *completed, now);
    if (barriers.live() > 0) return;
    ++ended_;
    if (started_ < code_->blocks)
        start(report.slot, now + chance_.draw(*code_->replacement) + chance_.draw(*code_->start));
}

void ResidentBlocks::tick(std::int64_t now) {
    if (started_ == 0)
        for (std::size_t slot = 0; slot < barriers_.size(); ++slot)
            start(slot, now);
    for (const auto& reports : plugs_.reports)
        for (const WarpReport& report : reports.messages())
            hear(report, now);
}

} // namespace warpbound::harness::simulator
