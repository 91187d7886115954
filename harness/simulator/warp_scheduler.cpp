#include "harness/simulator/warp_scheduler.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

WarpScheduler::WarpScheduler(const Config& config, Plugs plugs, const MachineShape& machine,
                             const RunOptions& options, EventLog& log,
                             std::vector<models::WarpObservation>& finished)
    : config_{config}, plugs_{std::move(plugs)}, machine_{&machine}, log_{&log},
      finished_{&finished}, chance_{options.draw,
                                    RandomStream{options.seed, StreamOf::Scheduler,
                                                 config.multiprocessor * machine.schedulers +
                                                     config.index}},
      warps_(config.warps, Warp{machine, options, log}), slots_(config.warps, 0),
      ports_(machine.partition_ports), arbitration_{make_arbitration(machine.policy, warps_,
                                                                     machine.issue_slot.hi,
                                                                     chance_)} {
    plugs_.answers.read_by(*this);
    plugs_.orders.read_by(*this);
}

std::int64_t WarpScheduler::port_at(const Warp& warp) const {
    const PortName& port = warp.operation().port;
    if (!warp.executes() || port.scope == models::UnitScope::Warp) return 0;
    return port.scope == models::UnitScope::Partition
               ? ports_[port.index].free_at
               : plugs_.shared.ports_free_at[port.index]->visible();
}

std::int64_t WarpScheduler::buffer_at(const Warp& warp) const {
    if (!warp.executes() || !warp.operation().enters_write_buffer) return 0;
    return plugs_.shared.buffer_room_at->visible();
}

std::int64_t WarpScheduler::earliest(const Warp& warp) const {
    if (warp.ready_at() == never) return never;
    return std::max({warp.ready_at(), port_at(warp), buffer_at(warp)});
}

void WarpScheduler::start(std::size_t slot, const Placement& block) {
    for (std::size_t in_block = 0; in_block < block.places.size(); ++in_block) {
        const std::size_t index = block.places[in_block];
        if (index % machine_->schedulers != config_.index) continue;
        const std::size_t place = index / machine_->schedulers;
        Warp& warp = warps_[place];
        const auto started = warp.start(block.grid, block.block, in_block, block.at);
        if (!started && !failure_) failure_ = started.error();
        slots_[place] = slot;
        if (log_->is_heard())
            log_->add(WarpStarted{.cycle = block.at,
                                  .warp = warp.number(),
                                  .multiprocessor = static_cast<int>(config_.multiprocessor),
                                  .scheduler = static_cast<int>(config_.index),
                                  .place = static_cast<int>(place)});
        arbitration_->started(place, block.at);
    }
}

void WarpScheduler::obey(const BlockOrder& order) {
    if (order.kind == BlockOrder::Kind::Start) return start(order.slot, order.placement);
    for (std::size_t warp = 0; warp < warps_.size(); ++warp)
        if (slots_[warp] == order.slot && warps_[warp].waits_at() == order.barrier)
            warps_[warp].release(order.at);
}

void WarpScheduler::issue(std::size_t warp, std::int64_t now, const Waits& waits, bool paired) {
    Warp& chosen = warps_[warp];
    const Operation& operation = chosen.operation();
    if (chosen.executes() && operation.port.scope == models::UnitScope::Partition)
        ports_[operation.port.index].occupy(now, chosen.occupancy());
    if (!paired) {
        next_choice_ = now + chance_.draw(machine_->issue_slot);
        arbitration_->chosen(warp);
    }
    const bool arrives = chosen.executes() && operation.barrier;
    chosen.issue(now, waits);
    paired_.reset();
    if (arrives)
        plugs_.reports.put(WarpReport{.slot = slots_[warp],
                                      .barrier = operation.barrier,
                                      .barrier_warps = operation.barrier_warps});
    if (!chosen.is_live()) {
        (*finished_)[static_cast<std::size_t>(chosen.number())] = chosen.observation();
        plugs_.reports.put(WarpReport{
            .slot = slots_[warp], .barrier = std::nullopt, .completes = chosen.completion()});
    } else if (!chosen.waits_at() && chosen.is_paired(now)) {
        paired_ = warp;
    }
}

bool WarpScheduler::try_issue(std::size_t warp, std::int64_t now, bool paired) {
    const Warp& chosen = warps_[warp];
    const Waits waits =
        log_->is_heard() ? chosen.waits(port_at(chosen), buffer_at(chosen)) : Waits{};
    const Operation& operation = chosen.operation();
    const bool core_port = operation.port.scope == models::UnitScope::Core;
    if (!chosen.executes() || (!core_port && !operation.enters_write_buffer)) {
        issue(warp, now, waits, paired);
        return true;
    }
    IssueRequest request{.port = std::nullopt,
                         .occupancy = chosen.occupancy(),
                         .store = operation.enters_write_buffer,
                         .passes = chosen.passes(),
                         .warp = chosen.number(),
                         .issued = chosen.issued()};
    if (core_port) request.port = operation.port.index;
    plugs_.requests.put(request);
    asked_ = Asked{.warp = warp, .waits = waits, .paired = paired};
    return false;
}

void WarpScheduler::choose(std::int64_t now) {
    wake_ = never;
    for (;;) {
        if (paired_) {
            const std::size_t warp = *paired_;
            if (earliest(warps_[warp]) <= now) {
                if (!try_issue(warp, now, true)) return;
            } else {
                paired_.reset();
            }
            continue;
        }
        std::int64_t soonest = never;
        std::optional<std::size_t> chosen;
        for (const std::size_t warp : arbitration_->candidates(now)) {
            std::int64_t at = earliest(warps_[warp]);
            if (at == never) continue;
            at = arbitration_->turn(warp, std::max({at, next_choice_, now}));
            if (at <= now) {
                chosen = warp;
                break;
            }
            soonest = std::min(soonest, at);
        }
        if (!chosen) {
            wake_ = std::min(soonest, arbitration_->wake());
            return;
        }
        if (!try_issue(*chosen, now, false)) return;
    }
}

void WarpScheduler::tick(std::int64_t now) {
    bool changed = now >= wake_;
    for (const BlockOrder& order : plugs_.orders.messages()) {
        obey(order);
        changed = true;
    }
    for (const IssueAnswer& answer : plugs_.answers.messages()) {
        const Asked asked = *asked_;
        asked_.reset();
        changed = true;
        if (!answer.granted) continue;
        warps_[asked.warp].completes_after(answer.drains);
        issue(asked.warp, now, asked.waits, asked.paired);
    }
    // While a question is open the search waits; the answer comes in this cycle.
    if (changed && !asked_)
        choose(now);
    else if (asked_)
        wake_ = never;
}

} // namespace warpbound::harness::simulator
