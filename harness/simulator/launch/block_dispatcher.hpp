#pragma once
/// \file
/// Hands the blocks of launches out to the SMs (C20, C31, C34).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/messages.hpp"

#include <deque>
#include <vector>

namespace warpbound::harness::simulator {

/// The execution queue: first in, first out, and nothing is taken back. Hands out block after block
/// of the first launch while an SM has room for the next one, and decides by chance which of these
/// SMs gets it; or piles blocks up on the SM that has most.
class BlockDispatcher final : public Component {
public:
    struct Ports {
        Sink<LaunchQueued> launches;
        std::vector<Source<Placement>> placements; ///< Per SM.
        std::vector<Sink<BlockEnded>> ends;        ///< Per SM.
    };
    /// What is known of a launch. `Unit:` core cycles.
    struct Progress {
        std::int64_t blocks_left = 0; ///< That have not ended.
        std::int64_t completion = 0;  ///< When all that its ended blocks did is done (C2).
        std::int64_t started = never; ///< Its first block may issue.
        std::int64_t dispatched = 0;  ///< It left the queue.
    };
    BlockDispatcher(Ports links, const MachineShape& machine, const std::vector<Grid>& grids,
                    const RunOptions& options, bool piles_up, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    [[nodiscard]] const Progress& progress(std::size_t launch) const { return progress_[launch]; }
    /// Launches all of whose blocks have ended, until they are taken.
    [[nodiscard]] std::vector<std::size_t>& ended() { return ended_; }
    /// A block had to wait for room, and the description does not say what its start costs then.
    [[nodiscard]] bool lacks_replacement() const { return lacks_replacement_; }

private:
    void hear(std::size_t multiprocessor, const BlockEnded& ended);
    void hand_out(std::int64_t now);
    /// When the warps of a block that is handed out now may issue.
    std::int64_t start_of_block(std::int64_t now);
    void leave_queue(std::int64_t now);
    void find_room();
    [[nodiscard]] std::size_t choose();

    Ports links_;
    const MachineShape* machine_;
    const std::vector<Grid>* grids_;
    EventLog* log_;
    RandomSource random_;
    bool piles_up_;
    std::vector<Residency> residences_; ///< Per SM.
    std::vector<Progress> progress_;    ///< Per launch.
    std::vector<std::size_t> ended_;
    std::deque<LaunchQueued> queue_;
    bool eligible_ = false;              ///< The first launch in the queue is.
    bool waited_ = false;                ///< Its next block had to wait for room.
    std::int64_t next_block_ = 0;        ///< Of it.
    std::vector<std::size_t> with_room_; ///< SMs that have room for that block, by number.
    bool lacks_replacement_ = false;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator
