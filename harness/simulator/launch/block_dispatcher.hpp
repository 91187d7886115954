#pragma once
/// \file
/// Dispatches the blocks of launches to the SMs (C20, C31, C34).

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/launch/messages.hpp"

#include <deque>
#include <vector>

namespace warpbound::harness::simulator {

/// The execution queue: first in, first out, without preemption. Dispatches the blocks of the first
/// launch in order while the next one fits an SM: to one of those with the most room where the
/// machine states so (C98), else to one that is drawn, or to the one with the least room.
class BlockDispatcher final : public Component {
public:
    struct Ports {
        Sink<LaunchQueued> launches;
        std::vector<Source<Placement>> placements; ///< Per SM.
        std::vector<Sink<BlockEnded>> ends;        ///< Per SM.
    };
    /// The progress of a launch. `Unit:` core cycles.
    struct Progress {
        std::int64_t blocks_left = 0; ///< Blocks that have not ended.
        std::int64_t completion = 0;  ///< When everything that its ended blocks issued is complete.
        std::int64_t started = never; ///< When its first block may issue.
        std::int64_t dispatched = 0;  ///< When it left the queue.
    };
    BlockDispatcher(Ports links, const MachineShape& machine, const std::vector<Grid>& grids,
                    const RunOptions& options, bool concentrates_blocks, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    [[nodiscard]] const Progress& progress(std::size_t launch) const { return progress_[launch]; }
    /// Launches whose blocks have all ended, until the caller removes them.
    [[nodiscard]] std::vector<std::size_t>& ended() { return ended_; }
    /// Blocks of a launch that may start wait for free resources.
    [[nodiscard]] bool has_waiting_blocks() const { return !queue_.empty(); }
    /// A block had to wait for free resources, and the description lacks the replacement time.
    [[nodiscard]] bool lacks_replacement() const { return lacks_replacement_; }

private:
    void receive(std::size_t multiprocessor, const BlockEnded& ended);
    void dispatch(std::int64_t now);
    /// When the warps of a block that is dispatched now may issue.
    std::int64_t start_of_block(std::int64_t now);
    void leave_queue(std::int64_t now);
    void find_rooms();
    /// Blocks of the first launch may enter or have left the SM.
    void update_room(std::size_t multiprocessor);
    [[nodiscard]] std::size_t choose();

    Ports links_;
    const MachineShape* machine_;
    const std::vector<Grid>* grids_;
    EventLog* log_;
    RandomSource random_;
    enum class Choice { Drawn, MostRoom, LeastRoom } choice_;
    std::vector<Residency> residencies_; ///< Per SM.
    std::vector<std::int64_t> rooms_;    ///< Per SM: for further blocks of the first launch.
    std::vector<Progress> progress_;     ///< Per launch.
    std::vector<std::size_t> ended_;
    std::deque<LaunchQueued> queue_;
    bool eligible_ = false;            ///< The first launch in the queue may start.
    bool waited_ = false;              ///< Its next block had to wait for free resources.
    std::int64_t next_block_ = 0;      ///< Of the first launch.
    std::vector<std::size_t> fitting_; ///< SMs that the next block fits, by number.
    bool lacks_replacement_ = false;
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator
