#include "harness/simulator/launch/workload.hpp"

#include "harness/simulator/decode/architecture_values.hpp"
#include "harness/simulator/decode/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t warp_limit = std::int64_t{1} << 22U;
/// Longest copy or call. `Unit:` core cycles.
constexpr std::int64_t duration_limit = std::int64_t{1} << 40U;
constexpr std::int64_t byte_limit = std::int64_t{1} << 50U;
constexpr std::int64_t described_limit = 1'000'000'000'000;

/// a b / c, rounded up; `duration_limit` + 1 for anything longer. Requires: c > 0.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
    const auto divisor = static_cast<Wide>(c);
    const Wide quotient = (static_cast<Wide>(a) * static_cast<Wide>(b) + divisor - 1) / divisor;
    return quotient > static_cast<Wide>(duration_limit) ? duration_limit + 1
                                                        : static_cast<std::int64_t>(quotient);
}

/// Merges the machine parameters that the kernels of all launches need.
void merge(MachineShape& machine, const MachineShape& other) {
    Capacity& capacity = machine.capacity;
    // A launch that states no registers or shared memory is not limited by them.
    if (capacity.registers == plenty) {
        capacity.registers = other.capacity.registers;
        capacity.register_partitions = other.capacity.register_partitions;
    }
    capacity.shared_memory = std::min(capacity.shared_memory, other.capacity.shared_memory);
    if (!machine.buffer_entries) {
        machine.buffer_entries = other.buffer_entries;
        machine.buffer_drain = other.buffer_drain;
    }
    if (!machine.memory) machine.memory = other.memory;
    if (!machine.atomics) machine.atomics = other.atomics;
}

/// Builds the plan of a workload.
class WorkloadPlanner {
public:
    WorkloadPlanner(const models::Architecture& architecture, WorkloadCode& code,
                    const StatedLaunchCost& launch_cost)
        : architecture_{architecture}, code_{code}, launch_cost_{launch_cost}, values_{
                                                                                   architecture} {}

    Result<void> plan(const std::vector<models::HostOperation>& operations);

private:
    void add_machine();
    void add_launch(const models::HostOperation& operation, HostStep& step);
    void add_copy(const models::HostOperation& operation, HostStep& step);
    void add_call();
    void add_replacement();
    Range clock();
    /// Nanoseconds in core cycles (C36).
    Range cycles_of(const Range& nanoseconds);

    const models::Architecture& architecture_;
    WorkloadCode& code_;
    StatedLaunchCost launch_cost_;
    ArchitectureValues values_;
    bool both_directions_ = false;
    std::int64_t warps_ = 0;
    std::int64_t warp_slots_ = 0;
};

Range WorkloadPlanner::clock() {
    return values_.range({&architecture_.geometry, "geometry"}, "core-clock", 1, described_limit);
}

Range WorkloadPlanner::cycles_of(const Range& nanoseconds) {
    constexpr std::int64_t per_kilohertz = 1'000'000;
    const Range kilohertz = clock();
    return {scaled(nanoseconds.lo, kilohertz.lo, per_kilohertz),
            scaled(nanoseconds.hi, kilohertz.hi, per_kilohertz)};
}

/// These and the lines of the constant operands of a kernel (C81).
std::vector<std::uint64_t> with_lines(std::vector<std::uint64_t> lines, const KernelCode& code) {
    lines.insert(lines.end(), code.constant_lines.begin(), code.constant_lines.end());
    return lines;
}

void WorkloadPlanner::add_machine() {
    code_.plan.machine = code_.kernels.front().machine;
    for (std::size_t kernel = 0; kernel < code_.kernels.size(); ++kernel) {
        merge(code_.plan.machine, code_.kernels[kernel].machine);
        // Kernels share no lines of the instruction cache (C35).
        constexpr unsigned kernel_shift = 40;
        for (std::uint64_t& line : code_.kernels[kernel].lines)
            line += std::uint64_t{kernel} << kernel_shift;
        if (auto& operands = code_.plan.machine.operand_caches) {
            for (std::uint64_t& line : code_.kernels[kernel].constant_lines)
                line += std::uint64_t{kernel} << kernel_shift;
            if (kernel > 0 && operands->is_warm)
                operands->entered = with_lines(operands->entered, code_.kernels[kernel]);
        }
        if (kernel == 0 || !code_.plan.machine.instruction_caches) continue;
        for (const std::uint64_t line : code_.kernels[kernel].machine.instruction_caches->entered)
            code_.plan.machine.instruction_caches->entered.push_back(
                line + (std::uint64_t{kernel} << kernel_shift));
    }
    if (!code_.plan.machine.memory || !code_.plan.machine.register_file) return;
    // Accesses of all kernels allocate their entries when they enter their units (C49).
    for (KernelCode& kernel : code_.kernels)
        for (Operation& operation : kernel.operations)
            operation.needs_entry_at_issue = false;
}

void WorkloadPlanner::add_launch(const models::HostOperation& operation, HostStep& step) {
    const KernelCode& code = code_.kernels.at(operation.kernel);
    step.launch = code_.plan.grids.size();
    step.cost =
        launch_cost_ ? *launch_cost_ : values_.range({&architecture_.blocks, "blocks"}, "launch");
    code_.plan.grids.push_back(Grid{.code = &code,
                                    .first_warp = static_cast<int>(warps_),
                                    .operation = code_.plan.steps.size()});
    warps_ += code.blocks * code.demand.warps;
    warp_slots_ += code.machine.warp_slots;
    values_.expect(warps_ <= warp_limit,
                   fmt::format("a workload of more than {} warps", warp_limit));
}

