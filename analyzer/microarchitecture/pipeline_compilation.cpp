#include "analyzer/microarchitecture/cycle_sums.hpp"
#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "analyzer/microarchitecture/unseen_counters.hpp"
#include "assembly/amd/counters.hpp"
#include "assembly/isa/operand_reads.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

// What the pipeline model keeps of each instruction.

namespace warpbound::analyzer {

namespace {

constexpr std::size_t depth_limit = 16;

/// Control transfers and EXIT always execute, whatever their guard (C10).
bool transfers_or_exits(const assembly::Instruction& instruction) {
    return assembly::transfers_control(instruction.control_flow) ||
           instruction.control_flow == assembly::ControlFlow::Exit;
}

} // namespace

/// Of `DEPBAR.LE SBn, k` and of S_WAITCNT.
std::vector<PipelineModel::CountedWait>
PipelineModel::counted_waits(const assembly::Instruction& instruction, assembly::Target target) {
    std::vector<CountedWait> waits;
    if (is_amd(target)) {
        for (const auto& wait : assembly::amd::counted_waits(instruction, target))
            waits.push_back({wait.scoreboard, static_cast<std::size_t>(wait.most)});
        return waits;
    }
    if (instruction.opcode_class != assembly::OpcodeClass::DependenceBarrier) return waits;
    std::optional<std::size_t> count;
    for (const auto& operand : instruction.operands) {
        if (const auto* scoreboard = std::get_if<assembly::ScoreboardOperand>(&operand);
            scoreboard != nullptr && waits.empty())
            waits.push_back({scoreboard->index, 0});
        if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand);
            immediate != nullptr && immediate->integer && *immediate->integer >= 0 && !count)
            count = static_cast<std::size_t>(*immediate->integer);
    }
    for (CountedWait& wait : waits)
        wait.unreleased = count.value_or(0);
    return waits;
}

PipelineModel::PipelineModel(const assembly::Function& function,
                             const models::Architecture& architecture,
                             const std::vector<Result<models::InstructionTiming>>& timings,
                             std::int64_t buffer_entries, models::Interval buffer_drain, Side side,
                             std::vector<SlotDistance> slots, const IssueStages& stages)
    : side_{side}, units_{architecture.units.size()}, drain_{buffer_drain}, slots_{
                                                                                std::move(slots)} {
    // With fewer entries than there are, stores wait longer (upper side). Where no instruction
    // waits (lower side), only the newest entry counts.
    entries_ = static_cast<std::size_t>(std::min(buffer_entries, tracked_entries));
    if (side == Side::Lower && buffer_entries > tracked_entries) {
        entries_ = 1;
        buffer_fills_ = false;
    }
    if (const auto* slot = architecture.schedulers.find("issue-slot"); slot != nullptr)
        if (slot->interval) {
            issue_slot_ = end_of(*slot->interval, side);
            least_issue_slot_ = slot->interval->lo;
            slot_slack_ = slot->interval->hi - 1;
        }
    for (const auto& instruction : function.instructions)
        for (const CountedWait& wait : counted_waits(instruction, function.target))
            depth_ = std::max(depth_, std::min(depth_limit, wait.unreleased + 1));
    std::map<assembly::Register, std::size_t> dense;
    compiled_.resize(function.instructions.size());
    const std::vector<unsigned> unseen = unseen_counters(function, architecture, timings);
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        if (!timings[i]) continue;
        const auto& instruction = function.instructions[i];
        compiled_[i].seen = ~unseen[i];
        compiled_[i].counted = counted_waits(instruction, function.target);
        compiled_[i].releases_in_order =
            is_amd(function.target) && assembly::amd::releases_in_order(instruction);
        compile(i, instruction, timings[i].value());
        compile_queue(compiled_[i], timings[i].value(), stages.in_state);
        if (!timings[i].value().waits_for_registers) continue;
        const auto& effects = instruction.effects;
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
    if (stages.reads != nullptr) compile_stages(function, architecture, timings, stages);
}

