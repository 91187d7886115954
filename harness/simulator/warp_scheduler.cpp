#include "harness/simulator/warp_scheduler.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

WarpScheduler::WarpScheduler(const Config& config, Plugs plugs, const KernelCode& code,
                             const RunOptions& options, EventLog& log,
                             std::vector<models::WarpObservation>& finished)
    : config_{config}, plugs_{std::move(plugs)}, code_{&code}, log_{&log}, finished_{&finished},
      chance_{options.draw, RandomStream{options.seed, StreamOf::Scheduler, config.index}},
      warps_(config.warps, Warp{code, options, log}),
      ports_(code.partition_ports), arbitration_{make_arbitration(code.policy, warps_,
                                                                  code.issue_slot.hi, chance_)} {}

std::size_t WarpScheduler::slot_of(std::size_t warp) const {
    return (warp * code_->schedulers + config_.index) /
           static_cast<std::size_t>(code_->warps_per_block);
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

void WarpScheduler::obey(const BlockOrder& order) {
    const auto per_block = static_cast<std::size_t>(code_->warps_per_block);
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
        if (slot_of(warp) != order.slot) continue;
        if (order.kind == BlockOrder::Kind::Release) {
            if (warps_[warp].waits_at() == order.barrier) warps_[warp].release(order.at);
            continue;
        }
        const std::size_t in_block = (warp * code_->schedulers + config_.index) % per_block;
        const auto index = static_cast<std::size_t>(order.block) * per_block + in_block;
        const auto started = warps_[warp].start(static_cast<int>(index), order.at);
        if (!started && !failure_) failure_ = started.error();
        if (log_->is_heard())
            log_->add(WarpStarted{.cycle = order.at,
                                  .warp = static_cast<int>(index),
                                  .scheduler = static_cast<int>(config_.index),
                                  .place = static_cast<int>(warp)});
        arbitration_->started(warp, order.at);
    }
}

void WarpScheduler::issue(std::size_t warp, std::int64_t now, const Waits& waits, bool paired) {
    Warp& chosen = warps_[warp];
    const Operation& operation = chosen.operation();
    if (chosen.executes() && operation.port.scope == models::UnitScope::Partition)
        ports_[operation.port.index].occupy(now, chosen.occupancy());
    if (!paired) {
        next_choice_ = now + chance_.draw(code_->issue_slot);
        arbitration_->chosen(warp);
    }
    chosen.issue(now, waits);
    paired_.reset();
    if (!chosen.is_live()) {
        (*finished_)[static_cast<std::size_t>(chosen.index())] = chosen.observation();
        plugs_.reports.put(WarpReport{.slot = slot_of(warp), .barrier = std::nullopt});
    } else if (chosen.waits_at()) {
        plugs_.reports.put(WarpReport{.slot = slot_of(warp), .barrier = chosen.waits_at()});
    } else if (chosen.is_paired(now)) {
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
                         .warp = chosen.index()};
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
        if (answer.granted) issue(asked.warp, now, asked.waits, asked.paired);
    }
    // While a question is open the search waits; the answer comes in this cycle.
    if (changed && !asked_)
        choose(now);
    else if (asked_)
        wake_ = never;
}

} // namespace warpbound::harness::simulator
