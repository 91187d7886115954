#pragma once
/// \file
/// The experiments: workloads of blocks that only pass time, planned in units that every device
/// turns into its own.

#include "harness/hypotheses/rules.hpp"
#include "models/launch/workload.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warpbound::harness::hypotheses {

/// The resource of which an SM has room for only a few blocks of a planned kernel.
enum class Filling {
    Threads,      ///< Half the threads of an SM, at most 1024 in a block.
    SharedMemory, ///< 32 threads and 2/5 of the shared memory of an SM, at most 48 KiB.
    BlockSlots,   ///< 32 threads.
};

struct PlannedOperation {
    std::string_view name{};
    std::optional<std::size_t> stream{}; ///< None: the NULL stream.
    double call = 0;   ///< When the host calls. `Unit:` block lengths from the start.
    double waves = 1;  ///< Blocks, over the blocks that the idle device has room for.
    double length = 1; ///< Of a block alone. `Unit:` block lengths.
    Filling filling = Filling::Threads;
    bool is_urgent = false; ///< In a stream of the most urgent priority, else of the least.
    models::HostOperationKind kind = models::HostOperationKind::Launch;
};

struct Experiment {
    std::string_view name{};
    std::string_view picture{};                 ///< What happens, in one line.
    std::vector<PlannedOperation> operations{}; ///< Empty: no device can run it yet.
    std::string_view lacking{};                 ///< Then: why.
};

/// In a fixed order.
const std::vector<Experiment>& all_experiments();
/// Those of the rules, in that order.
std::vector<const Experiment*> experiments_of(const std::vector<Rule>& rules);

} // namespace warpbound::harness::hypotheses
