#include "tests/support/exact_launch.hpp"

#include "assembly/isa/program.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace warpbound::tests {

namespace {

/// All times are counted from the current cycle, none is negative.
using Time = std::int32_t;

struct Step {
    Time gap = 1;
    Time result = 0;
    Time occupancy = 1;
    Time drain = 0;
    std::size_t unit = 0;
    models::UnitScope scope = models::UnitScope::Partition;
    std::vector<std::size_t> waits;
    std::vector<std::size_t> writes;
    bool store = false;
    bool barrier = false;
    bool exit = false;
};

struct WarpState {
    std::int32_t at = -1; ///< Next instruction; -1: no warp is here.
    Time gap = 0;
    bool waits = false; ///< At a barrier that is not complete.
    std::vector<Time> registers;
    std::vector<Time> ports; ///< Of warp scope, by unit.
    friend auto operator<=>(const WarpState&, const WarpState&) = default;
};

struct State {
    std::vector<WarpState> warps;          ///< By multiprocessor, then by index on it.
    std::vector<Time> partition_ports;     ///< scheduler x units + unit
    std::vector<Time> core_ports;          ///< multiprocessor x units + unit
    std::vector<Time> next_choice;         ///< Per scheduler, by multiprocessor.
    std::vector<Time> in_round;            ///< Cycle of the round of slots, likewise.
    std::vector<Time> first;               ///< Place at which a search begins, likewise.
    std::vector<std::vector<Time>> drains; ///< Of the entries in each write buffer, in order.
    Time completion = 0;
    std::int32_t blocks_started = 0;
    friend auto operator<=>(const State&, const State&) = default;
};

void pass(Time& time) {
    if (time > 0) --time;
}

struct TooManyStates {};

class Search {
public:
    Search(const assembly::Function& function, const models::Architecture& architecture,
           const models::FlowFacts& facts, const models::Launch& launch, std::size_t most_states,
           std::size_t multiprocessors, const models::WarpPolicy* policy)
        : units_{architecture.units.size()}, most_states_{most_states}, multiprocessors_{
                                                                            multiprocessors} {
        const auto value = [&](const models::ValueGroup& group, const char* name) {
            return static_cast<Time>(group.find(name)->interval.value().hi);
        };
        schedulers_ = static_cast<std::size_t>(value(architecture.schedulers, "count"));
        issue_slot_ = value(architecture.schedulers, "issue-slot");
        entries_ = static_cast<std::size_t>(value(architecture.write_buffer, "entries"));
        const Time drain = value(architecture.write_buffer, "drain");
        const bool by_sectors = architecture.write_buffer.find("sector-drain") != nullptr;
        const Time of_sector = by_sectors ? value(architecture.write_buffer, "sector-drain") : 0;
        const Time sectors_of_line = by_sectors ? value(*architecture.memory("l1"), "line") /
                                                      value(*architecture.memory("l1"), "sector")
                                                : 0;
        per_block_ = static_cast<std::size_t>(launch.warps_per_block(32));
        blocks_ = static_cast<std::int32_t>(launch.blocks);
        resident_ = std::min<std::size_t>(
            {static_cast<std::size_t>(launch.blocks),
             static_cast<std::size_t>(value(architecture.limits, "max-blocks")),
             static_cast<std::size_t>(value(architecture.limits, "max-warps")) / per_block_});
        refill_ = value(architecture.blocks, "replacement") + value(architecture.blocks, "start");
        const auto timings =
            models::instruction_timings(function, architecture, facts, launch.threads);
        std::map<assembly::Register, std::size_t> numbers;
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const models::InstructionTiming& timing = timings[i].value();
            const auto& instruction = function.instructions[i];
            Step step;
            const auto further = static_cast<Time>(timing.passes.hi - 1);
            step.gap = std::max(static_cast<Time>(timing.gap.hi), issue_slot_);
            step.result = static_cast<Time>(timing.latency.hi) +
                          further * static_cast<Time>(timing.pass_cost.hi);
            const auto transactions = static_cast<Time>(timing.passes.hi);
            step.occupancy = static_cast<Time>(timing.initiation.hi) * transactions;
            if (timing.line_interval) // C95
                step.occupancy =
                    std::max(static_cast<Time>(timing.initiation.hi),
                             static_cast<Time>(timing.line_interval->hi) * transactions);
            step.unit = timing.unit;
            step.scope = architecture.units[timing.unit].scope;
            step.store = timing.enters_write_buffer;
            step.drain = std::max(drain * transactions, // C94
                                  of_sector * std::min<Time>(32, sectors_of_line * transactions));
            step.barrier = timing.is_barrier_wait;
            step.exit = instruction.control_flow == assembly::ControlFlow::Exit;
            const auto& effects = instruction.effects;
            const auto number = [&](const assembly::Register& reg) {
                return numbers.emplace(reg, numbers.size()).first->second;
            };
            for (const auto& reg : effects.reads)
                step.waits.push_back(number(reg));
            for (const auto& reg : effects.writes) {
                step.waits.push_back(number(reg));
                step.writes.push_back(number(reg));
            }
            steps_.push_back(std::move(step));
        }
        registers_ = numbers.size();
        using enum models::PolicyKind;
        if (policy != nullptr) {
            strict_ = policy->kind == StrictRoundRobin;
            turns_ = strict_ || policy->kind == LooseRoundRobin;
        }
        for (std::size_t i = 0; i < multiprocessors_ * schedulers_; ++i)
            rounds_.push_back(policy == nullptr || turns_ ? std::vector<std::size_t>{}
                                                          : round_of(*policy, i % schedulers_));
    }

