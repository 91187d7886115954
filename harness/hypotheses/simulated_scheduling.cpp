#include "harness/hypotheses/simulated_scheduling.hpp"

#include "assembly/isa/reader.hpp"
#include "harness/suite/benchmarks/accesses.hpp"
#include "harness/suite/emission/emission.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

namespace warpbound::harness::hypotheses {

namespace {

using models::HostOperation;

constexpr std::int64_t chain = 200; ///< Dependent additions of a block of length 1.
constexpr std::int64_t copy_bytes = 65536;
constexpr std::int64_t most_shared_memory = 48 * 1024;
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t warp_threads = 32;
/// Without these no block with shared memory has a place.
constexpr std::array<std::string_view, 3> shared_memory_limits{
    "shared-memory", "shared-memory-per-block", "shared-granularity"};

/// The code of a kernel; `Kernel` points into it.
struct Code {
    assembly::Program program;
    std::optional<assembly::ControlFlowGraph> graph;
    models::FlowFacts facts;

    static Result<std::unique_ptr<Code>> of_length(std::int64_t additions,
                                                   const models::Architecture& architecture) {
        std::vector<Operation> operations;
        for (std::int64_t i = 0; i < additions; ++i)
            operations.push_back(arithmetic_operation("add", 2, 2));
        operations.push_back({"EXIT", assembly::OpcodeClass::Exit, -1, {}});
        const auto emitted = emit("passing_time", operations, architecture);
        if (!emitted) return emitted.as_failure();
        auto code = std::make_unique<Code>();
        auto program = assembly::read_program({"passing_time", emitted.value().text});
        if (!program) return program.as_failure();
        code->program = std::move(program).value();
        auto graph = assembly::build_control_flow_graph(code->program.functions.front());
        if (!graph) return graph.as_failure();
        code->graph = std::move(graph).value();
        code->facts.kernel = "passing_time";
        code->facts.program_digest = code->program.digest;
        return code;
    }
    [[nodiscard]] Kernel kernel(const models::Launch& launch) const {
        return {&program.functions.front(), &*graph, &facts, launch};
    }
};

/// Collects what the events of a run say about blocks.
class BlockRecorder {
public:
    explicit BlockRecorder(const Workload& workload) {
        for (const HostOperation& operation : workload.operations) {
            auto& blocks = operations_.emplace_back();
            if (operation.kind != models::HostOperationKind::Launch) continue;
            const models::Launch& launch = workload.kernels[operation.kernel].launch;
            blocks.resize(static_cast<std::size_t>(launch.blocks));
            for (std::int64_t warp = 0; warp < launch.blocks * launch.warps_per_block(); ++warp)
                blocks_.push_back({operations_.size() - 1,
                                   static_cast<std::size_t>(warp / launch.warps_per_block())});
        }
        left_.resize(operations_.size());
        last_step_.resize(blocks_.size());
    }
    void receive(const simulator::Event& event) {
        if (const auto* started = std::get_if<simulator::WarpStarted>(&event)) {
            ObservedBlock& block = block_of(started->warp);
            block.begin = started->placed;
            block.multiprocessor = started->multiprocessor;
            block.longest_gap = block.longest_gap.value_or(0);
            last_step_[static_cast<std::size_t>(started->warp)] = started->cycle;
        } else if (const auto* issued = std::get_if<simulator::Issued>(&event)) {
            step(issued->warp, issued->cycle);
        } else if (const auto* ended = std::get_if<simulator::WarpEnded>(&event)) {
            step(ended->warp, ended->cycle);
            ObservedBlock& block = block_of(ended->warp);
            block.end = std::max(block.end, ended->cycle);
        } else if (const auto* stepped = std::get_if<simulator::OperationStepped>(&event)) {
            if (stepped->step == simulator::OperationStep::Left)
                left_[stepped->operation] = stepped->cycle;
        }
    }
    [[nodiscard]] std::vector<ObservedBlock>& blocks(std::size_t operation) {
        return operations_[operation];
    }
    [[nodiscard]] std::int64_t left(std::size_t operation) const { return left_[operation]; }

private:
    struct Position {
        std::size_t operation;
        std::size_t block;
    };
    ObservedBlock& block_of(int warp) {
        const Position& position = blocks_[static_cast<std::size_t>(warp)];
        return operations_[position.operation][position.block];
    }
    void step(int warp, std::int64_t cycle) {
        std::int64_t& last = last_step_[static_cast<std::size_t>(warp)];
        auto& gap = block_of(warp).longest_gap;
        gap = std::max(gap.value_or(0), cycle - last);
        last = cycle;
    }

