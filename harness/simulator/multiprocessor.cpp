#include "harness/simulator/multiprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

MultiProcessor::MultiProcessor(std::size_t number, const Plugs& plugs, const MachineShape& machine,
                               const RunOptions& options, Precedence precedence, Clock& clock,
                               EventLog& log, std::vector<models::WarpObservation>& finished)
    : buffer_room_at_{clock.board(), 0} {
    for (std::size_t port = 0; port < machine.core_ports; ++port)
        ports_free_at_.emplace_back(clock.board(), 0);
    SharedView shared{.ports_free_at = {}, .buffer_room_at = &buffer_room_at_};
    IssueArbiter::Plugs to_arbiter{
        .requests = {}, .answers = {}, .ports_free_at = {}, .buffer_room_at = &buffer_room_at_};
    for (auto& port : ports_free_at_) {
        shared.ports_free_at.push_back(&port);
        to_arbiter.ports_free_at.push_back(&port);
    }
    ResidentBlocks::Plugs to_blocks{plugs.placements, plugs.ends, {}, {}};
    const auto places = static_cast<std::size_t>(machine.warp_places);
    for (std::size_t index = 0; index < machine.schedulers; ++index) {
        auto& request = requests_.emplace_back(clock.board());
        auto& answer = answers_.emplace_back(clock.board());
        auto& report = reports_.emplace_back(clock.board());
        auto& order = orders_.emplace_back(clock.board());
        to_arbiter.requests.emplace_back(request);
        to_arbiter.answers.emplace_back(answer);
        to_blocks.reports.emplace_back(report);
        to_blocks.orders.emplace_back(order);
        const WarpScheduler::Config config{.multiprocessor = number,
                                           .index = index,
                                           .warps = (places + machine.schedulers - 1 - index) /
                                                    machine.schedulers};
        schedulers_.emplace_back(config,
                                 WarpScheduler::Plugs{.requests = Source{request},
                                                      .answers = Sink{answer},
                                                      .reports = Source{report},
                                                      .orders = Sink{order},
                                                      .shared = shared},
                                 machine, options, log, finished);
        clock.add(schedulers_.back());
    }
    clock.add(arbiter_.emplace(std::move(to_arbiter), number, machine, options, precedence, log));
    clock.add(blocks_.emplace(std::move(to_blocks), number, options));
}

std::optional<Failure> MultiProcessor::failure() const {
    for (const WarpScheduler& scheduler : schedulers_)
        if (scheduler.failure()) return scheduler.failure();
    return std::nullopt;
}

std::vector<std::string> MultiProcessor::waiting() const {
    std::vector<std::pair<int, std::string>> found;
    for (const WarpScheduler& scheduler : schedulers_)
        for (const Warp& warp : scheduler.warps())
            if (warp.is_live() && warp.waits_at())
                found.emplace_back(warp.number(),
                                   fmt::format("warp {} of block {} at barrier {}",
                                               warp.observation().warp, warp.observation().block,
                                               *warp.waits_at()));
    std::sort(found.begin(), found.end());
    std::vector<std::string> words;
    words.reserve(found.size());
    for (auto& [number, text] : found)
        words.push_back(std::move(text));
    return words;
}

} // namespace warpbound::harness::simulator
