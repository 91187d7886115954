#pragma once
/// \file
/// The interface of a device: it runs a kernel and reports how long it took.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "harness/copy.hpp"
#include "harness/protocol/quantity.hpp"
#include "harness/ptx_kernel.hpp"
#include "harness/run_anomaly.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/observation.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

class RecordedLaunch;
struct SeriesKey;

/// A kernel or a copy to run. The referenced objects must outlive the `PreparedKernel` that is made
/// from it.
struct Kernel {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    const models::FlowFacts* facts = nullptr;
    models::Launch launch;
    /// Warps replay this recorded launch instead of paths that the flow facts allow (C54); the
    /// facts are then those of the recording.
    const RecordedLaunch* recorded = nullptr;
    /// The same kernel as PTX, for devices that compile it; null: none exists.
    const PtxKernel* ptx = nullptr;
    std::string_view name{}; ///< The name used in messages.
    /// The key under which its runs are recorded; a replaying device finds them by it. Null: runs
    /// are not recorded.
    const SeriesKey* series = nullptr;
    /// Run this copy instead of a kernel: the execution time is that of the copy, and the launch is
    /// unused.
    std::optional<Copy> copy{};
    /// Observe whether each warp stores the right word (`Quantity::CheckedRegion`).
    bool observes_stores = false;
};

/// How the values that the contract leaves open are chosen.
enum class Draw {
    Uniform,  ///< anywhere inside the interval
    Extremes, ///< lo or hi, each with probability 1/2
    AllLow,   ///< always lo, capacities hi; guarded instructions are predicated off
    AllHigh,  ///< always hi, capacities lo; guarded instructions execute
    Typical,  ///< the typical number where the description states one, else anywhere inside (C78)
    Adversarial, ///< values that make long times likely; see `harness/simulator/sm/adversary.hpp`
};
std::string_view to_string(Draw draw);
std::optional<Draw> find_draw(std::string_view name);

/// From a cycle on, schedulers of unknown policy choose by other draws.
struct Turn {
    std::int64_t from = 0;  ///< Core cycle.
    std::uint64_t seed = 1; ///< Of the rule, and of its choices, from then on.

    friend bool operator==(const Turn&, const Turn&) = default;
};

/// One run. Equal values give equal observations on every platform.
struct RunOptions {
    std::uint64_t seed = 1;
    Draw draw = Draw::Uniform;
    /// Blocks of the control-flow graph that warp 0 visits, from the entry to the exiting block;
    /// empty: a random path that satisfies the flow facts. With a path, all warps follow it.
    std::vector<std::size_t> path;
    /// Core cycles after which a simulated run is given up: a failure.
    std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    /// Over which a simulated run of several SMs is spread. The result does not depend on it.
    unsigned threads = 1;
    /// By cycle. Until the first one a run is that without turns.
    std::vector<Turn> turns{};
};

/// The conditions under which something ran, by name: "driver" -> "13.0", "temperature" -> "41 C".
using Conditions = std::vector<std::pair<std::string, std::string>>;

/// The conditions when a process began to record.
struct RecordedConditions {
    std::int64_t first_run = 0; ///< The first run that the process recorded.
    Conditions conditions;      ///< Sorted by name.

    friend bool operator==(const RecordedConditions&, const RecordedConditions&) = default;
};

/// The outcome of a run.
struct Outcome {
    models::Observation
        observation; ///< Contains no warps if the remark says that the run has no times.
    Remark remark;
};

/// A kernel prepared for many runs. `run` may be called from several threads at once.
class PreparedKernel {
public:
    virtual ~PreparedKernel() = default;
    /// A failure is a refusal: nothing ran. An anomaly of a run is part of its outcome.
    virtual Result<Outcome> run(const RunOptions& options) const = 0;
    /// Refuses a quantity that the observations of this kernel do not contain.
    [[nodiscard]] virtual Result<void> supports(Quantity) const {
        return boost::outcome_v2::success();
    }
    /// Conditions of the code that runs: how it was built, and whether it is the intended code.
    [[nodiscard]] virtual Conditions conditions() const { return {}; }
    /// For a replaying device: the conditions when the runs were recorded, ordered by first run.
    [[nodiscard]] virtual std::vector<RecordedConditions> recorded_conditions() const { return {}; }
};

/// The `supports` check of a copy: refuses every quantity but the execution time.
Result<void> copy_supports(Quantity quantity);

/// Named for users: "simulated:fermi-gtx470".
struct DeviceIdentity {
    std::string name;
    std::string detail; ///< Architecture digest, driver version, ...
};

class Device {
public:
    virtual ~Device() = default;
    [[nodiscard]] virtual DeviceIdentity identity() const = 0;
    /// The current state of the device, as far as it can be read.
    [[nodiscard]] virtual Conditions conditions() const { return {}; }
    /// Whether the device replays recorded runs: those of the series that the kernel names. Such a
    /// device needs no warm-up.
    [[nodiscard]] virtual bool replays() const { return false; }
    /// The machine as known before any measurement: its architecture description or, if none
    /// exists, its name and target. Refuses if nothing is known.
    [[nodiscard]] virtual Result<models::Architecture> machine() const;
    /// Whether the device compiles kernels from PTX.
    [[nodiscard]] virtual bool compiles() const { return false; }
    /// The number of runs that may execute concurrently without disturbing each other.
    [[nodiscard]] virtual unsigned runs_at_once() const {
        return std::numeric_limits<unsigned>::max();
    }
    /// Refuses a kernel that the device cannot run, naming the instruction or the missing value of
    /// the architecture description.
    virtual Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const = 0;
};

/// Opens a device. `simulated:<architecture>` takes a warp policy, as `models::read_policy` reads
/// it, and a number of SMs. `cuda:<n>`, `hip:<n>` and `recorded:<file>` (`devices/recorded.hpp`)
/// have a policy and SMs of their own: for them, values other than the defaults are refused.
/// Refuses an unknown device type or policy, naming the known ones, and a card that cannot be used,
/// with the reason.
Result<std::unique_ptr<Device>> open_device(std::string_view name, std::string_view policy = "lrr",
                                            std::int64_t multiprocessors = 1);

struct DeviceEntry {
    std::string name;
    bool available = false;
    std::string detail; ///< The reason why it is not available, or a description.
};
/// Every device that can be opened now, and the device types that cannot, with the reason.
std::vector<DeviceEntry> list_devices();

} // namespace warpbound::harness