    std::vector<std::vector<ObservedBlock>> operations_;
    std::vector<Position> blocks_; ///< By warp of the workload.
    std::vector<std::int64_t> last_step_;
    std::vector<std::int64_t> left_;
};

std::optional<std::int64_t> least_of(const models::ValueGroup& group, std::string_view name) {
    const auto* const value = group.find(name);
    return value != nullptr && value->interval ? std::optional{value->interval->lo} : std::nullopt;
}

class SimulatedDevice final : public SchedulingDevice {
public:
    SimulatedDevice(const models::Architecture& architecture, const SimulatedScheduling& setup)
        : architecture_{architecture}, setup_{setup} {}

    Result<void> prepare() {
        if (auto left_out = leave_out_constants(); !left_out) return left_out;
        const auto warps =
            models::require(architecture_, architecture_.limits, "limits", "max-warps");
        if (!warps) return warps.as_failure();
        limits_.multiprocessors = setup_.multiprocessors;
        limits_.threads = warps.value().hi * warp_threads;
        limits_.blocks = least_of(architecture_.limits, "max-blocks");
        limits_.registers = least_of(architecture_.limits, "registers");
        limits_.shared_memory = least_of(architecture_.limits, "shared-memory");
        if (!setup_.launch_cost && !least_of(architecture_.blocks, "launch")) {
            setup_.launch_cost = assumed_launch_cost;
            notes_.push_back(fmt::format("a launch costs {} to {} cycles before its first blocks; "
                                         "the description has no blocks/launch",
                                         assumed_launch_cost.lo, assumed_launch_cost.hi));
        }
        return measure_length();
    }

