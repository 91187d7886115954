#include "certification/verify/policies/issue_rules.hpp"

#include "assembly/amd/counters.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <functional>
#include <variant>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;
using Timing = models::InstructionTiming;
using Transfer = assembly::ControlFlow;
using Releases = std::vector<std::int64_t>;

constexpr std::size_t most_releases = 16; ///< That are followed of a scoreboard.

void raise_time(std::int64_t& longest, std::int64_t cycles) {
    longest = std::max(longest, cycles);
}

void add_release(Releases& releases, std::int64_t cycles) {
    if (cycles <= 0) return;
    releases.insert(std::upper_bound(releases.begin(), releases.end(), cycles, std::greater<>{}),
                    cycles);
    if (releases.size() > most_releases) releases.pop_back();
}

} // namespace

void Outstanding::pass(std::int64_t cycles) {
    const auto shorten = [cycles](auto& times) {
        for (auto& [what, left] : times)
            left -= cycles;
        std::erase_if(times, [](const auto& time) { return time.second <= 0; });
    };
    shorten(registers);
    shorten(ports);
    for (Releases& releases : scoreboards) {
        for (std::int64_t& left : releases)
            left -= cycles;
        std::erase_if(releases, [](std::int64_t left) { return left <= 0; });
    }
    end = std::max<std::int64_t>(0, end - cycles);
}

bool Outstanding::cover(const Outstanding& other) {
    bool grew = other.end > end;
    raise_time(end, other.end);
    const auto larger = [&grew](auto& times, const auto& others) {
        for (const auto& [what, left] : others)
            if (std::int64_t& known = times[what]; left > known) {
                known = left;
                grew = true;
            }
    };
    larger(registers, other.registers);
    larger(ports, other.ports);
    for (std::size_t scoreboard = 0; scoreboard < scoreboards.size(); ++scoreboard) {
        Releases& known = scoreboards[scoreboard];
        const Releases& others = other.scoreboards[scoreboard];
        known.resize(std::max(known.size(), others.size()), 0);
        for (std::size_t i = 0; i < others.size(); ++i)
            if (others[i] > known[i]) {
                known[i] = others[i];
                grew = true;
            }
    }
    return grew;
}

WarpRules::WarpRules(const TimedCode& code, bool upper, QueueDelay delay)
    : code_{code}, text_{code.kernel.function->instructions}, upper_{upper},
      ends_line_{ends_of_lines(code)}, lags_(text_.size(), 0), late_(text_.size(), 0) {
    if (upper) {
        note_lags(delay);
        lag_ = longest_lag(code);
        line_wait_ = wait_for_line(code);
    }
    const auto* seen = code.kernel.architecture.schedulers.find("counter-delay");
    for (std::size_t i = 0; i < text_.size(); ++i) {
        waits_.push_back(scoreboard_waits(i));
        if (seen != nullptr && seen->interval && code.timings[i] && text_[i].control)
            note_late(i, seen->interval->hi);
    }
}

std::optional<WarpRules::ScoreboardWait> WarpRules::wait_of_depbar(const Instruction& instruction) {
    std::optional<ScoreboardWait> wait;
    std::optional<std::size_t> count;
    for (const assembly::Operand& operand : instruction.operands) {
        if (const auto* named = std::get_if<assembly::ScoreboardOperand>(&operand))
            if (!wait) wait = ScoreboardWait{static_cast<std::size_t>(named->index), 0};
        if (const auto* number = std::get_if<assembly::ImmediateOperand>(&operand))
            if (!count && number->integer && *number->integer >= 0)
                count = static_cast<std::size_t>(*number->integer);
    }
    if (wait && count) wait->unreleased = *count;
    return wait;
}

