#include "harness/simulator/parallel/logical_process.hpp"

#include <stdexcept>

namespace warpbound::harness::simulator {

LogicalProcess::LogicalProcess(const TickOrder& order, bool logs)
    : keep_{logs ? Listener{[this](const Event& event) { events_.push_back(event); }} : Listener{}},
      log_{keep_}, clock_{order} {}

void LogicalProcess::ask_over(Link<BlockEnded>& local, Link<BlockEnded>& remote) {
    clock_.add(ends_.emplace_back(local, remote, asks_).kept);
}

void LogicalProcess::ask_over(Link<AtomicIssue>& local, Link<AtomicIssue>& remote) {
    clock_.add(atomics_.emplace_back(local, remote, asks_).kept);
}

void LogicalProcess::request_over(Link<MemoryRequest>& local, Link<MemoryRequest>& remote) {
    clock_.add(requests_.emplace(Sink{local}));
    remote_requests_ = &remote;
}

void LogicalProcess::answer_over(Link<MemoryAnswer>& local, Link<MemoryAnswer>& remote,
                                 Clock& of_remote) {
    clock_.add(answers_.emplace(Source{local}));
    of_remote.add(remote_answers_.emplace(Sink{remote}));
}

void LogicalProcess::run(std::int64_t from, std::int64_t end) {
    if (in_cycle_) clock_.publish();
    for (;;) {
        if (!in_cycle_) {
            const std::int64_t next = clock_.has_mail() ? from : clock_.next();
            if (next >= end) return;
            if (next < clock_.now()) throw std::logic_error{"a message for the past"};
            clock_.begin(next);
            in_cycle_ = true;
            step_ = 0;
        }
        while (clock_.tick()) {
            ++step_;
            if (asks_) return;
            clock_.publish();
        }
        in_cycle_ = false;
        if (expects_no_block_) note_quiet();
    }
}

void LogicalProcess::note_quiet() {
    if (!multiprocessor_->is_quiet(0))
        quiet_since_ = never;
    else if (quiet_since_ == never)
        quiet_since_ = clock_.now();
}

void LogicalProcess::pass_question() {
    const auto pass = [](auto& questions) {
        for (auto& [kept, remote] : questions)
            kept.empty_into([&](const auto& dated) { remote->put(dated.message); });
    };
    pass(ends_);
    pass(atomics_);
    asks_ = false;
}

bool LogicalProcess::pass_requests() {
    bool passed = false;
    if (requests_)
        requests_->empty_into([&](const Dated<MemoryRequest>& dated) {
            remote_requests_->put(dated.message);
            passed = true;
        });
    return passed;
}

void LogicalProcess::take_answers() {
    if (!remote_answers_) return;
    remote_answers_->empty_into([&](const Dated<MemoryAnswer>& dated) { answers_->add(dated); });
    clock_.reset(*answers_);
}

void LogicalProcess::pass_events(EventLog& to, std::int64_t end) {
    log_.flush(end - 1);
    for (const Event& event : events_)
        to.add(event);
    events_.clear();
}

} // namespace warpbound::harness::simulator
