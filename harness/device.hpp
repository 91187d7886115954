#pragma once
/// \file
/// Something that runs a kernel and says how long it took.

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

/// What runs. The referenced objects must outlive the preparation that was made from it.
struct Kernel {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    const models::FlowFacts* facts = nullptr;
    models::Launch launch;
    /// Warps follow this instead of paths that the facts allow (C54); the facts are then its own.
    const RecordedLaunch* recorded = nullptr;
    /// The same kernel for devices that compile it; null: there is none.
    const PtxKernel* ptx = nullptr;
    std::string_view name{}; ///< What it is called in messages.
    /// What its runs are recorded as; by it a device that replays finds them. Null: they are not.
    const SeriesKey* series = nullptr;
    /// Instead of a kernel: the execution time is that of the copy, and the launch means nothing.
    std::optional<Copy> copy{};
};

/// How the values that the contract leaves open are chosen.
enum class Draw {
    Uniform,     ///< anywhere inside the interval
    Extremes,    ///< lo or hi, each with probability 1/2
    AllLow,      ///< always lo; guarded instructions are off
    AllHigh,     ///< always hi; guarded instructions execute
    Adversarial, ///< what makes long times likely; see `harness/simulator/adversary.hpp`
};
std::string_view to_string(Draw draw);

/// One run. Equal values give equal observations on every platform.
struct RunOptions {
    std::uint64_t seed = 1;
    Draw draw = Draw::Uniform;
    /// Blocks of the control-flow graph that warp 0 visits, from the entry to the exiting block;
    /// empty: a random path that satisfies the flow facts. With a path, all warps follow it.
    std::vector<std::size_t> path;
};

/// What was so when something ran, by name: "driver" -> "13.0", "temperature" -> "41 C".
using Conditions = std::vector<std::pair<std::string, std::string>>;

/// What was so when a process began to record.
struct RecordedConditions {
    std::int64_t first_run = 0; ///< The first run that it recorded.
    Conditions conditions;      ///< In order of the names.

    friend bool operator==(const RecordedConditions&, const RecordedConditions&) = default;
};

/// What a run came to.
struct Outcome {
    models::Observation
        observation; ///< Without warps where the remark says that there are no times.
    Remark remark;
};

/// A kernel made ready for many runs. `run` may be called from several threads at once.
class PreparedKernel {
public:
    virtual ~PreparedKernel() = default;
    /// A failure is a refusal: nothing ran. What happens to a run is its outcome.
    virtual Result<Outcome> run(const RunOptions& options) const = 0;
    /// Refuses a quantity that its observations do not say.
    [[nodiscard]] virtual Result<void> tells(Quantity) const {
        return boost::outcome_v2::success();
    }
    /// Of the code that runs: how it was built and whether it is what was meant.
    [[nodiscard]] virtual Conditions conditions() const { return {}; }
    /// Of a device that replays: what was so when its runs were made, in order of the first ones.
    [[nodiscard]] virtual std::vector<RecordedConditions> recorded_conditions() const { return {}; }
};

/// Refuses every quantity but the execution time: what a copy's `tells` answers.
Result<void> copy_tells(Quantity quantity);

/// Named for users: "simulated:fermi-gtx470".
struct DeviceIdentity {
    std::string name;
    std::string detail; ///< Architecture digest, driver version, ...
};

class Device {
public:
    virtual ~Device() = default;
    [[nodiscard]] virtual DeviceIdentity identity() const = 0;
    /// The state that the device is in now, as far as it can be read.
    [[nodiscard]] virtual Conditions conditions() const { return {}; }
    /// Whether it answers with runs that were made before: those of the series that a kernel names.
    /// It needs no warm-up.
    [[nodiscard]] virtual bool replays() const { return false; }
    /// What is known of the machine before it is measured: its description, of one that has none
    /// its name and target. Refuses where nothing is known.
    [[nodiscard]] virtual Result<models::Architecture> machine() const;
    /// Whether it runs kernels as PTX.
    [[nodiscard]] virtual bool compiles() const { return false; }
    /// How many runs may go on at once without disturbing each other.
    [[nodiscard]] virtual unsigned runs_at_once() const {
        return std::numeric_limits<unsigned>::max();
    }
    /// Refuses what the device cannot run, naming the instruction or the missing value of the
    /// description.
    virtual Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const = 0;
};

/// Opens `simulated:<architecture>` with a warp policy as `models::read_policy` reads it and so
/// many SMs, `cuda:<n>`, or `recorded:<file>` (see `devices/recorded.hpp`), which have their own:
/// another policy or number than these defaults is refused there. Refuses an unknown kind or
/// policy, naming those that there are, and a card that cannot be used, with the reason.
Result<std::unique_ptr<Device>> open_device(std::string_view name, std::string_view policy = "lrr",
                                            std::int64_t multiprocessors = 1);

struct DeviceEntry {
    std::string name;
    bool available = false;
    std::string detail; ///< Why not, or what it is.
};
/// Every device that could be opened now, and the kinds that could not with the reason.
std::vector<DeviceEntry> list_devices();

} // namespace warpbound::harness
