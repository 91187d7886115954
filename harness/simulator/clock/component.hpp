#pragma once
/// \file
/// A part of the simulated machine that works in steps.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace warpbound::harness::simulator {

/// A cycle that never comes.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Steps have two phases: first components tick, reading only what is visible and staging what they
/// say; then what was staged becomes visible. So the order in which components tick cannot matter.
/// In the first step of a cycle those tick whose time to wake has come, in the further ones those
/// that were spoken to, until nobody says anything more; time passes between cycles only.
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
    /// The next cycle in which this component may do something although nobody speaks to it; may be
    /// early, never late. Changes in `tick` only.
    [[nodiscard]] virtual std::int64_t wake() const = 0;

private:
    friend class Board;
    friend class Clock;
    std::size_t place_ = 0;       ///< Among the components of the clock.
    bool called_ = false;         ///< Ticks in the next step.
    std::int64_t ticked_in_ = -1; ///< The last cycle in which it did.
};

} // namespace warpbound::harness::simulator
