#include "harness/simulator/launch/block_dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

BlockDispatcher::BlockDispatcher(Ports links, const MachineShape& machine,
                                 const std::vector<Grid>& grids, const RunOptions& options,
                                 bool concentrates_blocks, EventLog& log)
    : links_{std::move(links)}, machine_{&machine}, grids_{&grids}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Dispatcher, 0}},
      choice_{machine.places_by_room || options.draw == Draw::Typical ? Choice::MostRoom
              : concentrates_blocks                                   ? Choice::LeastRoom
                                                                      : Choice::Drawn},
      residencies_(machine.multiprocessors, Residency{machine.capacity}),
      rooms_(machine.multiprocessors) {
    for (const Grid& grid : grids)
        progress_.push_back(Progress{.blocks_left = grid.code->blocks});
    links_.launches.read_by(*this);
    for (const auto& ends : links_.ends)
        ends.read_by(*this);
}

void BlockDispatcher::find_rooms() {
    fitting_.clear();
    for (std::size_t sm = 0; sm < residencies_.size(); ++sm) {
        update_room(sm);
        if (rooms_[sm] > 0) fitting_.push_back(sm);
    }
}

void BlockDispatcher::update_room(std::size_t multiprocessor) {
    const Demand& demand = (*grids_)[queue_.front().launch].code->demand;
    const Residency& residency = residencies_[multiprocessor];
    // Only a choice by room needs more than whether there is any.
    rooms_[multiprocessor] =
        choice_ == Choice::Drawn ? (residency.fits(demand) ? 1 : 0) : residency.room_for(demand);
}

void BlockDispatcher::receive(std::size_t multiprocessor, const BlockEnded& ended) {
    residencies_[multiprocessor].leave((*grids_)[ended.launch].code->demand, ended.warp_slots);
    Progress& progress = progress_[ended.launch];
    progress.completion = std::max(progress.completion, ended.completes);
    if (--progress.blocks_left == 0) ended_.push_back(ended.launch);
    if (!eligible_) return;
    const bool did_fit = rooms_[multiprocessor] > 0;
    update_room(multiprocessor);
    if (!did_fit && rooms_[multiprocessor] > 0)
        fitting_.insert(std::lower_bound(fitting_.begin(), fitting_.end(), multiprocessor),
                        multiprocessor);
}

std::size_t BlockDispatcher::choose() {
    const auto drawn =
        static_cast<std::size_t>(random_.draw(0, static_cast<std::int64_t>(fitting_.size()) - 1));
    if (choice_ == Choice::Drawn) return drawn;
    std::size_t chosen = drawn; // The drawn one breaks ties.
    for (std::size_t sm = 0; sm < fitting_.size(); ++sm) {
        const std::int64_t room = rooms_[fitting_[sm]];
        const std::int64_t best = rooms_[fitting_[chosen]];
        if (choice_ == Choice::MostRoom ? room > best : room < best) chosen = sm;
    }
    return chosen;
}

std::int64_t BlockDispatcher::start_of_block(std::int64_t now) {
    if (!waited_) return now;
    if (!machine_->replacement) {
        lacks_replacement_ = true;
        return now;
    }
    const std::int64_t replaced = now + random_.draw(*machine_->replacement);
    return replaced + random_.draw(*machine_->start);
}

void BlockDispatcher::leave_queue(std::int64_t now) {
    const std::size_t launch = queue_.front().launch;
    progress_[launch].dispatched = now;
    if (log_->has_listener())
        log_->add(OperationStepped{.cycle = now,
                                   .operation = (*grids_)[launch].operation,
                                   .step = OperationStep::Dispatched});
    queue_.pop_front();
    eligible_ = false;
    waited_ = false;
    next_block_ = 0;
    fitting_.clear();
}

void BlockDispatcher::dispatch(std::int64_t now) {
    while (!queue_.empty() && queue_.front().ready_at <= now) {
        if (!eligible_) find_rooms();
        eligible_ = true;
        if (fitting_.empty()) {
            waited_ = true;
            return;
        }
        const std::size_t launch = queue_.front().launch;
        const Grid& grid = (*grids_)[launch];
        const auto chosen = fitting_.begin() + static_cast<std::ptrdiff_t>(choose());
        const std::size_t multiprocessor = *chosen;
        Residency& residency = residencies_[multiprocessor];
        const std::int64_t at = start_of_block(now);
        progress_[launch].started = std::min(progress_[launch].started, at);
        links_.placements[multiprocessor].put(
            Placement{.grid = grid,
                      .launch = launch,
                      .block = next_block_,
                      .warp_slots = residency.enter(grid.code->demand),
                      .placed = now,
                      .at = at});
        if (++next_block_ == grid.code->blocks) {
            leave_queue(now);
            continue;
        }
        update_room(multiprocessor);
        if (rooms_[multiprocessor] == 0) fitting_.erase(chosen);
    }
}

void BlockDispatcher::tick(std::int64_t now) {
    for (std::size_t multiprocessor = 0; multiprocessor < links_.ends.size(); ++multiprocessor)
        for (const BlockEnded& ended : links_.ends[multiprocessor].messages())
            receive(multiprocessor, ended);
    for (const LaunchQueued& launch : links_.launches.messages())
        queue_.push_back(launch);
    dispatch(now);
    wake_ = queue_.empty() || queue_.front().ready_at <= now ? never : queue_.front().ready_at;
}

} // namespace warpbound::harness::simulator
