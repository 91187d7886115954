#pragma once
/// \file
/// A multiprocessor that runs ahead of the others as far as none of them can affect it.
///
/// A *logical process* of a conservative parallel simulation (Chandy and Misra 1979; Fujimoto
/// 1990): it has a clock and an event log of its own.
///
///     window    [from, end): the memory system has been run to `end` before the processes, since
///               what they send arrives there at `end` or later (the lookahead)
///     question  a message that the dispatcher or the atomic units answer in the same cycle: the
///               process stops after the step in which they would receive it, until it is answered

#include "harness/simulator/clock/clock.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/launch/messages.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/parallel/crossing.hpp"
#include "harness/simulator/sm/multiprocessor.hpp"

#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

class LogicalProcess {
public:
    /// A step of a cycle, the first one being 1.
    struct Place {
        std::int64_t cycle = 0;
        std::int64_t step = 0;
        friend auto operator<=>(const Place&, const Place&) = default;
    };

    /// `logs`: keeps events until `pass_events`.
    LogicalProcess(const TickOrder& order, bool logs);
    LogicalProcess(const LogicalProcess&) = delete;
    LogicalProcess& operator=(const LogicalProcess&) = delete;
    LogicalProcess(LogicalProcess&&) = delete;
    LogicalProcess& operator=(LogicalProcess&&) = delete;
    ~LogicalProcess() = default;

    [[nodiscard]] Clock& clock() { return clock_; }
    [[nodiscard]] EventLog& log() { return log_; }

    // Connections between a link of this clock and one of another, made before the first run.
    void ask_over(Link<BlockEnded>& local, Link<BlockEnded>& remote);
    void ask_over(Link<AtomicIssue>& local, Link<AtomicIssue>& remote);
    void request_over(Link<MemoryRequest>& local, Link<MemoryRequest>& remote);
    void answer_over(Link<MemoryAnswer>& local, Link<MemoryAnswer>& remote, Clock& of_remote);
    void run_with(const MultiProcessor& multiprocessor) { multiprocessor_ = &multiprocessor; }

    /// The first cycle in which it has something to do; `never` where there is none.
    [[nodiscard]] std::int64_t next() const { return clock_.next(); }
    /// Whether there is something to do before `end`.
    [[nodiscard]] bool has_work(std::int64_t end) const {
        return in_cycle_ || clock_.has_mail() || clock_.next() < end;
    }
    /// The last cycle that began.
    [[nodiscard]] std::int64_t now() const { return clock_.now(); }
    /// Executes all cycles before `end`, unless it asks before. What was put into its links between
    /// cycles arrives in cycle `from`. Goes on behind a question.
    void run(std::int64_t from, std::int64_t end);
    /// Where it waits for an answer.
    [[nodiscard]] std::optional<Place> question() const {
        return asks_ ? std::optional{Place{clock_.now(), step_}} : std::nullopt;
    }
    /// Passes the question on to the other clock. It goes on with the next `run`.
    void pass_question();
    /// No further block will come.
    void expect_no_block() { expects_no_block_ = true; }

    /// Passes requests to the memory system. Returns whether there were any.
    bool pass_requests();
    /// Takes the answers that the memory system has given.
    void take_answers();
    /// Passes the events before `end` on.
    void pass_events(EventLog& to, std::int64_t end);

    /// The cycle since whose end it has been quiet (`MultiProcessor::is_quiet`), noted from when no
    /// block was expected on; `never` while it is not.
    [[nodiscard]] std::int64_t quiet_since() const { return quiet_since_; }

private:
    void note_quiet();

    std::vector<Event> events_;
    Listener keep_;
    EventLog log_;
    Clock clock_;
    const MultiProcessor* multiprocessor_ = nullptr;
    bool asks_ = false;
    bool in_cycle_ = false;
    std::int64_t step_ = 0;
    bool expects_no_block_ = false;
    std::int64_t quiet_since_ = 0;

    template <typename Message> struct Questions {
        Questions(Link<Message>& local, Link<Message>& remote_link, bool& asks)
            : kept{Sink{local}, &asks}, remote{&remote_link} {}
        Outbox<Message> kept;
        Link<Message>* remote;
    };
    std::deque<Questions<BlockEnded>> ends_;
    std::deque<Questions<AtomicIssue>> atomics_;
    std::optional<Outbox<MemoryRequest>> requests_;
    Link<MemoryRequest>* remote_requests_ = nullptr;
    std::optional<Outbox<MemoryAnswer>> remote_answers_; ///< Ticks with the memory system.
    std::optional<Inbox<MemoryAnswer>> answers_;
};

} // namespace warpbound::harness::simulator
