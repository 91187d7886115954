#pragma once
/// \file
/// The clock of the simulated machine: ticks the components that have something to do in a cycle.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/clock/wake_times.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator {

/// Reorders the components that tick in a step. No result depends on the order.
using TickOrder = std::function<void(std::span<Component*>)>;

class Clock {
public:
    explicit Clock(TickOrder order = {}) : order_{std::move(order)} {}
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    Clock(Clock&&) = delete;
    Clock& operator=(Clock&&) = delete;
    ~Clock() = default;

    /// For the links and staged values of the machine.
    [[nodiscard]] ClockedState& clocked_state() { return clocked_state_; }
    void add(Component& component);
    /// Between cycles: the wake time of the component has changed.
    void reset(const Component& component) { wakes_.set(component.clock_index_, component.wake()); }
    /// The first cycle in which a component wakes; `never` when none will.
    [[nodiscard]] std::int64_t next() const { return wakes_.earliest(); }
    /// Runs all steps of a cycle. Requires: now >= all earlier cycles.
    void advance(std::int64_t now);

    // The same in parts: begin, then tick and publish in turn until tick returns false.
    /// What was put before the cycle is visible in its first step.
    void begin(std::int64_t now);
    /// The components of the next step tick. False: none has to, and the cycle has ended.
    bool tick();
    /// Ends the step: what was staged in it becomes visible.
    void publish() { clocked_state_.propagate(*scheduled_); }

    /// The last cycle that began.
    [[nodiscard]] std::int64_t now() const { return now_; }
    /// Something was put between cycles.
    [[nodiscard]] bool has_mail() const { return clocked_state_.has_staged(); }

private:
    TickOrder order_;
    ClockedState clocked_state_;
    WakeTimes wakes_;
    std::vector<Component*> components_;
    std::vector<std::size_t> waking_;
    std::array<std::vector<Component*>, 2> steps_; ///< Those that tick in a step and in the next.
    std::vector<Component*>* scheduled_ = &steps_[0];
    std::vector<Component*>* ticking_ = &steps_[1];
    std::vector<Component*> ticked_; ///< In this cycle, each component once.
    std::int64_t now_ = 0;
};

} // namespace warpbound::harness::simulator