    ExactTimes run() {
        State state;
        state.warps.resize(multiprocessors_ * resident_ * per_block_);
        state.partition_ports.assign(multiprocessors_ * schedulers_ * units_, 0);
        state.core_ports.assign(multiprocessors_ * units_, 0);
        state.next_choice.assign(multiprocessors_ * schedulers_, 0);
        state.drains.resize(multiprocessors_);
        state.in_round.assign(multiprocessors_ * schedulers_, 0);
        state.first.assign(multiprocessors_ * schedulers_, 0);
        ExactTimes times{INT64_MAX, 0};
        start_rounds(state, 0, times);
        return times;
    }

private:
    [[nodiscard]] std::size_t places_of(std::size_t scheduler) const {
        return (resident_ * per_block_ + schedulers_ - 1 - scheduler % schedulers_) / schedulers_;
    }

    /// The place of each slot (C19): one in `every` is the fast place's, the others have the rest
    /// in turn. Empty where all slots are one place's or the scheduler has none.
    [[nodiscard]] std::vector<std::size_t> round_of(const models::WarpPolicy& policy,
                                                    std::size_t scheduler) const {
        const std::size_t places = places_of(scheduler);
        std::vector<std::size_t> round;
        if (places < 2) return round;
        const std::size_t fast = static_cast<std::size_t>(policy.fast) % places;
        std::vector<std::size_t> others;
        for (std::size_t place = 0; place < places; ++place)
            if (place != fast) others.push_back(place);
        const auto every = static_cast<std::size_t>(policy.every);
        std::size_t turn = 0;
        for (std::size_t slot = 0; slot < every * others.size(); ++slot)
            round.push_back(slot % every == 0 ? fast : others[turn++ % others.size()]);
        return round;
    }

    /// All cycles of a round in which each scheduler from this one on may start.
    void start_rounds(const State& state, std::size_t scheduler, ExactTimes& times) {
        if (scheduler == rounds_.size()) {
            hand_out(state, 0, resident_, times);
            return;
        }
        State begun = state;
        const auto cycles = static_cast<Time>(rounds_[scheduler].size()) * issue_slot_;
        for (Time start = 0; start < std::max<Time>(1, cycles); ++start) {
            begun.in_round[scheduler] = start;
            const auto places = turns_ ? static_cast<Time>(places_of(scheduler)) : 1;
            for (begun.first[scheduler] = 0; begun.first[scheduler] < std::max<Time>(1, places);
                 ++begun.first[scheduler])
                start_rounds(begun, scheduler + 1, times);
        }
    }

    /// The scheduler's warps, from the place on at which its search begins.
    [[nodiscard]] std::vector<std::size_t> in_turn(const State& state,
                                                   std::size_t scheduler) const {
        const std::size_t places = places_of(scheduler);
        const std::size_t begin = scheduler / schedulers_ * resident_ * per_block_;
        std::vector<std::size_t> warps;
        for (std::size_t i = 0; i < places; ++i) {
            const std::size_t place =
                (static_cast<std::size_t>(state.first[scheduler]) + i) % places;
            warps.push_back(begin + scheduler % schedulers_ + place * schedulers_);
        }
        return warps;
    }

