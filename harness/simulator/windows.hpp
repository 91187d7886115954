#pragma once
/// \file
/// Runs the SMs of a machine one window after the other, spread over threads.

#include "harness/simulator/machine_parts.hpp"
#include "harness/simulator/parallel/crew.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// How far SMs may run ahead of each other. `Unit:` cycles. 0: they have to share a clock.
/// Several launches need one, as a launch may start on any SM at any time, and a single SM has
/// nothing to run ahead of.
std::int64_t lookahead_of(const RunPlan& plan);

/// Results and events are those of a run with one clock, whatever the number of threads.
class Windows {
public:
    /// Requires: parts with own clocks, and `lookahead` > 0. `limit`: the last cycle.
    Windows(MachineParts& parts, std::int64_t lookahead, std::int64_t limit, unsigned threads)
        : parts_{parts}, processes_{parts.processes()},
          lookahead_{lookahead}, limit_{limit}, crew_{threads} {}

    /// Runs to the end. Returns the last cycle that was executed; none: the limit was reached.
    std::optional<std::int64_t> run();

private:
    [[nodiscard]] std::int64_t next() const;
    void run_window(std::int64_t from, std::int64_t end);
    void run_processes(std::int64_t from, std::int64_t end);
    /// Runs those in `running_`.
    void run_all(std::int64_t from, std::int64_t until);
    /// The earliest question of all processes.
    [[nodiscard]] std::optional<LogicalProcess::Place> first_question() const;
    void answer(const LogicalProcess::Place& question);
    void complete_launch();
    [[nodiscard]] std::int64_t last_cycle() const;

    MachineParts& parts_;
    std::deque<LogicalProcess>& processes_;
    std::int64_t lookahead_;
    std::int64_t limit_;
    Crew crew_;
    std::vector<LogicalProcess*> running_;
};

} // namespace warpbound::harness::simulator
