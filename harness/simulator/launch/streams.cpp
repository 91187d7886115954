#include "harness/simulator/launch/streams.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

HostStreams::HostStreams(Source<LaunchQueued> queued, const RunPlan& plan,
                         const RunOptions& options, EventLog& log)
    : queued_{queued}, plan_{&plan}, log_{&log}, random_{options.draw,
                                                         RandomStream{options.seed, StreamOf::Host,
                                                                      0}},
      operation_of_(plan.grids.size()), times_(plan.steps.size()),
      has_left_(plan.steps.size(), false), issues_at_{plan.steps.front().at} {
    std::size_t streams = 0;
    std::optional<std::size_t> null_before;
    for (std::size_t operation = 0; operation < plan.steps.size(); ++operation) {
        const HostStep& step = plan.steps[operation];
        if (step.is_launch()) operation_of_[step.launch] = operation;
        null_before_.push_back(null_before);
        if (step.stream)
            streams = std::max(streams, *step.stream + 1);
        else
            null_before = operation;
    }
    streams_.resize(streams + 1);
    wake_ = issues_at_;
}

HostStreams::Stream& HostStreams::stream_of(std::size_t operation) {
    return streams_[plan_->steps[operation].stream.value_or(streams_.size() - 1)];
}

void HostStreams::log_step(OperationStep step, std::size_t operation, std::int64_t at) {
    if (log_->has_listener())
        log_->add(OperationStepped{.cycle = at, .operation = operation, .step = step});
}

void HostStreams::complete(std::size_t launch, std::int64_t completion, std::int64_t leaves) {
    const std::size_t operation = operation_of_[launch];
    times_[operation].ended = completion;
    log_step(OperationStep::Ended, operation, completion);
    leaving_.push_back({operation, leaves});
    wake_ = std::min(wake_, leaves);
}

void HostStreams::issue(std::int64_t now) {
    issued_now_ = next_;
    while (next_ < plan_->steps.size() && issues_at_ <= now) {
        times_[next_].issued = now;
        log_step(OperationStep::Issued, next_, now);
        stream_of(next_).operations.push_back(next_);
        ++next_;
        const std::int64_t called = now + random_.draw(plan_->call);
        if (next_ < plan_->steps.size()) issues_at_ = std::max(called, plan_->steps[next_].at);
    }
}

void HostStreams::leave(std::size_t operation, std::int64_t now) {
    Stream& stream = stream_of(operation);
    stream.operations.pop_front();
    stream.queued = false;
    has_left_[operation] = true;
    ++left_;
    while (all_before_ < has_left_.size() && has_left_[all_before_])
        ++all_before_;
    log_step(OperationStep::Left, operation, now);
}

void HostStreams::end_copies(std::int64_t now) {
    for (Engine& engine : engines_) {
        if (engine.ends > now) continue;
        times_[*engine.running].ended = now;
        log_step(OperationStep::Ended, *engine.running, now);
        leave(*engine.running, now);
        engine.running.reset();
        engine.ends = never;
    }
}

bool HostStreams::may_enter(std::size_t operation) const {
    if (!plan_->steps[operation].stream) return all_before_ >= operation;
    return !null_before_[operation] || has_left_[*null_before_[operation]];
}

void HostStreams::enter_queues(std::int64_t now) {
    entering_.clear();
    for (const Stream& stream : streams_)
        if (!stream.operations.empty() && !stream.queued && may_enter(stream.operations.front()))
            entering_.push_back(stream.operations.front());
    for (std::size_t left = entering_.size(); left > 1; --left)
        std::swap(entering_[left - 1], entering_[static_cast<std::size_t>(
                                           random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    // Operations issued in this cycle keep their order relative to each other (C33).
    std::vector<std::size_t> issued;
    for (const std::size_t operation : entering_)
        if (operation >= issued_now_) issued.push_back(operation);
    std::sort(issued.begin(), issued.end());
    auto next_issued = issued.begin();
    for (std::size_t& operation : entering_)
        if (operation >= issued_now_) operation = *next_issued++;
    for (const std::size_t operation : entering_) {
        const HostStep& step = plan_->steps[operation];
        stream_of(operation).queued = true;
        times_[operation].queued = now;
        log_step(OperationStep::Queued, operation, now);
        if (step.is_launch())
            queued_.put(
                LaunchQueued{.launch = step.launch, .ready_at = now + random_.draw(step.cost)});
        else
            engines_.at(step.engine).queue.push_back(operation);
    }
}

void HostStreams::begin_copies(std::int64_t now) {
    for (Engine& engine : engines_) {
        if (engine.running || engine.queue.empty()) continue;
        const std::size_t operation = engine.queue.front();
        engine.queue.pop_front();
        engine.running = operation;
        engine.ends = now + random_.draw(plan_->steps[operation].cost);
        times_[operation].started = now;
        times_[operation].dispatched = now;
        log_step(OperationStep::Started, operation, now);
    }
}

void HostStreams::tick(std::int64_t now) {
    end_copies(now);
    const auto due = std::stable_partition(leaving_.begin(), leaving_.end(),
                                           [now](const Leaving& l) { return l.at > now; });
    for (auto leaving = due; leaving != leaving_.end(); ++leaving)
        leave(leaving->operation, now);
    leaving_.erase(due, leaving_.end());
    issue(now);
    enter_queues(now);
    begin_copies(now);
    wake_ = next_ < plan_->steps.size() ? issues_at_ : never;
    for (const Engine& engine : engines_)
        wake_ = std::min(wake_, engine.ends);
    for (const Leaving& leaving : leaving_)
        wake_ = std::min(wake_, leaving.at);
}

} // namespace warpbound::harness::simulator
