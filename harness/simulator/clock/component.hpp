#pragma once
/// \file
/// A component of the simulated machine.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace warpbound::harness::simulator {

/// A cycle that never comes.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// A step has two phases. First the components tick: they read visible state and stage messages and
/// values. Then the staged state becomes visible. So no result depends on the order of the ticks.
/// In the first step of a cycle the components tick whose wake time has come. In each further step
/// those tick that received a message, until none is sent. Time passes between cycles only.
class Component {
public:
    Component() = default;
    Component(const Component&) = delete;
    Component& operator=(const Component&) = delete;
    Component(Component&&) = delete;
    Component& operator=(Component&&) = delete;
    virtual ~Component() = default;

    /// One step of cycle `now`.
    virtual void tick(std::int64_t now) = 0;
    /// The next cycle in which this component may act without receiving a message. May be early,
    /// never late. Changes in `tick` only.
    [[nodiscard]] virtual std::int64_t wake() const = 0;

private:
    friend class ClockedState;
    friend class Clock;
    std::size_t clock_index_ = 0; ///< Among the components of the clock.
    bool scheduled_ = false;      ///< Ticks in the next step.
    bool ticked_ = false;         ///< In the current cycle.
};

} // namespace warpbound::harness::simulator
