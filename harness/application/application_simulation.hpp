#pragma once
/// \file
/// Discrete-event simulation of an application: ranks are sequential, servers take operations in
/// the order of their arrival. It knows values of times, and no formula that gives them.

#include "models/application/plan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::harness {

/// Which value of its range every time takes.
enum class TimeDraw {
    Lower,
    Typical,
    Upper,
    Drawn ///< Each use its own, uniform in the range; so is the order of simultaneous operations.
};

struct ApplicationRun {
    TimeDraw draw = TimeDraw::Typical;
    std::uint64_t seed = 1; ///< Of `Drawn`.
};

/// `Unit:` ns from the start of the application. Its start is the end of its cause, or 0.
struct ServedOperation {
    std::optional<std::size_t> operation{}; ///< None: a barrier.
    std::size_t rank = 0;                   ///< Of a barrier: the last to arrive.
    std::size_t name = 0;                   ///< Into the names of the plan.
    std::int64_t arrival = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::optional<std::size_t> cause{}; ///< What had to end first, last of all.
};

/// `Unit:` ns.
struct RankTimes {
    std::int64_t end = 0;     ///< Of its last step.
    std::int64_t blocked = 0; ///< At receives, waits and barriers.
    std::int64_t queued = 0;  ///< Its operations, at servers.
    /// In service, by kind; those of asynchronous operations overlap.
    std::array<std::int64_t, models::application::operation_kinds> service{};
};
/// `Unit:` ns.
struct ServerTimes {
    std::int64_t busy = 0; ///< Summed over the cores.
    std::int64_t queued = 0;
    std::int64_t served = 0; ///< Operations.
};

struct ApplicationTimes {
    std::int64_t makespan = 0;           ///< Until the last operation ends.
    std::vector<ServedOperation> served; ///< In the order of their start.
    /// Into `served`, first to last: their times sum to the makespan.
    std::vector<std::size_t> critical_path;
    std::vector<RankTimes> ranks;
    std::vector<ServerTimes> servers;
};

/// Requires: every time of the plan is found. Refuses ranks that wait for ever, naming the step,
/// and times that together exceed 2^63 ns.
Result<ApplicationTimes> simulate_application(const models::application::Plan& plan,
                                              const ApplicationRun& run);

} // namespace warpbound::harness
