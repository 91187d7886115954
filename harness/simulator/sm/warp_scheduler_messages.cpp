/// \file
/// What a scheduler tells the other parts of its multiprocessor, and what it learns from them.

#include "harness/simulator/sm/warp_scheduler.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

bool WarpScheduler::receive_from_pipeline(std::int64_t now) {
    bool received = false;
    if (links_.line_arrivals)
        for (const LineArrivals& arrivals : links_.line_arrivals->messages())
            for (const auto& arrival : l0_->receive(arrivals)) {
                warps_[arrival.warp_slot].receive_line(arrival.at);
                keep_time(arrival.warp_slot);
                received = true;
            }
    if (links_.fetched)
        for (const Fetched& fetched : links_.fetched->messages()) {
            warps_[fetched.warp_slot].fill_buffer(fetched.count, now + 1);
            keep_time(fetched.warp_slot);
            received = true;
        }
    if (links_.constant_answers)
        for (const ConstantAnswer& answer : links_.constant_answers->messages()) {
            warps_[answer.warp_slot].receive_constants(answer.at);
            keep_time(answer.warp_slot);
            received = true;
        }
    if (links_.results)
        for (const ResultNotice& notice : links_.results->messages()) {
            PendingResults& of_launch = pending_results_of(notice.launch);
            if (notice.at) --of_launch.expected;
            if (!complete(notice.warp_slot, notice.warp, notice.number, notice.at,
                          notice.sources_read))
                of_launch.late = std::max(
                    {of_launch.late, notice.at.value_or(0), notice.sources_read.value_or(0)});
            received = true;
        }
    return received;
}

bool WarpScheduler::complete(std::size_t warp_slot, int warp, std::int64_t number,
                             std::optional<std::int64_t> at,
                             std::optional<std::int64_t> sources_read) {
    if (at && write_ports_ && write_ports_->become_due(warp, number, *at)) {
        at.reset();
        if (!sources_read) return true;
    }
    const bool is_live = warps_[warp_slot].complete(warp, number, at, sources_read);
    if (is_live) keep_time(warp_slot);
    return is_live;
}

WarpScheduler::PendingResults& WarpScheduler::pending_results_of(std::size_t launch) {
    if (launch >= pending_results_.size()) pending_results_.resize(launch + 1);
    return pending_results_[launch];
}

MemoryIssue WarpScheduler::memory_issue(std::size_t warp_slot) {
    Warp& warp = warps_[warp_slot];
    const Operation& operation = warp.operation();
    MemoryIssue issue{.store = operation.enters_write_buffer,
                      .tag = warp_slot,
                      .launch = launches_[warp_slot],
                      .warp = warp.number(),
                      .number = warp.next_number(),
                      .access = nullptr,
                      .execution = {},
                      .active = warp.active_lanes(),
                      .recorded = nullptr,
                      .passes = warp.passes(),
                      .most_sectors = warp.most_sectors(),
                      .pass_cost = operation.result_is_notified ? warp.draw_pass_cost() : 0};
    if (operation.through_caches || (operation.is_atomic && operation.access)) {
        issue.access = &warp.access();
        issue.execution = warp.execution();
        issue.recorded = warp.recorded_addresses();
    }
    return issue;
}

void WarpScheduler::prepare_messages(std::size_t warp) {
    const Operation& operation = warps_[warp].operation();
    if (machine_->memory && (operation.enters_write_buffer || operation.result_is_notified))
        to_memory_ = memory_issue(warp);
    // A load behind a memory queue goes to the load/store unit at its hand-over (C74).
    if (to_memory_ && links_.memory && !(operation.queues && operation.result_is_notified))
        links_.memory->issues.put(*to_memory_);
    if (operation.is_atomic)
        to_atomics_ = AtomicIssue{.access = memory_issue(warp),
                                  .instruction = warps_[warp].instruction(),
                                  .delay = 0,
                                  .slice_time = operation.slice_time};
}

void WarpScheduler::send_to_collectors(std::size_t warp) {
    const Warp& issuing = warps_[warp];
    const Warp::Deferral& deferred = *issuing.deferral();
    CollectOrder order{
        .code = &issuing.code(),
        .launch = launches_[warp],
        .warp = issuing.number(),
        .instruction = deferred.instruction,
        .number = deferred.number,
        .occupancy = deferred.occupancy,
        .delay = deferred.delay,
        .source_read = deferred.source_read,
        .pool = pool_of(issuing.code().operations[deferred.instruction]),
        .warp_slot = warp_slot_on_sm(warp),
        .goes_to_memory = to_memory_.has_value(),
        .atomic = to_atomics_,
    };
    if (to_memory_) order.memory = *to_memory_;
    ++pending_results_of(order.launch).expected;
    links_.collects->put(order);
}

void WarpScheduler::put_into_queue(std::size_t warp, std::int64_t now) {
    const Warp::Deferral& issued = *warps_[warp].deferral();
    QueueOrder order{.warp_slot = warp,
                     .launch = launches_[warp],
                     .warp = warps_[warp].number(),
                     .instruction = issued.instruction,
                     .number = issued.number,
                     .issued = now,
                     .entry = warps_[warp].entry(),
                     .interval = warps_[warp].hand_over_interval(),
                     .occupancy = issued.occupancy,
                     .delay = issued.delay,
                     .source_read = issued.source_read,
                     .atomic = to_atomics_};
    if (warps_[warp].code().operations[issued.instruction].result_is_notified)
        order.load = to_memory_;
    ++pending_results_of(order.launch).expected;
    queue_places_->take();
    queue_free_at_ = queue_places_->free_at();
    links_.queue->orders.put(order);
}

bool WarpScheduler::receive_from_queue() {
    for (const HandOver& hand_over : links_.queue->hand_overs.messages()) {
        queue_places_->leave(hand_over.at);
        queue_free_at_ = queue_places_->free_at();
        const ResultNotice& notice = hand_over.notice;
        PendingResults& of_launch = pending_results_of(notice.launch);
        if (hand_over.atomic || hand_over.load)
            handed_over_.push_back(hand_over);
        else
            --of_launch.expected;
        if (!notice.at && !notice.sources_read) continue;
        if (!complete(notice.warp_slot, notice.warp, notice.number, notice.at, notice.sources_read))
            of_launch.late =
                std::max({of_launch.late, notice.at.value_or(0), notice.sources_read.value_or(0)});
    }
    return !links_.queue->hand_overs.messages().empty();
}

void WarpScheduler::send_handed_over(std::int64_t now) {
    while (!handed_over_.empty() && handed_over_.front().at <= now) {
        const HandOver& hand_over = handed_over_.front();
        --pending_results_of(hand_over.notice.launch).expected;
        if (hand_over.atomic) links_.atomics->issues.put(*hand_over.atomic);
        if (hand_over.load) links_.memory->issues.put(*hand_over.load);
        handed_over_.pop_front();
    }
}

bool WarpScheduler::receive_from_memory() {
    // The load/store unit accounts for results of ended warps.
    for (const ResultNotified& result : links_.memory->results.messages())
        complete(result.tag, result.warp, result.number, result.at);
    return !links_.memory->results.messages().empty() || !links_.memory->notices.messages().empty();
}

bool WarpScheduler::receive_from_atomics() {
    // The atomic units account for results of ended warps.
    for (const ResultNotified& result : links_.atomics->results.messages())
        complete(result.tag, result.warp, result.number, result.at);
    return !links_.atomics->results.messages().empty();
}

} // namespace warpbound::harness::simulator
