/// \file
/// What warps wait for inside the active set of the two-level policy (step S31 of
/// docs/soundness.md).
#include "certification/verify/interference/demand.hpp"
#include "models/launch/active_set.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <deque>
#include <string>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// Cycles until what a warp's own instructions began is over, by the name of it.
using Pending = std::map<std::string, std::int64_t>;

/// One use of a port: of which unit, and by which instruction.
std::string port_name(std::size_t unit, std::size_t user) {
    return "port " + std::to_string(unit) + " " + std::to_string(user);
}

std::string scoreboard_name(int scoreboard) {
    return "SB" + std::to_string(scoreboard);
}

std::int64_t with_passes(std::int64_t one, const Timing& timing) {
    return models::plus(one, models::times(timing.pass_cost.hi, timing.passes.hi - 1));
}

/// One instruction of a listing and what C4 to C7 say of it.
class Step {
public:
    Step(const assembly::Instruction& instruction, const Timing& timing, std::size_t index)
        : instruction_{instruction}, timing_{timing}, index_{index} {}

    /// Whoever waits for one of its results finds that it has left its port.
    [[nodiscard]] bool outlasts_port() const {
        // Passes are the same for both, so the ends of their interval decide.
        for (const std::int64_t passes : {timing_.passes.lo, timing_.passes.hi})
            if (models::times(timing_.initiation.hi, passes) >
                models::plus(timing_.latency.lo, models::times(timing_.pass_cost.lo, passes - 1)))
                return false;
        return true;
    }
    [[nodiscard]] std::vector<std::string> results() const {
        std::vector<std::string> names;
        for (const auto& one : instruction_.effects.writes)
            names.push_back(assembly::to_string(one));
        if (instruction_.control && instruction_.control->write_barrier)
            names.push_back(scoreboard_name(*instruction_.control->write_barrier));
        return names;
    }
    [[nodiscard]] std::string port() const { return port_name(timing_.unit, index_); }

    /// At its issue all that it waited for is over, whether or not it executes.
    void issue(Pending& pending) const {
        for (const std::string& name : sure_waits())
            pending.erase(name);
        const auto begin = [&](const std::string& name, std::int64_t cycles) {
            std::int64_t& most = pending[name];
            most = std::max(most, cycles);
        };
        begin(port(), models::times(timing_.initiation.hi, timing_.passes.hi));
        const bool inside = !models::is_waited_for_outside(instruction_.opcode_class);
        const std::int64_t result = with_passes(timing_.latency.hi, timing_);
        if (inside && timing_.waits_for_registers)
            for (const auto& one : instruction_.effects.writes)
                begin(assembly::to_string(one), result);
        if (!instruction_.control) return;
        if (const auto named = instruction_.control->write_barrier; named && inside)
            begin(scoreboard_name(*named), result);
        if (const auto named = instruction_.control->read_barrier)
            begin(scoreboard_name(*named), with_passes(timing_.source_read.hi, timing_));
    }

    /// The longest of what it may wait for.
    [[nodiscard]] std::int64_t wait(const Pending& pending) const {
        std::vector<std::string> names = sure_waits();
        // Which scoreboard DEPBAR waits for is not looked up: any.
        if (instruction_.opcode_class == assembly::OpcodeClass::DependenceBarrier)
            for (int scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
                names.push_back(scoreboard_name(scoreboard));
        std::int64_t longest = 0;
        const std::string any_use = port_name(timing_.unit, 0);
        const std::string_view of_unit{any_use.data(), any_use.size() - 1};
        for (const auto& [name, cycles] : pending)
            if (name.starts_with(of_unit)) longest = std::max(longest, cycles);
        for (const std::string& name : names)
            if (const auto found = pending.find(name); found != pending.end())
                longest = std::max(longest, found->second);
        return longest;
    }

    [[nodiscard]] std::vector<std::string> sure_waits() const {
        std::vector<std::string> names;
        if (timing_.waits_for_registers)
            for (const auto* registers :
                 {&instruction_.effects.reads, &instruction_.effects.writes})
                for (const auto& one : *registers)
                    names.push_back(assembly::to_string(one));
        for (int scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
            if (instruction_.control &&
                (static_cast<unsigned>(instruction_.control->wait_mask) >> scoreboard & 1U) != 0)
                names.push_back(scoreboard_name(scoreboard));
        return names;
    }

private:
    const assembly::Instruction& instruction_;
    const Timing& timing_;
    std::size_t index_;
};

void pass(Pending& pending, std::int64_t cycles) {
    for (auto one = pending.begin(); one != pending.end();) {
        one->second -= cycles;
        one = one->second > 0 ? std::next(one) : pending.erase(one);
    }
}

} // namespace

void WarpCosts::add_active_set() {
    std::vector<std::int64_t> waits(timings_.size(), 0);
    const auto step = [&](std::size_t i) {
        return Step{kernel_.function->instructions[i], timings_[i].value(), i};
    };
    // By name of what is waited for: uses of ports that are over then.
    std::map<std::string, std::vector<std::string>> left;
    for (std::size_t i = 0; i < timings_.size(); ++i)
        if (live_[i] && step(i).outlasts_port())
            for (const std::string& awaited : step(i).results())
                left[awaited].push_back(step(i).port());
    const auto leave_ports = [&](std::size_t i, Pending& pending) {
        for (const std::string& awaited : step(i).sure_waits())
            for (const std::string& use : left[awaited])
                pending.erase(use);
    };
    // From `before` to `i`, which may be next.
    const auto go_on = [&](std::size_t before, std::size_t i, bool may_transfer, Pending& pending) {
        const Timing& timing = timings_[before].value();
        leave_ports(i, pending); // Before that it waits for a result, or stands outside.
        std::int64_t wait = std::max(step(i).wait(pending), timing.gap.hi);
        std::int64_t gap = timing.gap.lo;
        if (may_transfer) {
            wait = std::max(wait, timing.gap_taken.hi);
            gap = std::min(gap, timing.gap_taken.lo);
        }
        // A warp's own issue slot hides the first cycles, unless a barrier opens later.
        if (timing.is_barrier_wait)
            wait = std::max(wait, with_passes(timing.latency.hi, timing));
        else
            wait -= shape_.issue_slot.lo;
        waits[i] = std::max(waits[i], wait);
        pass(pending, gap);
    };
    std::vector<std::optional<Pending>> at_entry(flow_.blocks.size());
    at_entry.front().emplace();
    std::deque<std::size_t> open{0};
    while (!open.empty()) {
        const std::size_t block = open.front();
        open.pop_front();
        Pending pending = *at_entry[block];
        step(flow_.first[block]).issue(pending);
        for (std::size_t i = flow_.first[block]; i < flow_.last[block]; ++i) {
            go_on(i, i + 1, false, pending);
            step(i + 1).issue(pending);
        }
        for (const std::size_t to : flow_.blocks[block].successors) {
            if (!live_[flow_.first[to]]) continue;
            Pending behind = pending;
            go_on(flow_.last[block], flow_.first[to], true, behind);
            auto& known = at_entry[to];
            const bool first_time = !known;
            if (first_time) known.emplace();
            bool more = first_time;
            for (const auto& [name, cycles] : behind)
                if (std::int64_t& most = (*known)[name]; cycles > most) {
                    most = cycles;
                    more = true;
                }
            if (more) open.push_back(to);
        }
    }
    add(inside, [&](const Timing&, std::size_t i) { return waits[i]; });
    add(held, [&](const Timing& timing, std::size_t) { return held_beyond_slot(timing); });
}

} // namespace warpbound::certification::verify
