#include "harness/simulator/windows.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace warpbound::harness::simulator {

namespace {

/// Where nothing but the end of a block concerns other SMs. Bounds how long a run cannot be
/// stopped.
constexpr std::int64_t longest_window = 4'096;
/// Less work than to execute so many cycles is done before other threads notice it.
constexpr std::int64_t worth_sharing = 400;

} // namespace

std::int64_t lookahead_of(const RunPlan& plan) {
    if (plan.machine.multiprocessors < 2 || plan.grids.size() != 1 || plan.steps.size() != 1)
        return 0;
    return plan.machine.memory ? std::min(plan.machine.memory->transit.lo, longest_window)
                               : longest_window;
}

std::optional<std::int64_t> Windows::run() {
    for (;;) {
        check_stop("the simulated run");
        const std::int64_t from = next();
        if (from == never) return last_cycle();
        if (from > limit_) {
            if (parts_.log().has_listener()) parts_.log().flush(last_cycle());
            return std::nullopt;
        }
        Clock& clock = parts_.clock();
        if (clock.next() <= from) clock.advance(from);
        run_window(from, std::min({from + lookahead_, clock.next(), limit_ + 1}));
        complete_launch();
    }
}

std::int64_t Windows::next() const {
    std::int64_t next = std::min(parts_.clock().next(), parts_.memory_clock().next());
    for (const LogicalProcess& process : processes_)
        next = std::min(next, process.next());
    return next;
}

std::int64_t Windows::last_cycle() const {
    std::int64_t last = std::max(parts_.clock().now(), parts_.memory_clock().now());
    for (const LogicalProcess& process : processes_)
        last = std::max(last, process.now());
    return last;
}

void Windows::run_window(std::int64_t from, std::int64_t end) {
    Clock& memory = parts_.memory_clock();
    while (memory.next() < end)
        memory.advance(memory.next());
    for (LogicalProcess& process : processes_)
        process.take_answers();
    run_processes(from, end);
    bool requested = false;
    for (LogicalProcess& process : processes_)
        requested = process.pass_requests() || requested;
    // They arrive at their slices later.
    if (requested) memory.advance(end - 1);
    EventLog& log = parts_.log();
    if (!log.has_listener()) return;
    for (LogicalProcess& process : processes_)
        process.pass_events(log, end);
    // The host will learn of the end of the launch at the cycle in which it became complete. Beyond
    // the limit nothing happens.
    if (parts_.dispatcher().ended().empty() && end <= limit_) log.flush(end - 1);
}

void Windows::run_processes(std::int64_t from, std::int64_t end) {
    for (std::int64_t until = end;;) {
        running_.clear();
        for (LogicalProcess& process : processes_)
            if (!process.question() && process.has_work(until)) running_.push_back(&process);
        run_all(from, until);
        const auto question = first_question();
        if (question)
            answer(*question);
        else if (until == end)
            return;
        // Nobody has to run beyond the first question that is left.
        const auto left = first_question();
        until = left ? left->cycle + 1 : end;
    }
}

void Windows::run_all(std::int64_t from, std::int64_t until) {
    const auto run = [&](std::size_t i) { running_[i]->run(from, until); };
    if ((until - from) * static_cast<std::int64_t>(running_.size()) >= worth_sharing)
        return crew_.run(running_.size(), run);
    for (std::size_t i = 0; i < running_.size(); ++i)
        run(i);
}

std::optional<LogicalProcess::Place> Windows::first_question() const {
    std::optional<LogicalProcess::Place> first;
    for (const LogicalProcess& process : processes_)
        if (const auto question = process.question(); question && (!first || *question < *first))
            first = question;
    return first;
}

/// All SMs have executed what comes before the question.
void Windows::answer(const LogicalProcess::Place& question) {
    running_.clear();
    for (LogicalProcess& process : processes_)
        if (process.question() == question) {
            process.pass_question();
            running_.push_back(&process);
        }
    parts_.clock().advance(question.cycle);
    if (parts_.dispatcher().has_waiting_blocks()) return;
    for (LogicalProcess* process : running_)
        process->expect_no_block();
}

void Windows::complete_launch() {
    if (parts_.dispatcher().ended().empty() || !parts_.is_quiet(0)) return;
    std::int64_t complete = parts_.clock().now();
    for (const LogicalProcess& process : processes_)
        complete = std::max(complete, process.quiet_since());
    parts_.complete_launches(complete);
}

} // namespace warpbound::harness::simulator
