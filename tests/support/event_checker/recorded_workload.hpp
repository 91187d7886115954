#pragma once
/// \file
/// The events of a workload's run to be checked.

#include "harness/workload.hpp"
#include "tests/support/event_checker/event_checker.hpp"

namespace warpbound::tests {

struct RecordedWorkload {
    std::vector<harness::simulator::Event> events;
    std::int64_t makespan = 0;
    int multiprocessors = 1;
    std::optional<models::Interval> launch_cost; ///< Stated by the user.
};

} // namespace warpbound::tests