void WorkloadPlanner::add_copy(const models::HostOperation& operation, HostStep& step) {
    const ArchitectureValues::Group transfers{&architecture_.transfers, "transfers"};
    const std::string direction{to_string(operation.kind)};
    const Range start =
        cycles_of(values_.range(transfers, direction + "-start", 0, described_limit));
    const Range bandwidth = values_.range(transfers, direction + "-bandwidth", 1, described_limit);
    const Range kilohertz = clock();
    values_.expect(
        operation.bytes >= 1 && operation.bytes <= byte_limit,
        fmt::format("a copy of {} bytes; expected 1 to {}", operation.bytes, byte_limit));
    if (values_.failure()) return;
    step.cost = {start.lo + scaled(operation.bytes, kilohertz.lo, bandwidth.hi),
                 start.hi + scaled(operation.bytes, kilohertz.hi, bandwidth.lo)};
    values_.expect(step.cost.hi <= duration_limit,
                   fmt::format("a copy of {} bytes takes more than {} cycles", operation.bytes,
                               duration_limit));
    const bool own_engine = both_directions_ && values_.number(transfers, "engines", 1, 2) == 2 &&
                            operation.kind == models::HostOperationKind::CopyToHost;
    step.engine = own_engine ? 1 : 0;
}

void WorkloadPlanner::add_call() {
    const models::SourcedValue* const call = architecture_.transfers.find("call");
    if (call == nullptr || !call->interval) return;
    code_.plan.call = cycles_of(
        values_.range({&architecture_.transfers, "transfers"}, "call", 0, described_limit));
    values_.expect(code_.plan.call.hi <= duration_limit,
                   fmt::format("transfers/call takes more than {} cycles", duration_limit));
}

/// Needed when a block has to wait for free resources, which only the run determines.
void WorkloadPlanner::add_replacement() {
    ArchitectureValues values{architecture_, ", which states when a block that waited starts"};
    const ArchitectureValues::Group blocks{&architecture_.blocks, "blocks"};
    const Range replacement = values.range(blocks, "replacement");
    const Range start = values.range(blocks, "start");
    code_.plan.no_replacement = values.failure();
    if (values.failure()) return;
    code_.plan.machine.replacement = replacement;
    code_.plan.machine.start = start;
}

Result<void> WorkloadPlanner::plan(const std::vector<models::HostOperation>& operations) {
    const auto is = [&](models::HostOperationKind kind) {
        return std::any_of(operations.begin(), operations.end(),
                           [kind](const auto& operation) { return operation.kind == kind; });
    };
    both_directions_ =
        is(models::HostOperationKind::CopyToDevice) && is(models::HostOperationKind::CopyToHost);
    if (!code_.kernels.empty()) add_machine();
    for (const models::HostOperation& operation : operations) {
        HostStep step{.kind = operation.kind,
                      .stream = operation.stream,
                      .at = operation.at,
                      .cost = {},
                      .engine = 0,
                      .launch = 0};
        values_.expect(
            operation.at >= 0 && operation.at <= duration_limit,
            fmt::format("an operation at {}; expected 0 to {}", operation.at, duration_limit));
        if (step.is_launch())
            add_launch(operation, step);
        else
            add_copy(operation, step);
        if (values_.failure()) return *values_.failure();
        code_.plan.steps.push_back(step);
    }
    values_.expect(
        !code_.plan.machine.constants || code_.plan.grids.size() <= 1,
        "memories/constant is described, and it is unknown which constants several launches "
        "share; expected a workload of one launch");
    add_call();
    if (!code_.plan.grids.empty()) add_replacement();
    if (values_.failure()) return *values_.failure();
    code_.plan.machine.warp_slots =
        std::max<std::int64_t>(1, std::min(code_.plan.machine.capacity.warps, warp_slots_));
    return boost::outcome_v2::success();
}

} // namespace

RunPlan plan_of(const KernelCode& code) {
    return RunPlan{.machine = code.machine,
                   .grids = {Grid{.code = &code, .first_warp = 0, .operation = 0}},
                   .steps = {HostStep{}},
                   .call = {},
                   .no_replacement = std::nullopt};
}

Result<WorkloadCode> translate(const models::Architecture& architecture, const Workload& workload,
                               const models::WarpPolicy& policy, std::int64_t multiprocessors,
                               const StatedLaunchCost& launch_cost) {
    std::int64_t blocks = 0;
    for (const models::HostOperation& operation : workload.operations)
        if (operation.kind == models::HostOperationKind::Launch)
            blocks += workload.kernels.at(operation.kernel).launch.blocks;
    if (blocks == 0 && (workload.operations.empty() || !workload.kernels.empty()))
        return Failure{"a workload without a launch; expected at least one", "", 0, 0};
    WorkloadCode code;
    for (const Kernel& kernel : workload.kernels) {
        auto one =
            translate(architecture, kernel, policy, multiprocessors, blocks - kernel.launch.blocks);
        if (!one) return one.as_failure();
        code.kernels.push_back(std::move(one.value()));
    }
    const auto planned = WorkloadPlanner{architecture, code, launch_cost}.plan(workload.operations);
    if (!planned) return planned.as_failure();
    return code;
}

} // namespace warpbound::harness::simulator
