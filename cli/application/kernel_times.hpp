#pragma once
/// \file
/// The time of a kernel of an application by each of its sources.

#include "analyzer/bound.hpp"
#include "assembly/support/result.hpp"
#include "models/application/plan.hpp"
#include "models/architecture/architecture.hpp"
#include "models/time/clock.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// What the time of a kernel is asked for.
struct KernelQuestion {
    const models::application::Kernel* kernel = nullptr;
    const models::application::PlannedTime* planned = nullptr;
    const models::Architecture* machine = nullptr;
    std::string machine_name{};                ///< As stated.
    std::optional<models::ClockRange> clock{}; ///< Stated; none: that of the description.
    std::string folder{};                      ///< Of the application's file.
    bool has_launch_cost = false;              ///< Stated for the device.
    double time_limit = 60;
};

struct KernelTime {
    models::application::TimeRange time;
    models::application::Basis basis = models::application::Basis::Estimate;
    std::string source;
    std::vector<analyzer::Assumption> assumptions{};
};

/// Refuses what is missing, naming what to state.
Result<KernelTime> kernel_time(const KernelQuestion& question);

} // namespace warpbound::cli
