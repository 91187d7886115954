#pragma once
/// \file
/// One measured launch of a kernel: its bounds, its simulated time and what published models
/// predict for it.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "harness/execution/executed_launch.hpp"
#include "harness/toolchain/kernel_file.hpp"
#include "models/architecture/architecture.hpp"
#include "models/bounds.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"
#include "tests/silicon/resource_use.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::silicon {

/// A card of the measured launches.
struct MeasuredCard {
    std::string name;
    models::Architecture machine;
    double kilohertz = 0; ///< At which it computed: cycles in a millisecond.
    double slowest = 0;   ///< Cycles in a millisecond, of the upper bound.
    double fastest = 0;   ///< Of the lower bound.
    bool assumes = false; ///< Values that the description lacks.
    double period = 0; ///< Of empty kernels that are launched back to back. `Unit:` microseconds.
};

/// What is launched on a card.
struct TrialInput {
    std::filesystem::path file; ///< In any form that `KernelFile` reads.
    std::string kernel;         ///< Empty: its only one.
    std::string launch;         ///< In the form of `parse_launch`.
    std::string arguments;      ///< As of --arg, by offset, with blanks between them.
    std::string constants;      ///< As of --constants; may be empty.
    std::optional<std::filesystem::path> facts{}; ///< Flow facts; none: what the code shows.
};

/// A launch, with the objects that it refers to.
class LaunchTrial {
public:
    static Result<std::unique_ptr<LaunchTrial>> load(TrialInput input, const MeasuredCard& card);

    [[nodiscard]] const models::Launch& launch() const { return launch_; }
    /// Registers of a thread, of the launch or else of the file.
    [[nodiscard]] std::optional<std::int64_t> registers() const;
    /// `Unit:` core cycles, launch cost not included.
    [[nodiscard]] Result<models::Bounds<models::Cycles>> bounds() const;
    /// Two launches back to back on the data of the arguments, all values typical (C78).
    [[nodiscard]] Result<SimulatedLaunch> simulate() const;
    /// Estimate of a long launch that uses little of what SMs share: its first rows of blocks,
    /// three waves or more on eight SMs and all of L2 and DRAM, on empty caches; for each further
    /// block of these SMs the time of one in the second wave.
    [[nodiscard]] Result<SimulatedLaunch> sample() const;
    /// Cycles by model, with passes and miss rates of the simulated run; models that refuse are
    /// left out. A run without a path visits each basic block once, those of an outermost loop as
    /// often as its bound says.
    [[nodiscard]] std::map<std::string, double> predict(const SimulatedLaunch& simulated) const;

private:
    explicit LaunchTrial(const MeasuredCard& card) : card_{card} {}

    [[nodiscard]] std::int64_t multiprocessors() const;
    /// `launch` with the data of the arguments.
    [[nodiscard]] Result<std::unique_ptr<harness::execution::ExecutedLaunch>>
    execute(const models::Launch& launch) const;
    /// Blocks that run at the same time on an SM.
    [[nodiscard]] Result<std::int64_t> block_slots() const;
    [[nodiscard]] std::vector<std::size_t> stated_path() const;
    [[nodiscard]] std::vector<std::size_t>
    path_of(const harness::execution::ExecutedLaunch& executed, std::int64_t block) const;

    const MeasuredCard& card_;
    TrialInput input_;
    harness::toolchain::KernelCode code_;
    assembly::ControlFlowGraph graph_;
    models::FlowFacts facts_;
    models::Launch launch_; ///< With the arguments that are numbers.
};

} // namespace warpbound::silicon
