#pragma once
/// \file
/// The blocks on one SM: starts them, opens their barriers, reports their ends.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/simulator/sm/barrier.hpp"

#include <array>
#include <vector>

namespace warpbound::harness::simulator {

/// Gives each block that comes the lowest free slot.
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
    struct Slot {
        BlockBarriers barriers;
        std::array<Residency::Places, BlockBarriers::count> waiting; ///< Per barrier.
        Placement block;
        std::int64_t completes = 0;
    };

    void start(const Placement& placement);
    void release(std::size_t slot, std::uint8_t barrier, std::int64_t now);
    void arrive(const WarpReport& report, std::int64_t now);
    void end(const WarpReport& report, std::int64_t now);
    void tell_all(const BlockOrder& order);

    Ports links_;
    RandomSource random_;
    std::vector<Slot> slots_; ///< Free ones have no live warp.
    std::vector<WarpReport> arrivals_;
};

} // namespace warpbound::harness::simulator