void PipelineModel::compile_stages(const assembly::Function& function,
                                   const models::Architecture& architecture,
                                   const std::vector<Result<models::InstructionTiming>>& timings,
                                   const IssueStages& stages) {
    const RegisterReads& reads = *stages.reads;
    window_ = reads.window;
    if (stages.in_state) banks_ = reads.banks;
    const auto& counts = side_ == Side::Lower ? reads.least
                         : stages.in_state    ? reads.most_alone
                                              : reads.most;
    std::int64_t most = 1;
    std::int64_t longest_use = 0;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        Compiled& compiled = compiled_[i];
        compiled.has_fixed_latency = reads.has_fixed_latency[i];
        if (!compiled.has_fixed_latency) continue;
        compiled.reads = counts[i];
        compiled.has_latch = compiled.unit < units_ && architecture.units[compiled.unit].scope ==
                                                           models::UnitScope::Partition;
        most = std::max(most, *std::max_element(counts[i].begin(), counts[i].end()));
        if (compiled.has_latch && timings[i])
            longest_use = std::max(
                longest_use, end_of(models::occupancy_of_port(timings[i].value()), Side::Upper));
    }
    longest_lag_ = longest_lag_of_grants(most, longest_use);
    if (stages.writes != nullptr && side_ == Side::Upper) compile_writes(*stages.writes);
    if (!reads.queued.empty()) compile_queued_reads(function, timings, stages);
    if (stages.in_state || side_ == Side::Lower) return;
    // What waits for a result waits for its lag, too, before the wait counts in whole slots (S50).
    for (Compiled& compiled : compiled_) {
        if (!compiled.has_fixed_latency) continue;
        compiled.result_wait =
            until_slot(models::plus(compiled.result, longest_lag_)) - longest_lag_;
        compiled.source_wait =
            until_slot(models::plus(compiled.source_read, longest_lag_)) - longest_lag_;
    }
}

void PipelineModel::compile_writes(const RegisterWrites& writes) {
    const std::size_t count = compiled_.size();
    std::int64_t longest_result = 0;
    const auto is_fixed = [&](std::size_t i) {
        const Compiled& compiled = compiled_[i];
        return compiled.has_fixed_latency && !compiled.queues && compiled.executes &&
               writes.most_of_a_bank(i) > 0;
    };
    for (std::size_t i = 0; i < count; ++i)
        if (is_fixed(i)) longest_result = std::max(longest_result, compiled_[i].result);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t registers = writes.most_of_a_bank(i);
        Compiled& waiting = compiled_[i];
        if ((waiting.has_fixed_latency && !waiting.queues) || registers == 0) continue;
        for (std::size_t j = 0; j < count; ++j) {
            if (!is_fixed(j) || !writes.share_a_bank(i, j)) continue;
            waiting.after_fixed = until_slot(models::plus(longest_result, registers));
            compiled_[j].delays_end = std::max(compiled_[j].delays_end, waiting.after_fixed);
            if (waiting.write_barrier >= 0)
                compiled_[j].delayed |= 1U << static_cast<unsigned>(waiting.write_barrier);
        }
        after_fixed_ = std::max(after_fixed_, waiting.after_fixed);
        if (waiting.write_barrier < 0) continue;
        std::int64_t& on = after_fixed_on_[static_cast<std::size_t>(waiting.write_barrier)];
        on = std::max(on, waiting.after_fixed);
    }
}

void PipelineModel::compile_queued_reads(
    const assembly::Function& function,
    const std::vector<Result<models::InstructionTiming>>& timings, const IssueStages& stages) {
    pending_banks_ = stages.reads->banks;
    if (side_ == Side::Lower) return;
    std::int64_t most = 0;
    std::int64_t longest_use = issue_slot_;
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
        Compiled& compiled = compiled_[i];
        if (!timings[i] || !compiled.has_fixed_latency) continue;
        const models::InstructionTiming& timing = timings[i].value();
        compiled.delays_reads = compiled.reads;
        most = std::max(most, *std::ranges::max_element(compiled.reads));
        longest_use = std::max(longest_use, compiled.occupancy);
        if (stages.in_state) continue;
        // What is beyond the gap is in what S33 adds for an own instruction.
        const std::int64_t gap = std::max(
            {std::int64_t{1}, least_issue_slot_, std::min(timing.gap.lo, timing.gap_taken.lo)});
        for (std::int64_t& reads : compiled.delays_reads)
            reads = std::min(reads, gap);
    }
    beyond_window_ = std::max<std::int64_t>(0, most - window_);
    if (!stages.in_state)
        after_read_wait_ = std::max(longest_lag_, std::max(longest_use, most) - 1);
    may_be_pending_.assign(pending_banks_ * (assembly::scoreboard_count + 1), false);
    for (std::size_t i = 0; i < compiled_.size(); ++i) {
        if (!timings[i] || !compiled_[i].executes) continue;
        compiled_[i].queued = queued_read(compiled_[i], function.instructions[i],
                                          timings[i].value(), stages.reads->queued[i]);
        note_pending(compiled_[i]);
    }
}

