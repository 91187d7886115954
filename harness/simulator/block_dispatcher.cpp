#include "harness/simulator/block_dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

BlockDispatcher::BlockDispatcher(Plugs plugs, const MachineShape& machine,
                                 const std::vector<Grid>& grids, const RunOptions& options,
                                 bool piles_up)
    : plugs_{std::move(plugs)}, machine_{&machine}, grids_{&grids},
      chance_{options.draw, RandomStream{options.seed, StreamOf::Dispatcher, 0}},
      piles_up_{piles_up}, residences_(machine.multiprocessors, Residence{machine.capacity}),
      completions_(grids.size(), 0) {
    for (const auto& ends : plugs_.ends)
        ends.read_by(*this);
    find_room();
}

void BlockDispatcher::find_room() {
    with_room_.clear();
    if (next_launch_ == grids_->size()) return;
    const Demand& demand = (*grids_)[next_launch_].code->demand;
    for (std::size_t place = 0; place < residences_.size(); ++place)
        if (residences_[place].has_room(demand)) with_room_.push_back(place);
}

void BlockDispatcher::hear(std::size_t multiprocessor, const BlockEnded& ended) {
    residences_[multiprocessor].leave((*grids_)[ended.launch].code->demand, ended.places);
    --resident_;
    completions_[ended.launch] = std::max(completions_[ended.launch], ended.completes);
    if (next_launch_ == grids_->size()) return;
    const auto place = std::lower_bound(with_room_.begin(), with_room_.end(), multiprocessor);
    const bool is_known = place != with_room_.end() && *place == multiprocessor;
    if (!is_known && residences_[multiprocessor].has_room((*grids_)[next_launch_].code->demand))
        with_room_.insert(place, multiprocessor);
}

std::size_t BlockDispatcher::choose() {
    const auto drawn =
        static_cast<std::size_t>(chance_.draw(0, static_cast<std::int64_t>(with_room_.size()) - 1));
    if (!piles_up_) return drawn;
    std::size_t fullest = drawn; // Of equals the one that was drawn.
    for (std::size_t place = 0; place < with_room_.size(); ++place)
        if (residences_[with_room_[place]].blocks() > residences_[with_room_[fullest]].blocks())
            fullest = place;
    return fullest;
}

void BlockDispatcher::hand_out(std::int64_t now) {
    while (!with_room_.empty()) {
        const Grid& grid = (*grids_)[next_launch_];
        const auto chosen = with_room_.begin() + static_cast<std::ptrdiff_t>(choose());
        Residence& residence = residences_[*chosen];
        std::int64_t at = now;
        if (ready_) at += chance_.draw(*machine_->replacement) + chance_.draw(*machine_->start);
        plugs_.placements[*chosen].put(Placement{.grid = grid,
                                                 .launch = next_launch_,
                                                 .block = next_block_,
                                                 .places = residence.enter(grid.code->demand),
                                                 .at = at});
        ++resident_;
        if (++next_block_ == grid.code->blocks) {
            ++next_launch_;
            next_block_ = 0;
            find_room();
        } else if (!residence.has_room(grid.code->demand)) {
            with_room_.erase(chosen);
        }
    }
}

void BlockDispatcher::tick(std::int64_t now) {
    for (std::size_t multiprocessor = 0; multiprocessor < plugs_.ends.size(); ++multiprocessor)
        for (const BlockEnded& ended : plugs_.ends[multiprocessor].messages())
            hear(multiprocessor, ended);
    hand_out(now);
    ready_ = true;
}

} // namespace warpbound::harness::simulator