    Result<ObservedWorkload> run(const Experiment& experiment, std::uint64_t seed) override {
        Workload workload;
        if (auto planned = plan(experiment, workload); !planned) return planned.as_failure();
        const auto machine = simulator::WorkloadMachine::prepare(
            architecture_, workload, setup_.policy, setup_.multiprocessors, setup_.launch_cost);
        if (!machine) return machine.as_failure();
        auto observed = observe_simulated(*machine.value(), workload,
                                          {.seed = seed, .draw = setup_.draw, .path = {}});
        if (!observed) return observed.as_failure();
        ObservedWorkload& run = observed.value();
        run.experiment = experiment.name;
        run.limits = limits_;
        run.latency = latency();
        run.interruption = length_ / 2;
        if (const auto engines = least_of(architecture_.transfers, "engines"))
            run.copy_engines = static_cast<int>(*engines);
        return observed;
    }
    [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

private:
    [[nodiscard]] std::int64_t latency() const {
        if (setup_.launch_cost) return setup_.launch_cost->hi;
        return architecture_.blocks.find("launch")->interval->hi;
    }
    /// Workloads of several launches have no caches of constants, and these kernels read none.
    Result<void> leave_out_constants() {
        for (const auto& memory : architecture_.memories)
            if (memory.name == "constant") {
                notes_.emplace_back("memories/constant of the description is left out: the "
                                    "kernels read no constants");
                return models::assume_value(architecture_, "memories/constant=none");
            }
        return boost::outcome_v2::success();
    }
    /// The block length: the time of one full wave.
    Result<void> measure_length() {
        const Experiment alone{"length", "", {{.name = "K1", .stream = 0}}};
        const auto observed = run(alone, 1);
        if (!observed) return observed.as_failure();
        const ObservedOperation& launch = observed.value().operations.front();
        length_ = std::max<std::int64_t>(1, launch.end.earliest - launch.begin.earliest);
        return boost::outcome_v2::success();
    }
    [[nodiscard]] bool describes_shared_memory() const {
        return std::all_of(shared_memory_limits.begin(), shared_memory_limits.end(),
                           [&](std::string_view name) {
                               return least_of(architecture_.limits, name).has_value();
                           });
    }
    /// Threads and shared memory of a block of the kind, and how many an SM has room for.
    Result<std::pair<models::Launch, std::int64_t>> block_of(Filling filling) const {
        models::Launch launch{1, warp_threads};
        if (describes_shared_memory()) launch.shared_memory = 0; // Else it is unknown.
        if (filling == Filling::Threads) {
            launch.threads = std::max(warp_threads, std::min(most_threads, *limits_.threads / 2));
            return std::pair{launch, *limits_.threads / launch.threads};
        }
        const auto room = filling == Filling::BlockSlots ? limits_.blocks : limits_.shared_memory;
        if (!room)
            return Failure{fmt::format("{} is unknown", filling == Filling::BlockSlots
                                                            ? "limits/max-blocks"
                                                            : "limits/shared-memory"),
                           architecture_.name};
        if (filling == Filling::BlockSlots)
            return std::pair{launch, std::min(*room, *limits_.threads / warp_threads)};
        launch.shared_memory = std::min(most_shared_memory, *room * 2 / 5);
        return std::pair{launch, *room / *launch.shared_memory};
    }
    Result<const Code*> code_of(double length) {
        const auto additions = std::max<std::int64_t>(1, std::llround(length * chain));
        auto& code = codes_[additions];
        if (!code) {
            auto made = Code::of_length(additions, architecture_);
            if (!made) return made.as_failure();
            code = std::move(made).value();
        }
        return code.get();
    }
    Result<void> plan(const Experiment& experiment, Workload& workload) {
        for (const PlannedOperation& planned : experiment.operations) {
            if (planned.is_urgent)
                return Failure{"the simulated machine has no priorities of streams (C33, C34)"};
            HostOperation operation{.kind = planned.kind,
                                    .name = std::string{planned.name},
                                    .stream = planned.stream,
                                    .kernel = workload.kernels.size(),
                                    .bytes = copy_bytes,
                                    .at =
                                        std::llround(planned.call * static_cast<double>(length_))};
            workload.operations.push_back(operation);
            if (operation.kind != models::HostOperationKind::Launch) continue;
            auto block = block_of(planned.filling);
            if (!block) return block.as_failure();
            auto [launch, room] = block.value();
            launch.blocks = std::max<std::int64_t>(
                1,
                std::llround(planned.waves * static_cast<double>(room * setup_.multiprocessors)));
            const auto code = code_of(planned.length);
            if (!code) return code.as_failure();
            workload.kernels.push_back(code.value()->kernel(launch));
        }
        return boost::outcome_v2::success();
    }

    models::Architecture architecture_;
    SimulatedScheduling setup_;
    MultiprocessorLimits limits_;
    std::int64_t length_ = 1; ///< `Unit:` core cycles.
    std::vector<std::string> notes_;
    std::map<std::int64_t, std::unique_ptr<Code>> codes_; ///< By additions.
};

} // namespace

Result<ObservedWorkload> observe_simulated(const simulator::WorkloadMachine& machine,
                                           const Workload& workload, const RunOptions& options) {
    BlockRecorder recorder{workload};
    const auto run =
        machine.run(options, [&](const simulator::Event& event) { recorder.receive(event); });
    if (!run) return run.as_failure();
    ObservedWorkload observed;
    observed.calls_in_order = true;
    for (std::size_t number = 0; number < workload.operations.size(); ++number) {
        const HostOperation& operation = workload.operations[number];
        const OperationTimes& times = run.value().operations[number];
        ObservedOperation one{.kind = operation.kind,
                              .name = operation.name,
                              .stream = operation.stream,
                              .issued = {times.issued, times.issued},
                              .begin = {times.started, times.started},
                              .end = {times.ended, times.ended}};
        if (one.is_launch()) {
            const models::Launch& launch = workload.kernels[operation.kernel].launch;
            one.threads = launch.warps_per_block() * warp_threads;
            one.shared_memory = launch.shared_memory;
            one.registers = launch.registers;
            one.blocks = std::move(recorder.blocks(number));
            one.end.latest = recorder.left(number);
        }
        observed.operations.push_back(std::move(one));
    }
    if (auto completed = complete(observed); !completed) return completed.as_failure();
    return observed;
}

Result<std::unique_ptr<SchedulingDevice>>
simulated_scheduling(const models::Architecture& architecture, const SimulatedScheduling& setup) {
    auto device = std::make_unique<SimulatedDevice>(architecture, setup);
    if (auto prepared = device->prepare(); !prepared) return prepared.as_failure();
    return std::unique_ptr<SchedulingDevice>{std::move(device)};
}

} // namespace warpbound::harness::hypotheses
