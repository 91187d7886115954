#include "analyzer/pipeline.hpp"

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t depth_limit = 16;

/// `a + b * c` without wrapping around.
std::int64_t sum_of_product(std::int64_t a, std::int64_t b, std::int64_t c) {
    return (models::Cycles{a} + models::Cycles{b} * c).count();
}

std::int64_t end_of(const models::Interval& interval, Side side) {
    return side == Side::Upper ? interval.hi : interval.lo;
}

/// How many operations `DEPBAR.LE SBn, k` leaves unreleased.
std::size_t depbar_count(const assembly::Instruction& instruction) {
    for (const auto& operand : instruction.operands)
        if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand);
            immediate != nullptr && immediate->integer && *immediate->integer >= 0)
            return static_cast<std::size_t>(*immediate->integer);
    return 0;
}

int depbar_scoreboard(const assembly::Instruction& instruction) {
    if (instruction.opcode_class != assembly::OpcodeClass::DependenceBarrier) return -1;
    for (const auto& operand : instruction.operands)
        if (const auto* scoreboard = std::get_if<assembly::ScoreboardOperand>(&operand))
            return scoreboard->index;
    return -1;
}

/// Control transfers and EXIT always execute (C10).
bool always_executes(const assembly::Instruction& instruction) {
    using assembly::ControlFlow;
    switch (instruction.control_flow) {
    case ControlFlow::None:
    case ControlFlow::PushReconvergence:
    case ControlFlow::PushBreak:
    case ControlFlow::PushContinue:
    case ControlFlow::PushReturn:
    case ControlFlow::ConvergenceSet:
    case ControlFlow::ConvergenceBreak:
        return !instruction.guard || instruction.guard->always();
    default:
        return !(instruction.guard && instruction.guard->never());
    }
}

} // namespace

Pipeline::Pipeline(const assembly::Function& function, const models::Architecture& architecture,
                   const std::vector<Result<models::InstructionTiming>>& timings,
                   std::int64_t buffer_entries, models::Interval buffer_drain, Side side)
    : side_{side}, units_{architecture.units.size()},
      entries_{static_cast<std::size_t>(buffer_entries)}, drain_{end_of(buffer_drain, side)} {
    for (const auto& instruction : function.instructions)
        if (depbar_scoreboard(instruction) >= 0)
            depth_ = std::max(depth_, std::min(depth_limit, depbar_count(instruction) + 1));
    std::map<assembly::Register, std::size_t> dense;
    compiled_.resize(function.instructions.size());
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        if (!timings[i]) continue;
        const auto& instruction = function.instructions[i];
        compile(i, instruction, timings[i].value());
        if (!timings[i].value().waits_for_registers) continue;
        const assembly::Effects effects = assembly::effects_of(instruction, function.target);
        const auto number = [&](const assembly::Register& reg) {
            return dense.emplace(reg, dense.size()).first->second;
        };
        for (const auto& reg : effects.reads)
            compiled_[i].waits.push_back(number(reg));
        for (const auto& reg : effects.writes) {
            compiled_[i].waits.push_back(number(reg));
            compiled_[i].writes.push_back(number(reg));
        }
    }
    registers_ = dense.size();
}

void Pipeline::compile(std::size_t index, const assembly::Instruction& instruction,
                       const models::InstructionTiming& timing) {
    Compiled& compiled = compiled_[index];
    const std::int64_t passes = end_of(timing.passes, side_);
    const std::int64_t further = passes - 1;
    compiled.gap = end_of(timing.gap, side_);
    compiled.gap_taken = end_of(timing.gap_taken, side_);
    compiled.transfers =
        timing.gap != timing.gap_taken || instruction.opcode_class == assembly::OpcodeClass::Branch;
    compiled.result =
        sum_of_product(end_of(timing.latency, side_), end_of(timing.pass_cost, side_), further);
    compiled.source_read =
        sum_of_product(end_of(timing.source_read, side_), end_of(timing.pass_cost, side_), further);
    compiled.occupancy = sum_of_product(0, end_of(timing.initiation, side_), passes);
    compiled.drain = sum_of_product(0, drain_, passes);
    compiled.unit = timing.unit;
    compiled.enters_buffer = timing.enters_write_buffer;
    compiled.barrier = timing.is_barrier_wait;
    if (instruction.control) {
        compiled.wait_mask = instruction.control->wait_mask;
        compiled.write_barrier = instruction.control->write_barrier.value_or(-1);
        compiled.read_barrier = instruction.control->read_barrier.value_or(-1);
    }
    compiled.depbar = depbar_scoreboard(instruction);
    compiled.depbar_left = depbar_count(instruction);
    const bool never = instruction.guard && instruction.guard->never();
    // A guard that may go either way: executing is the later outcome, being off the earlier one.
    compiled.executes = !never && (side_ == Side::Upper || always_executes(instruction));
}

PipelineState Pipeline::start() const {
    return PipelineState(size(), 0);
}

