#pragma once
/// \file
/// The clock of the simulated machine: ticks the components that have something to do.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpbound::harness::simulator {

/// The cycle in which each of many sleepers wakes. Costs the logarithm of their number per change.
class WakeTimes {
public:
    /// A new sleeper, never to wake. Returns its number.
    std::size_t add();
    void set(std::size_t sleeper, std::int64_t cycle);
    [[nodiscard]] std::int64_t earliest() const { return tree_[1]; }
    /// Appends all that wake up to `now`, by number.
    void collect(std::int64_t now, std::vector<std::size_t>& sleepers) const;

private:
    /// Each node holds the earlier one of the two below it; the leaves stand in the second half,
    /// the root at 1.
    std::vector<std::int64_t> tree_ = {never, never};
    std::size_t count_ = 0;
    mutable std::vector<std::size_t> open_;
};

/// Puts the components that tick in a step in another order. It makes no difference to any result.
using TickOrder = std::function<void(std::span<Component*>)>;

class Clock {
public:
    explicit Clock(TickOrder order = {}) : order_{std::move(order)} {}

    /// For the links and values of the machine.
    [[nodiscard]] Board& board() { return board_; }
    void add(Component& component);
    /// Between cycles: its time to wake has changed.
    void reset(const Component& component) { wakes_.set(component.place_, component.wake()); }
    /// The first cycle in which a component wakes; `never` when all sleep for good.
    [[nodiscard]] std::int64_t next() const { return wakes_.earliest(); }
    /// All steps of a cycle. Requires: now > all cycles before.
    void advance(std::int64_t now);

private:
    TickOrder order_;
    Board board_;
    WakeTimes wakes_;
    std::vector<Component*> components_;
    std::vector<std::size_t> waking_;
    std::vector<Component*> called_;
    std::vector<Component*> ticking_;
    std::vector<Component*> ticked_; ///< In this cycle, each once.
};

} // namespace warpbound::harness::simulator