    /// Those of a scheduler among which its choice is open.
    [[nodiscard]] std::vector<std::size_t> candidates(const State& state,
                                                      std::size_t scheduler) const {
        std::vector<std::size_t> able;
        for (const std::size_t warp : in_turn(state, scheduler)) {
            const WarpState& each = state.warps[warp];
            if (strict_ && each.at >= 0 && !each.waits)
                return may_issue(state, warp) ? std::vector{warp} : able;
            if (strict_ || !may_be_chosen(state, warp) || !may_issue(state, warp)) continue;
            able.push_back(warp);
            if (turns_) return able;
        }
        return able;
    }

    /// Whether the running slot is the warp's.
    [[nodiscard]] bool may_be_chosen(const State& state, std::size_t warp) const {
        const std::size_t scheduler = scheduler_of(warp);
        const auto& round = rounds_[scheduler];
        const std::size_t place = warp % (resident_ * per_block_) / schedulers_;
        return round.empty() ||
               round[static_cast<std::size_t>(state.in_round[scheduler] / issue_slot_)] == place;
    }

    /// All ways to fill the multiprocessors from this one on, none with more blocks than `most` or
    /// the one before, which is alike.
    void hand_out(const State& state, std::size_t multiprocessor, std::size_t most,
                  ExactTimes& times) {
        const auto left = static_cast<std::size_t>(blocks_ - state.blocks_started);
        if (multiprocessor == multiprocessors_) {
            const bool waits_for_room = most == resident_;
            if (left > 0 && !waits_for_room) return;
            const ExactTimes found = solve(state);
            times.best = std::min(times.best, found.best);
            times.worst = std::max(times.worst, found.worst);
            return;
        }
        for (std::size_t here = 0; here <= std::min(most, left); ++here) {
            State filled = state;
            for (std::size_t slot = 0; slot < here; ++slot)
                start_block(filled, multiprocessor * resident_ + slot, 0);
            hand_out(filled, multiprocessor + 1, here, times);
        }
    }

    [[nodiscard]] std::size_t multiprocessor_of(std::size_t warp) const {
        return warp / (resident_ * per_block_);
    }
    [[nodiscard]] std::size_t scheduler_of(std::size_t warp) const {
        return multiprocessor_of(warp) * schedulers_ +
               warp % (resident_ * per_block_) % schedulers_;
    }

    void start_block(State& state, std::size_t slot, Time at) const {
        ++state.blocks_started;
        for (std::size_t i = 0; i < per_block_; ++i) {
            WarpState warp;
            warp.at = 0;
            warp.gap = at;
            warp.registers.assign(registers_, 0);
            warp.ports.assign(units_, 0);
            state.warps[slot * per_block_ + i] = std::move(warp);
        }
    }

    [[nodiscard]] bool may_issue(const State& state, std::size_t index) const {
        const WarpState& warp = state.warps[index];
        if (warp.at < 0 || warp.waits || warp.gap > 0) return false;
        const Step& step = steps_[static_cast<std::size_t>(warp.at)];
        for (const std::size_t reg : step.waits)
            if (warp.registers[reg] > 0) return false;
        if (port(const_cast<State&>(state), index, step) > 0) return false;
        return !step.store || state.drains[multiprocessor_of(index)].size() < entries_;
    }

    Time& port(State& state, std::size_t warp, const Step& step) const {
        switch (step.scope) {
        case models::UnitScope::Warp:
            return state.warps[warp].ports[step.unit];
        case models::UnitScope::Partition:
            return state.partition_ports[scheduler_of(warp) * units_ + step.unit];
        default:
            return state.core_ports[multiprocessor_of(warp) * units_ + step.unit];
        }
    }

    void issue(State& state, std::size_t index) const {
        WarpState& warp = state.warps[index];
        const Step& step = steps_[static_cast<std::size_t>(warp.at)];
        state.next_choice[scheduler_of(index)] = issue_slot_;
        if (turns_) {
            const std::size_t place = index % (resident_ * per_block_) / schedulers_;
            state.first[scheduler_of(index)] =
                static_cast<Time>((place + 1) % places_of(scheduler_of(index)));
        }
        port(state, index, step) = step.occupancy;
        for (const std::size_t reg : step.writes)
            warp.registers[reg] = step.result;
        state.completion = std::max(state.completion, step.result);
        if (step.store) {
            auto& drains = state.drains[multiprocessor_of(index)];
            drains.push_back((drains.empty() ? 0 : drains.back()) + step.drain);
            state.completion = std::max(state.completion, drains.back());
        }
        warp.gap = step.gap;
        ++warp.at;
        const std::size_t slot = index / per_block_;
        const auto first = state.warps.begin() + static_cast<std::ptrdiff_t>(slot * per_block_);
        const auto last = first + static_cast<std::ptrdiff_t>(per_block_);
        if (step.barrier) {
            warp.waits = true;
            if (std::all_of(first, last, [](const WarpState& w) { return w.waits; }))
                for (auto each = first; each != last; ++each) {
                    each->waits = false;
                    each->gap = std::max(each->gap, step.result);
                }
        }
        if (!step.exit) return;
        state.completion = std::max<Time>(state.completion, 1);
        warp = WarpState{};
        if (std::any_of(first, last, [](const WarpState& w) { return w.at >= 0; })) return;
        if (state.blocks_started < blocks_) start_block(state, slot, refill_);
    }