PipelineModel::QueuedRead PipelineModel::queued_read(const Compiled& compiled,
                                                     const assembly::Instruction& instruction,
                                                     const models::InstructionTiming& timing,
                                                     const BankCounts& registers) const {
    if (*std::ranges::max_element(registers) == 0) return {};
    const auto least = [&](const models::Interval& first) {
        return sum_of_product(first.lo, timing.pass_cost.lo, timing.passes.lo - 1);
    };
    QueuedRead read{.registers = registers, .due = least(timing.source_read)};
    const bool has_result = assembly::has_result(instruction);
    if (has_result) read.due = std::min(read.due, least(timing.latency));
    if (compiled.read_barrier >= 0) read.sources = compiled.source_read - read.due;
    if (!has_result) return read;
    read.result = compiled.result - read.due;
    // Whoever delays the read has its own result so late (S73).
    constexpr std::int64_t until_reads = 3; // From two cycles before a grant to its first read.
    if (compiled.after_fixed > 0)
        read.result = std::max(read.result, compiled.after_fixed - until_reads + beyond_window_);
    return read;
}

void PipelineModel::note_pending(const Compiled& compiled) {
    const QueuedRead& read = compiled.queued;
    for (std::size_t bank = 0; bank < read.registers.size(); ++bank) {
        if (read.registers[bank] == 0) continue;
        const auto note = [&](int scoreboard) {
            may_be_pending_[static_cast<std::size_t>(scoreboard) * pending_banks_ + bank] = true;
        };
        note(end_of_warp);
        if (read.result >= 0 && compiled.write_barrier >= 0) note(compiled.write_barrier);
        if (read.sources >= 0) note(compiled.read_barrier);
    }
}

void PipelineModel::compile(std::size_t index, const assembly::Instruction& instruction,
                            const models::InstructionTiming& timing) {
    Compiled& compiled = compiled_[index];
    const std::int64_t passes = end_of(timing.passes, side_);
    const std::int64_t further = passes - 1;
    const auto wait = [&](std::int64_t cycles) {
        return side_ == Side::Upper ? until_slot(cycles) : cycles;
    };
    compiled.gap = wait(gap_between_choices(end_of(timing.gap, side_)));
    compiled.gap_taken = wait(gap_between_choices(end_of(timing.gap_taken, side_)));
    compiled.transfers =
        timing.gap != timing.gap_taken || instruction.opcode_class == assembly::OpcodeClass::Branch;
    compiled.result =
        sum_of_product(end_of(timing.latency, side_), end_of(timing.pass_cost, side_), further);
    compiled.source_read =
        sum_of_product(end_of(timing.source_read, side_), end_of(timing.pass_cost, side_), further);
    compiled.result_wait = wait(compiled.result);
    compiled.source_wait = wait(compiled.source_read);
    compiled.barrier_wait = compiled.result_wait;
    compiled.occupancy = wait(end_of(models::occupancy_of_port(timing), side_));
    // Without a write buffer nothing drains (S12).
    if (drain_.hi > 0) compiled.drain = end_of(models::drain_of_store(timing, drain_), side_);
    compiled.unit = timing.unit;
    compiled.enters_buffer = timing.enters_write_buffer;
    compiled.barrier = timing.is_barrier_wait;
    if (instruction.control) {
        compiled.wait_mask = instruction.control->wait_mask;
        if (side_ == Side::Lower) compiled.wait_mask &= compiled.seen;
        compiled.write_barrier = instruction.control->write_barrier.value_or(-1);
        compiled.read_barrier = instruction.control->read_barrier.value_or(-1);
    }
    // Of a guard with either outcome, execution is the later one, predicated off the earlier one.
    // By C10, @!PT never executes and control transfers always do: both are covered.
    const bool transfers = transfers_or_exits(instruction);
    const bool always = !instruction.guard || instruction.guard->always();
    const bool never = instruction.guard && instruction.guard->never();
    compiled.always_executes = always || (transfers && !never);
    compiled.executes = compiled.always_executes || (side_ == Side::Upper && (transfers || !never));
}

void PipelineModel::compile_queue(Compiled& compiled, const models::InstructionTiming& timing,
                                  bool in_state) {
    if (!timing.queue) return;
    const models::QueueTiming& queue = *timing.queue;
    const Side other = side_ == Side::Upper ? Side::Lower : Side::Upper;
    compiled.queues = true;
    compiled.entry = end_of(queue.entry, side_);
    compiled.other_entry = end_of(queue.entry, other);
    compiled.spacing = std::max(compiled.occupancy, end_of(queue.interval, side_));
    compiled.sources_before = queue.sources_before;
    if (in_state) {
        places_ = static_cast<std::size_t>(queue.places);
        return;
    }
    // docs/theory, S38: neither is before the hand-over.
    for (std::int64_t* time : {&compiled.result, &compiled.result_wait})
        *time = std::max(*time, compiled.entry);
    if (side_ == Side::Lower) return;
    for (std::int64_t* time : {&compiled.source_read, &compiled.source_wait})
        *time = std::max(*time, compiled.entry);
}

} // namespace warpbound::analyzer
