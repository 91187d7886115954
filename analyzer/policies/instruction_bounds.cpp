#include "analyzer/policies/instruction_bounds.hpp"

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/microarchitecture/issue_distances.hpp"
#include "assembly/amd/counters.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

/// The most warps that are on a multiprocessor at once.
models::Warps warps_of_multiprocessor(const LaunchGeometry& shape) {
    return std::min(shape.resident, shape.blocks) * shape.warps_per_block;
}

/// What leaves every instruction of the launch without an upper bound.
std::optional<NoUpperBound> absent_for_all(const TimedKernel& kernel,
                                           const ScheduledLaunch& launch) {
    const models::Architecture& machine = *kernel.architecture;
    if (!has_scheduler_to_itself(launch.shape)) return NoUpperBound::SharedScheduler;
    if (!conserves_work(launch)) return NoUpperBound::Policy;
    if (kernel.delivery.lines || kernel.delivery.operands || kernel.registers.reads ||
        machine.has_memory_queue())
        return NoUpperBound::Stages;
    return std::nullopt;
}

/// Whether the result of an access may be late because it waits for others.
bool may_queue(const TimedKernel& kernel, std::size_t instruction) {
    const models::InstructionTiming& timing = kernel.timings[instruction].value();
    return timing.through_caches || models::is_atomic_at_l2(timing);
}

/// What is released or ready late because such accesses wait.
struct LateResults {
    std::set<assembly::Register> registers;
    unsigned scoreboards = 0; ///< A bit each.
};

LateResults late_results(const TimedKernel& kernel) {
    LateResults late;
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!kernel.used[i] || !may_queue(kernel, i)) continue;
        const assembly::Instruction& access = kernel.function->instructions[i];
        late.registers.insert(access.effects.writes.begin(), access.effects.writes.end());
        if (access.control && access.control->write_barrier)
            late.scoreboards |= 1U << static_cast<unsigned>(*access.control->write_barrier);
    }
    return late;
}

/// The scoreboards that an instruction waits for.
unsigned awaited_scoreboards(const assembly::Instruction& instruction, assembly::Target target) {
    unsigned awaited = instruction.control ? instruction.control->wait_mask : 0U;
    if (is_amd(target))
        for (const auto& wait : assembly::amd::counted_waits(instruction, target))
            awaited |= 1U << static_cast<unsigned>(wait.scoreboard);
    else if (instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier)
        awaited = ~0U;
    return awaited;
}

/// Whether waits in the memory system may delay the issue of the instruction: by a scoreboard, a
/// register, a full queue or the write buffer.
bool awaits_queueing(const TimedKernel& kernel, std::size_t i, const LateResults& late) {
    const assembly::Function& function = *kernel.function;
    const assembly::Instruction& instruction = function.instructions[i];
    const auto is_late = [&](const assembly::Register& one) {
        return late.registers.contains(one);
    };
    const auto& effects = instruction.effects;
    return (awaited_scoreboards(instruction, function.target) & late.scoreboards) != 0 ||
           may_queue(kernel, i) || kernel.timings[i].value().enters_write_buffer ||
           std::any_of(effects.reads.begin(), effects.reads.end(), is_late) ||
           std::any_of(effects.writes.begin(), effects.writes.end(), is_late);
}

/// What leaves one instruction without an upper bound, whichever issued before. `late`: none where
/// no access waits in the memory system.
std::optional<NoUpperBound> absent_at(const TimedKernel& kernel, const LaunchGeometry& shape,
                                      std::size_t instruction,
                                      const std::optional<LateResults>& late) {
    if (late && awaits_queueing(kernel, instruction, *late)) return NoUpperBound::Queueing;
    if (warps_of_multiprocessor(shape) == models::Warps{1}) return std::nullopt;
    const models::InstructionTiming& timing = kernel.timings[instruction].value();
    if (kernel.architecture->units[timing.unit].scope == models::UnitScope::Core)
        return NoUpperBound::SharedPort;
    if (timing.enters_write_buffer) return NoUpperBound::SharedBuffer;
    return std::nullopt;
}

} // namespace

/// Pipelines refer to the context, and distances to both.
struct InstructionBounds::Parts {
    explicit Parts(AnalysisContext prepared)
        : context{std::move(prepared)}, lower{pipelines_of(context.kernel,
                                                           context.kernel.write_buffer.entries.hi,
                                                           context.kernel.write_buffer.drain)
                                                  .lower},
          upper{pipelines_of(context.kernel, context.kernel.write_buffer.entries.lo,
                             context.kernel.write_buffer.drain)
                    .upper},
          distances{*context.kernel.graph, lower, upper}, absent(context.kernel.timings.size()) {
        const auto for_all = absent_for_all(context.kernel, context.launch);
        const TimedKernel& kernel = context.kernel;
        const auto late =
            context.memory.has_queueing() ? std::optional{late_results(kernel)} : std::nullopt;
        for (std::size_t i = 0; i < absent.size(); ++i)
            if (kernel.used[i])
                absent[i] = for_all ? for_all : absent_at(kernel, context.launch.shape, i, late);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    AnalysisContext context;
    PipelineModel lower;
    PipelineModel upper;
    IssueDistances distances;
    std::vector<std::optional<NoUpperBound>> absent; ///< By instruction.
};

std::string text_of(NoUpperBound reason) {
    switch (reason) {
    case NoUpperBound::SharedScheduler:
        return "other wavefronts issue on its SIMD";
    case NoUpperBound::Policy:
        return "the policy may leave its SIMD idle";
    case NoUpperBound::SharedPort:
        return "wavefronts of other SIMDs use its unit";
    case NoUpperBound::SharedBuffer:
        return "wavefronts of other SIMDs use the write buffer";
    case NoUpperBound::Barrier:
        return "waits for the other wavefronts of its work-group";
    case NoUpperBound::Queueing:
        return "accesses wait for others in the memory system";
    case NoUpperBound::Stages:
        break;
    }
    return "stages in front of the units delay it";
}

InstructionBounds::InstructionBounds(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
InstructionBounds::InstructionBounds(InstructionBounds&&) noexcept = default;
InstructionBounds& InstructionBounds::operator=(InstructionBounds&&) noexcept = default;
InstructionBounds::~InstructionBounds() = default;

Result<InstructionBounds> InstructionBounds::of(AnalysisContext context) {
    const TimedKernel& kernel = context.kernel;
    if (has_divergent_branch(*kernel.function, *kernel.stated))
        return Failure{"times of single instructions are not bounded where lanes of a warp may "
                       "diverge: a recorded issue does not say of which lanes",
                       kernel.function->name};
    return InstructionBounds{std::make_unique<Parts>(std::move(context))};
}

void InstructionBounds::start() {
    parts_->distances.start();
}

void InstructionBounds::gap() {
    parts_->distances.gap();
}

std::optional<InstructionBound> InstructionBounds::issue(std::size_t instruction,
                                                         std::int64_t elapsed) {
    const AnalysisContext& context = parts_->context;
    if (!context.kernel.used[instruction]) {
        gap();
        return std::nullopt;
    }
    const auto distance = parts_->distances.issue(instruction, elapsed);
    if (!distance) return std::nullopt;
    InstructionBound bound{distance->lower, distance->upper, parts_->absent[instruction]};
    if (!bound.absent && !context.launch.shape.has_single_warp_blocks() &&
        context.kernel.timings[distance->before].value().is_barrier_wait)
        bound.absent = NoUpperBound::Barrier;
    if (bound.absent) bound.upper.reset();
    return bound;
}

} // namespace warpbound::analyzer