    /// All states in which the cycle may end, each scheduler asked once, in any order.
    void choose(const State& state, unsigned asked, std::set<State>& ends) const {
        const std::size_t schedulers = multiprocessors_ * schedulers_;
        const unsigned all = (1U << schedulers) - 1;
        if (asked == all) {
            ends.insert(state);
            return;
        }
        for (std::size_t scheduler = 0; scheduler < schedulers; ++scheduler) {
            if (((asked >> scheduler) & 1U) != 0) continue;
            bool issued = false;
            if (state.next_choice[scheduler] == 0)
                for (const std::size_t warp : candidates(state, scheduler)) {
                    issued = true;
                    State next = state;
                    issue(next, warp);
                    choose(next, asked | (1U << scheduler), ends);
                }
            if (!issued) choose(state, asked | (1U << scheduler), ends);
        }
    }

    void advance(State& state) const {
        for (std::size_t i = 0; i < rounds_.size(); ++i)
            if (!rounds_[i].empty())
                state.in_round[i] =
                    (state.in_round[i] + 1) % (static_cast<Time>(rounds_[i].size()) * issue_slot_);
        for (WarpState& warp : state.warps) {
            pass(warp.gap);
            for (Time& time : warp.registers)
                pass(time);
            for (Time& time : warp.ports)
                pass(time);
        }
        for (auto* times : {&state.partition_ports, &state.core_ports, &state.next_choice})
            for (Time& time : *times)
                pass(time);
        for (auto& drains : state.drains) {
            for (Time& time : drains)
                pass(time);
            // An entry is in the buffer before the cycle in which it drains.
            while (!drains.empty() && drains.front() == 0)
                drains.erase(drains.begin());
        }
        pass(state.completion);
    }

    ExactTimes solve(const State& state) {
        const auto known = known_.find(state);
        if (known != known_.end()) return known->second;
        if (known_.size() >= most_states_) throw TooManyStates{};
        std::set<State> ends;
        choose(state, 0, ends);
        ExactTimes times{INT64_MAX, 0};
        for (State end : ends) {
            ExactTimes rest{end.completion, end.completion};
            if (std::any_of(end.warps.begin(), end.warps.end(),
                            [](const WarpState& warp) { return warp.at >= 0; })) {
                advance(end);
                rest = solve(end);
                ++rest.best;
                ++rest.worst;
            }
            times.best = std::min(times.best, rest.best);
            times.worst = std::max(times.worst, rest.worst);
        }
        known_.emplace(state, times);
        return times;
    }

    std::vector<Step> steps_;
    std::size_t units_;
    std::size_t most_states_;
    std::size_t multiprocessors_;
    std::size_t registers_ = 0;
    std::size_t schedulers_ = 1;
    std::size_t entries_ = 1;
    std::size_t per_block_ = 1;
    std::size_t resident_ = 1;
    std::int32_t blocks_ = 1;
    Time issue_slot_ = 1;
    Time refill_ = 0;
    bool turns_ = false;  ///< Choices follow each other by place.
    bool strict_ = false; ///< Nobody is passed over.
    /// Of slotted policies. `Shape:` rounds_[scheduler][slot], a place.
    std::vector<std::vector<std::size_t>> rounds_;
    std::map<State, ExactTimes> known_;
};

} // namespace

std::optional<ExactTimes> exact_times(const assembly::Function& function,
                                      const models::Architecture& architecture,
                                      const models::FlowFacts& facts, const models::Launch& launch,
                                      std::size_t most_states, std::size_t multiprocessors,
                                      const models::WarpPolicy* policy) {
    try {
        return Search{function, architecture, facts, launch, most_states, multiprocessors, policy}
            .run();
    } catch (const TooManyStates&) {
        return std::nullopt;
    }
}

} // namespace warpbound::tests
