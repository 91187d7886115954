#pragma once
/// \file
/// Hands the blocks of launches out to the SMs (C20, C31).

#include "harness/simulator/component.hpp"
#include "harness/simulator/kernel_code.hpp"
#include "harness/simulator/link.hpp"
#include "harness/simulator/messages.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Greedy and never taking anything back: hands out block after block while an SM has room for the
/// next one, and decides by chance which of these SMs gets it; or piles blocks up on the SM that
/// has most.
class BlockDispatcher final : public Component {
public:
    struct Plugs {
        std::vector<Source<Placement>> placements; ///< Per SM.
        std::vector<Sink<BlockEnded>> ends;        ///< Per SM.
    };
    BlockDispatcher(Plugs plugs, const MachineShape& machine, const std::vector<Grid>& grids,
                    const RunOptions& options, bool piles_up);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return ready_ ? never : 0; }

    /// Every block of every launch has ended.
    [[nodiscard]] bool is_done() const { return next_launch_ == grids_->size() && resident_ == 0; }
    /// When all that the launch did is done (C2), as far as it ended.
    [[nodiscard]] std::int64_t completion(std::size_t launch) const { return completions_[launch]; }

private:
    void hear(std::size_t multiprocessor, const BlockEnded& ended);
    void hand_out(std::int64_t now);
    void find_room();
    [[nodiscard]] std::size_t choose();

    Plugs plugs_;
    const MachineShape* machine_;
    const std::vector<Grid>* grids_;
    Chance chance_;
    bool piles_up_;
    std::vector<Residence> residences_; ///< Per SM.
    std::vector<std::int64_t> completions_;
    bool ready_ = false; ///< The first blocks have been handed out.
    std::size_t next_launch_ = 0;
    std::int64_t next_block_ = 0;
    std::int64_t resident_ = 0;
    std::vector<std::size_t> with_room_; ///< SMs that have room for the next block, by number.
};

} // namespace warpbound::harness::simulator
