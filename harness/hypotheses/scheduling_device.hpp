#pragma once
/// \file
/// Where an experiment runs.

#include "harness/hypotheses/experiments.hpp"
#include "harness/hypotheses/observed_workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness::hypotheses {

class SchedulingDevice {
public:
    virtual ~SchedulingDevice() = default;
    /// One run. Refuses an experiment for which the device lacks something, with the reason.
    virtual Result<ObservedWorkload> run(const Experiment& experiment, std::uint64_t seed) = 0;
    /// What results rest on, a sentence each.
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

} // namespace warpbound::harness::hypotheses
