#pragma once
/// \file
/// What a simulated launch used of each resource of the machine, and published models on its
/// counts.

#include "harness/simulator/machine.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::silicon {

/// What a launch used of the machine in the simulated run.
struct SimulatedLaunch {
    std::int64_t cycles =
        0; ///< Of the second of two launches: from the end of the first to its end. Else its own.
    std::int64_t blocks = 0;        ///< That were simulated; the counts are of these.
    std::int64_t instructions = 0;  ///< Of all warps.
    std::int64_t shared_loads = 0;  ///< Passes of shared loads.
    std::int64_t shared_stores = 0; ///< Passes of shared stores.
    std::int64_t l2_read = 0;       ///< Sectors that the L2 was asked for.
    /// Busy share of each resource over the launch, largest first.
    std::vector<std::pair<std::string, double>> shares;
    double l1_miss_rate = 0;       ///< Of the sectors that loads look up.
    double l2_miss_rate = 0;       ///< Of those that reach the L2 from loads.
    double transaction_bytes = 32; ///< Of the L2, in the mean.
    /// Blocks of the control-flow graph that the first lane of a warp in the middle visits.
    std::vector<std::size_t> path;
};

/// Counts the events of a launch, or of the second of two.
class ResourceUse {
public:
    /// Counts from the warp `warps` on: those of one launch, or 0. It runs on so many SMs.
    ResourceUse(const models::Architecture& machine, const assembly::Function& function,
                std::int64_t warps, std::int64_t multiprocessors);

    void add(const harness::simulator::Event& event);
    /// Sets shares and miss rates. Requires: the cycles are known.
    void report(SimulatedLaunch& launch) const;

private:
    [[nodiscard]] double number(std::string_view path) const;

    const models::Architecture& machine_;
    std::vector<std::optional<models::InstructionTiming>> timings_;
    std::int64_t warps_;
    std::int64_t multiprocessors_;
    const assembly::Function& function_;
    std::int64_t issued_ = 0;
    std::int64_t shared_loads_ = 0;
    std::int64_t shared_stores_ = 0;
    std::vector<double> port_busy_; ///< By unit. `Unit:` cycles.
    double l1_sectors_ = 0;         ///< Looked up by loads.
    double l1_busy_ = 0;            ///< `Unit:` cycles.
    double l1_missed_ = 0;
    double l2_read_ = 0;
    double l2_read_missed_ = 0;
    double l2_busy_ = 0; ///< Of loads and stores. `Unit:` cycles.
    double l2_transactions_ = 0;
    double l2_accessed_sectors_ = 0;
    double dram_busy_ = 0;
    double atomics_ = 0;
};

/// Time by model, with passes from the code and the miss rates of the run. Models that refuse are
/// left out. Estimates. `Unit:` core cycles.
std::map<std::string, double>
predictions_of(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
               const models::Architecture& machine, const models::Launch& launch,
               const models::FlowFacts& stated, const SimulatedLaunch& simulated);

} // namespace warpbound::silicon
