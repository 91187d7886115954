// Memory queues of the schedulers (C71), the memory path of the SM (C72, C73), from the issues and
// hand-overs in order.

#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace warpbound::tests {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// The path of one SM.
class Path {
public:
    explicit Path(RecordedLaunch& run) : run_{run} {}

    void add(int scheduler, const std::vector<const Issue*>& in_order) {
        queues_[scheduler].in_order = in_order;
    }

    void check() {
        std::size_t left = 0;
        for (const auto& [scheduler, queue] : queues_)
            left += queue.in_order.size();
        for (; left > 0; --left)
            take();
    }

private:
    struct Queue {
        std::vector<const Issue*> in_order;
        std::size_t next = 0;
        std::int64_t next_at = 0; ///< Its scheduler may hand over again.

        [[nodiscard]] std::int64_t ready_at() const {
            if (next == in_order.size()) return never;
            const Issue& issue = *in_order[next];
            return std::max(issue.event.cycle + issue.handed_over.front().entry, next_at);
        }
    };

    /// The next hand-over: of the queues' first instructions the one that was handed over first.
    void take() {
        int from = 0;
        std::int64_t at = never;
        std::int64_t ready = never;
        for (const auto& [scheduler, queue] : queues_) {
            ready = std::min(ready, queue.ready_at());
            if (queue.next == queue.in_order.size()) continue;
            const std::int64_t handed = queue.in_order[queue.next]->handed_over.front().cycle;
            if (handed < at) {
                at = handed;
                from = scheduler;
            }
        }
        Queue& queue = queues_[from];
        const Issue& issue = *queue.in_order[queue.next];
        const auto& handed = issue.handed_over.front();
        if (at != std::max(ready, free_at_))
            run_.report_issue(issue, fmt::format("C72: handed over at {} instead of {}", at,
                                                 std::max(ready, free_at_)));
        if (at < queue.ready_at())
            run_.report_issue(
                issue, fmt::format("C72: handed over at {}, before {}", at, queue.ready_at()));
        check_values(issue);
        check_turn(issue, from);
        free_at_ = handed.until;
        queue.next_at = handed.next;
        ++queue.next;
        last_ = from;
    }

    void check_values(const Issue& issue) {
        const auto& handed = issue.handed_over.front();
        const InstructionTiming& timing = run_.timing(issue);
        const Interval least = timing.least_occupancy;
        if (!within(handed.entry, timing.queue->entry.lo, timing.queue->entry.hi))
            run_.report_issue(issue, fmt::format("C72: its entry takes {}", handed.entry));
        const Interval interval = value_of(run_.machine.memory_queue, "interval");
        if (!within(handed.next - handed.cycle, interval.lo, std::max(interval.hi, returns(issue))))
            run_.report_issue(issue, fmt::format("C72: its scheduler waits until {}", handed.next));
        if (!within(handed.until - handed.cycle,
                    std::max(least.lo, port_use(timing, issue.event.passes).lo),
                    std::max(least.hi, port_use(timing, issue.event.passes).hi)))
            run_.report_issue(issue, fmt::format("C72: occupies the path until {}", handed.until));
    }

    /// C92: until all its registers have returned.
    [[nodiscard]] std::int64_t returns(const Issue& issue) const {
        const auto* each = run_.machine.memory_queue.find("load-return");
        if (each == nullptr) return 0;
        std::int64_t registers = 0;
        for (const auto& reg : run_.effects[issue.event.instruction].writes)
            registers += reg.file == assembly::RegisterFile::General ? 1 : 0;
        return registers * each->interval->hi;
    }

    /// C73: no other scheduler that could hand over comes first after the one before.
    void check_turn(const Issue& issue, int from) {
        if (!last_) return;
        const auto key = [&](int scheduler) {
            return scheduler > *last_ ? scheduler : scheduler + run_.schedulers;
        };
        for (const auto& [scheduler, queue] : queues_)
            if (key(scheduler) < key(from) && queue.ready_at() <= issue.handed_over.front().cycle)
                run_.report_issue(issue,
                                  fmt::format("C73: it is the turn of scheduler {}", scheduler));
    }

    RecordedLaunch& run_;
    std::map<int, Queue> queues_; ///< By scheduler.
    std::int64_t free_at_ = 0;
    std::optional<int> last_; ///< Scheduler.
};

} // namespace

void check_memory_queues(RecordedLaunch& run) {
    if (!run.machine.has_memory_queue()) return;
    for (const WarpRecord& warp : run.warps)
        for (const Issue& issue : warp.issues) {
            const bool queues = issue.event.executed && run.timing(issue).queue.has_value();
            if (issue.handed_over.size() != (queues ? 1U : 0U))
                return run.report_issue(
                    issue, fmt::format("C72: is handed over {} times", issue.handed_over.size()));
            if (queues) run.queued[run.scheduler_of(issue)].push_back(&issue);
        }
    std::map<int, Path> paths; // By SM.
    for (auto& [scheduler, in_order] : run.queued) {
        std::sort(in_order.begin(), in_order.end(), [](const Issue* a, const Issue* b) {
            return a->event.cycle != b->event.cycle ? a->event.cycle < b->event.cycle
                                                    : a->event.number < b->event.number;
        });
        paths.try_emplace(scheduler / run.schedulers, run).first->second.add(scheduler, in_order);
    }
    for (const auto& [scheduler, in_order] : run.queued)
        for (const Issue* issue : in_order)
            if (const auto free = run.place_free_at(*issue, issue->event.cycle, nullptr);
                free > issue->event.cycle)
                run.report_issue(*issue,
                                 fmt::format("C71: its queue has no place before {}", free));
    for (auto& [multiprocessor, path] : paths)
        path.check();
}

} // namespace warpbound::tests