void Pipeline::insert_release(PipelineState& state, int scoreboard, std::int64_t release) const {
    const auto begin = state.begin() + static_cast<std::ptrdiff_t>(scoreboard_slot(scoreboard));
    const auto end = begin + static_cast<std::ptrdiff_t>(depth_);
    const auto place = std::upper_bound(begin, end, release, std::greater<>{});
    if (place == end) return;
    std::move_backward(place, end - 1, end);
    *place = release;
}

IssueStep Pipeline::advance(PipelineState& state, std::size_t instruction) const {
    const Compiled& compiled = compiled_[instruction];
    IssueStep step;
    step.gap = state[gap_slot];
    step.gap_category =
        state[gap_kind_slot] != 0 ? StackCategory::ControlTransfer : StackCategory::Issue;
    step.cycles = step.gap;
    const auto wait = [&](std::int64_t until, StackCategory category) {
        if (until <= step.cycles) return;
        step.cycles = until;
        step.wait = category;
    };
    wait(state[barrier_slot], StackCategory::Barrier);
    for (const std::size_t reg : compiled.waits)
        wait(state[register_base() + reg], StackCategory::RegisterDependence);
    for (int sb = 0; sb < assembly::scoreboard_count; ++sb)
        if (((compiled.wait_mask >> static_cast<unsigned>(sb)) & 1U) != 0)
            wait(state[scoreboard_slot(sb)], StackCategory::Scoreboard);
    if (compiled.depbar >= 0) {
        // At most k unreleased: the (k + 1)-th largest release has passed. Beyond what is
        // remembered, the upper side waits for the smallest one that is, the lower side for none.
        if (compiled.depbar_left < depth_)
            wait(state[scoreboard_slot(compiled.depbar) + compiled.depbar_left],
                 StackCategory::Scoreboard);
        else if (side_ == Side::Upper)
            wait(state[scoreboard_slot(compiled.depbar) + depth_ - 1], StackCategory::Scoreboard);
    }
    if (compiled.executes) {
        wait(state[port_base() + compiled.unit], StackCategory::Port);
        if (compiled.enters_buffer && entries_ > 0)
            wait(state[buffer_base()], StackCategory::WriteBuffer);
    }
    for (std::size_t i = 0; i < state.size(); ++i)
        if (i != gap_kind_slot) state[i] = std::max<std::int64_t>(0, state[i] - step.cycles);
    state[gap_slot] = 0;
    state[barrier_slot] = 0;
    if (!compiled.executes) return step;
    state[port_base() + compiled.unit] = compiled.occupancy;
    for (const std::size_t reg : compiled.writes)
        state[register_base() + reg] = compiled.result;
    state[completion_slot] = std::max(state[completion_slot], compiled.result);
    if (compiled.write_barrier >= 0) insert_release(state, compiled.write_barrier, compiled.result);
    if (compiled.read_barrier >= 0) {
        insert_release(state, compiled.read_barrier, compiled.source_read);
        state[completion_slot] = std::max(state[completion_slot], compiled.source_read);
    }
    if (compiled.enters_buffer && entries_ > 0) {
        const auto begin = state.begin() + static_cast<std::ptrdiff_t>(buffer_base());
        const auto end = begin + static_cast<std::ptrdiff_t>(entries_);
        const std::int64_t newest = *(end - 1);
        std::move(begin + 1, end, begin);
        *(end - 1) = newest + compiled.drain;
    }
    if (compiled.barrier) state[barrier_slot] = compiled.result;
    return step;
}

void Pipeline::leave(PipelineState& state, std::size_t instruction, bool transferred) const {
    const Compiled& compiled = compiled_[instruction];
    state[gap_slot] = transferred ? compiled.gap_taken : compiled.gap;
    state[gap_kind_slot] = compiled.transfers ? 1 : 0;
}

std::int64_t Pipeline::completion(const PipelineState& state) const {
    std::int64_t end = std::max<std::int64_t>(1, state[completion_slot]);
    if (entries_ > 0) end = std::max(end, state[buffer_base() + entries_ - 1]);
    return end;
}

void Pipeline::join(PipelineState& into, const PipelineState& other) const {
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = side_ == Side::Upper ? std::max(into[i], other[i]) : std::min(into[i], other[i]);
}

PipelineState Pipeline::top() const {
    PipelineState state = start();
    if (side_ == Side::Lower) return state;
    std::int64_t result = 0;
    std::int64_t occupancy = 0;
    std::int64_t gap = 0;
    std::int64_t drain = 0;
    for (const Compiled& compiled : compiled_) {
        result = std::max({result, compiled.result, compiled.source_read});
        occupancy = std::max(occupancy, compiled.occupancy);
        gap = std::max({gap, compiled.gap, compiled.gap_taken});
        drain = std::max(drain, compiled.drain);
    }
    std::fill(state.begin(), state.end(), result);
    state[gap_slot] = gap;
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(port_base()), units_, occupancy);
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(buffer_base()), entries_,
                sum_of_product(0, drain, static_cast<std::int64_t>(entries_)));
    state[gap_kind_slot] = 1;
    return state;
}

} // namespace warpbound::analyzer
