#pragma once
/// \file
/// The resident blocks of one SM: starts them, opens their barriers, reports their ends.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/sm/barrier.hpp"
#include "harness/simulator/sm/messages.hpp"

#include <array>
#include <vector>

namespace warpbound::harness::simulator {

/// Each new block occupies the lowest free block slot.
class ResidentBlocks final : public Component {
public:
    struct Ports {
        Sink<Placement> placements;
        Source<BlockEnded> ends;
        std::vector<Sink<WarpReport>> reports;  ///< Per scheduler.
        std::vector<Source<BlockOrder>> orders; ///< Per scheduler.
    };
    /// `multiprocessor`: number of the SM.
    ResidentBlocks(Ports links, std::size_t multiprocessor, const RunOptions& options);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return never; }

private:
    struct BlockSlot {
        BlockBarriers barriers;
        std::array<Residency::WarpSlots, BlockBarriers::count> waiting; ///< Per barrier.
        Placement block;
        std::int64_t completes = 0;
    };

    void start(const Placement& placement);
    void release(std::size_t block_slot, std::uint8_t barrier, std::int64_t now);
    void arrive(const WarpReport& report, std::int64_t now);
    void end(const WarpReport& report, std::int64_t now);
    void send_to_schedulers(const BlockOrder& order);

    Ports links_;
    RandomSource random_;
    std::vector<BlockSlot> slots_; ///< Free block slots have no live warp.
    std::vector<WarpReport> arrivals_;
};

} // namespace warpbound::harness::simulator