std::vector<WarpRules::ScoreboardWait> WarpRules::scoreboard_waits(std::size_t i) const {
    const Instruction& instruction = text_[i];
    const assembly::Target target = code_.kernel.function->target;
    std::vector<ScoreboardWait> waits;
    const unsigned mask = instruction.control ? instruction.control->wait_mask : 0U;
    for (std::size_t scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
        if ((mask >> scoreboard & 1U) != 0) waits.push_back({scoreboard, 0});
    if (is_amd(target)) {
        for (const auto& wait : assembly::amd::counted_waits(instruction, target))
            waits.push_back(
                {static_cast<std::size_t>(wait.scoreboard), static_cast<std::size_t>(wait.most)});
    } else if (instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier) {
        if (const auto wait = wait_of_depbar(instruction)) waits.push_back(*wait);
    }
    return waits;
}

bool WarpRules::always_executes(std::size_t i) const {
    const Instruction& instruction = text_[i];
    if (!instruction.guard || instruction.guard->always()) return true;
    return !instruction.guard->never() && (instruction.control_flow == Transfer::Exit ||
                                           assembly::transfers_control(instruction.control_flow));
}

bool WarpRules::is_executed(std::size_t i) const {
    const auto& guard = text_[i].guard;
    return always_executes(i) || (upper_ && !(guard && guard->never()));
}

template <class Use> void WarpRules::for_each_register(std::size_t i, Use use) const {
    if (!timing(i).waits_for_registers) return;
    for (const auto* registers : {&text_[i].effects.reads, &text_[i].effects.writes})
        for (const assembly::Register& reg : *registers)
            use(reg);
}

std::int64_t WarpRules::after_all_passes(const models::Interval& first, std::size_t i) const {
    const Timing& begun = timing(i);
    std::int64_t of_first = end_of(first);
    if (upper_ && begun.queue) {
        raise_time(of_first, begun.queue->entry.hi);
        of_first = models::plus(of_first, lags_[i]);
    }
    return models::plus(of_first, models::times(end_of(begun.pass_cost), end_of(begun.passes) - 1));
}

std::int64_t WarpRules::use_of_port(std::size_t i) const {
    if (!is_executed(i) || timing(i).queue) return 0;
    return upper_ ? port_occupancy(timing(i)) : least_port_occupancy(timing(i));
}

/// C4, and on the upper side the line that is looked up where control is transferred or another
/// line begins (S51). Where lanes diverge, others may go on behind the end of a block.
std::int64_t WarpRules::gap_of(const IssueStep& step) const {
    const Timing& begun = timing(*step.before);
    std::int64_t gap = end_of(step.transfers ? begun.gap_taken : begun.gap);
    const bool others_go_on = step.ends_block && !code_.kernel.facts.divergents.empty();
    if (step.transfers || ends_line_[*step.before] || others_go_on) raise_time(gap, line_wait_);
    // Two issues in different cycles are two choices of the scheduler.
    const std::int64_t slot = end_of(code_.geometry.issue_slot);
    return gap == 0 && (!upper_ || slot <= 1) ? 0 : std::max(gap, slot);
}

std::int64_t WarpRules::left_on(const Outstanding& left, const ScoreboardWait& wait) const {
    const Releases& releases = left.scoreboards.at(wait.scoreboard);
    std::size_t kept = wait.unreleased;
    if (upper_) kept = std::min(kept, most_releases - 1);
    return kept < releases.size() ? releases[kept] : 0;
}

std::int64_t WarpRules::wait(const Outstanding& left, const IssueStep& step) const {
    std::int64_t most = gap_of(step);
    if (timing(*step.before).is_barrier_wait && is_executed(*step.before))
        raise_time(most, after_all_passes(timing(*step.before).latency, *step.before));
    for_each_register(step.next, [&](const assembly::Register& reg) {
        if (const auto found = left.registers.find(reg); found != left.registers.end())
            raise_time(most, found->second);
    });
    for (const ScoreboardWait& one : waits_[step.next])
        if (upper_ || !is_unseen(step, one.scoreboard)) raise_time(most, left_on(left, one));
    if (const auto port = left.ports.find(timing(step.next).unit);
        port != left.ports.end() && is_executed(step.next) && !timing(step.next).queue)
        raise_time(most, port->second);
    return most;
}

void WarpRules::issue(Outstanding& left, const IssueStep& step) const {
    for_each_register(step.next, [&](const assembly::Register& reg) { left.registers.erase(reg); });
    for (const ScoreboardWait& wait : waits_[step.next]) {
        Releases& releases = left.scoreboards.at(wait.scoreboard);
        if (releases.size() > wait.unreleased && !is_unseen(step, wait.scoreboard))
            releases.resize(wait.unreleased);
    }
    if (always_executes(step.next) && !timing(step.next).queue)
        left.ports.erase(timing(step.next).unit);
    if (is_executed(step.next)) begin(left, step.next);
}

void WarpRules::begin(Outstanding& left, std::size_t i) const {
    const Timing& begun = timing(i);
    const Instruction& instruction = text_[i];
    // S33: what counts from a grant of register reads may be late.
    const std::int64_t late = assembly::has_fixed_latency(instruction) ? lag_ : 0;
    const std::int64_t result = models::plus(after_all_passes(begun.latency, i), late);
    raise_time(left.end, result);
    if (const std::int64_t use = use_of_port(i); use > 0) raise_time(left.ports[begun.unit], use);
    if (begun.waits_for_registers && result > 0)
        for (const assembly::Register& reg : instruction.effects.writes)
            left.registers[reg] = result;
    if (!instruction.control) return;
    if (const auto scoreboard = instruction.control->write_barrier) {
        Releases& releases = left.scoreboards.at(static_cast<std::size_t>(*scoreboard));
        const bool in_order = is_amd(code_.kernel.function->target) &&
                              assembly::amd::releases_in_order(instruction) &&
                              (upper_ || *scoreboard != assembly::amd::scalar_scoreboard);
        add_release(releases,
                    in_order && !releases.empty() ? std::max(result, releases.front()) : result);
    }
    if (const auto scoreboard = instruction.control->read_barrier) {
        const std::int64_t read = models::plus(after_all_passes(begun.source_read, i), late);
        raise_time(left.end, read);
        add_release(left.scoreboards.at(static_cast<std::size_t>(*scoreboard)), read);
    }
}

void WarpRules::note_lags(QueueDelay delay) {
    const std::int64_t stay = stay_in_queue(code_);
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (!code_.reachable[i] || !timing(i).queue) continue;
        const models::QueueTiming& queue = *timing(i).queue;
        lags_[i] = delay == QueueDelay::LongestStay ? stay - queue.entry.lo
                                                    : lag_beside_backlog(code_, queue);
    }
}

void WarpRules::note_late(std::size_t i, std::int64_t delay) {
    const Timing& begun = timing(i);
    const std::int64_t least =
        std::max(std::min(begun.gap.lo, begun.gap_taken.lo), code_.geometry.issue_slot.lo);
    if (least > delay) return;
    for (const auto& scoreboard : {text_[i].control->write_barrier, text_[i].control->read_barrier})
        if (scoreboard) late_[i] |= 1U << static_cast<unsigned>(*scoreboard);
    if (text_[i].control_flow != Transfer::None) late_behind_transfers_ |= late_[i];
}

bool WarpRules::is_unseen(const IssueStep& step, std::size_t scoreboard) const {
    unsigned late = late_behind_transfers_;
    if (step.before) late |= late_[*step.before];
    if (step.next > 0 && text_[step.next - 1].control_flow == Transfer::None)
        late |= late_[step.next - 1];
    return (late >> scoreboard & 1U) != 0;
}

} // namespace warpbound::certification::verify
