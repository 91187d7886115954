#pragma once
/// \file
/// The clock of the simulated machine: ticks the components that have something to do in a cycle.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator {

/// The cycle in which each of many sleeping components wakes, as a tournament tree. A change costs
/// the logarithm of their number.
class WakeTimes {
public:
    /// Adds a sleeper that never wakes. Returns its number.
    std::size_t add();
    void set(std::size_t sleeper, std::int64_t cycle);
    [[nodiscard]] std::int64_t earliest() const { return tree_[1]; }
    /// Appends the sleepers that wake up to `now`, by number.
    void collect(std::int64_t now, std::vector<std::size_t>& sleepers) const;

private:
    /// Each node holds the earlier wake time of its two children. The leaves are the second half,
    /// the root has index 1.
    std::vector<std::int64_t> tree_ = {never, never};
    std::size_t count_ = 0;
    mutable std::vector<std::size_t> unvisited_;
};

/// Reorders the components that tick in a step. No result depends on the order.
using TickOrder = std::function<void(std::span<Component*>)>;

class Clock {
public:
    explicit Clock(TickOrder order = {}) : order_{std::move(order)} {}

    /// For the links and staged values of the machine.
    [[nodiscard]] ClockedState& clocked_state() { return clocked_state_; }
    void add(Component& component);
    /// Between cycles: the wake time of the component has changed.
    void reset(const Component& component) { wakes_.set(component.clock_index_, component.wake()); }
    /// The first cycle in which a component wakes; `never` when none will.
    [[nodiscard]] std::int64_t next() const { return wakes_.earliest(); }
    /// Runs all steps of a cycle. Requires: now > all earlier cycles.
    void advance(std::int64_t now);

private:
    TickOrder order_;
    ClockedState clocked_state_;
    WakeTimes wakes_;
    std::vector<Component*> components_;
    std::vector<std::size_t> waking_;
    std::vector<Component*> scheduled_;
    std::vector<Component*> ticking_;
    std::vector<Component*> ticked_; ///< In this cycle, each component once.
};

} // namespace warpbound::harness::simulator
