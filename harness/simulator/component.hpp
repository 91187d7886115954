#pragma once
/// \file
/// A part of the simulated SM that works once per step.

#include <cstdint>
#include <limits>

namespace warpbound::harness::simulator {

/// A cycle that never comes.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Steps have two phases: first every component ticks, reading only what is visible and staging
/// what it says; then what was staged becomes visible. So the order in which components tick cannot
/// matter. A cycle has as many steps as it takes until nobody says anything more; time passes
/// between cycles only.
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
    /// early, never late.
    [[nodiscard]] virtual std::int64_t wake() const = 0;
};

} // namespace warpbound::harness::simulator
