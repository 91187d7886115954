/// \file
/// What a warp costs the others in strict turns, and for how long it is waited for (step S28 of
/// docs/soundness.md).
#include "certification/verify/interference/demand.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

constexpr std::string_view rounds_of = "execution-time-upper-rotations-of-";
constexpr std::string_view waits_beyond = "execution-time-upper-stalls-beyond-";

/// The number that a lemma's name ends in.
std::optional<std::int64_t> number_behind(std::string_view start, std::string_view name) {
    if (name.substr(0, start.size()) != start) return std::nullopt;
    name.remove_prefix(start.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return number;
}

std::int64_t result_of(const Timing& timing) {
    return models::plus(timing.latency.hi,
                        models::times(timing.pass_cost.hi, timing.passes.hi - 1));
}

std::int64_t sources_of(const Timing& timing) {
    return models::plus(timing.source_read.hi,
                        models::times(timing.pass_cost.hi, timing.passes.hi - 1));
}

std::int64_t port_of(const Timing& timing) {
    return models::times(timing.initiation.hi, timing.passes.hi);
}

void raise(std::int64_t& most, std::int64_t cycles) {
    most = std::max(most, cycles);
}

} // namespace

// C5 to C7: a register waits for its last writer, a scoreboard for whatever named it, a port for
// its last use; each of these issued at the turn before at the latest.
void WarpCosts::find_turn_waits() {
    std::map<assembly::Register, std::int64_t> written;
    std::map<int, std::int64_t> released;
    std::map<std::size_t, std::int64_t> taken;
    for (std::size_t i = 0; i < timings_.size(); ++i) {
        if (!live_[i]) continue;
        const Timing& timing = timings_[i].value();
        const assembly::Instruction& instruction = kernel_.function->instructions[i];
        raise(turn_waits_.completion, result_of(timing));
        raise(taken[timing.unit], port_of(timing));
        if (timing.waits_for_registers)
            for (const auto& one : instruction.effects.writes)
                raise(written[one], result_of(timing));
        if (!instruction.control) continue;
        if (const auto scoreboard = instruction.control->write_barrier)
            raise(released[*scoreboard], result_of(timing));
        if (const auto scoreboard = instruction.control->read_barrier) {
            raise(released[*scoreboard], sources_of(timing));
            raise(turn_waits_.completion, sources_of(timing));
        }
    }
    auto& waits = turn_waits_.instructions;
    waits.assign(timings_.size(), 0);
    for (std::size_t i = 0; i < timings_.size(); ++i) {
        if (!live_[i]) continue;
        const Timing& timing = timings_[i].value();
        const assembly::Instruction& instruction = kernel_.function->instructions[i];
        waits[i] = taken[timing.unit];
        if (timing.waits_for_registers) {
            for (const auto& one : instruction.effects.reads)
                if (written.count(one) != 0) raise(waits[i], written[one]);
            for (const auto& one : instruction.effects.writes)
                raise(waits[i], written[one]);
        }
        // Which scoreboard DEPBAR waits for is not looked up: any.
        const bool any = instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier;
        for (const auto& [scoreboard, cycles] : released)
            if (any ||
                (instruction.control && (instruction.control->wait_mask >> scoreboard & 1) != 0))
                raise(waits[i], cycles);
    }
    // C4 and C9: of what may issue right before.
    std::vector<bool> behind_barrier(timings_.size(), false);
    const auto follow = [&](std::size_t before, std::size_t i, bool may_transfer) {
        if (!live_[before] || !live_[i]) return;
        const Timing& timing = timings_[before].value();
        raise(waits[i], std::max(timing.gap.hi, shape_.issue_slot.hi));
        if (may_transfer) raise(waits[i], timing.gap_taken.hi);
        if (!timing.is_barrier_wait) return;
        raise(waits[i], result_of(timing));
        behind_barrier[i] = true;
    };
    for (std::size_t block = 0; block < flow_.blocks.size(); ++block) {
        for (std::size_t i = flow_.first[block]; i < flow_.last[block]; ++i)
            follow(i, i + 1, false);
        for (const std::size_t to : flow_.blocks[block].successors)
            follow(flow_.last[block], flow_.first[to], true);
    }
    for (std::size_t i = 0; i < waits.size(); ++i) {
        raise(turn_waits_.longest, waits[i]);
        if (behind_barrier[i]) raise(turn_waits_.behind_barriers, waits[i]);
    }
}

std::int64_t WarpCosts::held_beyond_slot(const Timing& timing) const {
    if (kernel_.architecture.units[timing.unit].scope == models::UnitScope::Warp) return 0;
    return std::max<std::int64_t>(0, port_of(timing) - shape_.issue_slot.lo);
}

void WarpCosts::add_strict_turns() {
    find_turn_waits();
    const auto& units = kernel_.architecture.units;
    const auto of_any = [&](const Timing& timing) {
        return units[timing.unit].scope == models::UnitScope::Core ? port_of(timing)
                                                                   : held_beyond_slot(timing);
    };
    add(slots_in_turns, [&](const Timing&, std::size_t) { return shape_.issue_slot.hi; });
    add(held, [&](const Timing& timing, std::size_t) { return held_beyond_slot(timing); });
    add(std::string{held} + anywhere,
        [&](const Timing& timing, std::size_t) { return of_any(timing); });
    for (const Certificate& certificate : kernel_.certificates)
        if (const auto round = number_behind(rounds_of, certificate.id); round && !round_)
            round_ = round;
    if (!round_) return;
    add(rotations_certificate(), [&](const Timing&, std::size_t) { return *round_; });
    const auto beyond = [&](std::size_t i) {
        return std::max<std::int64_t>(0, turn_waits_.instructions[i] - *round_);
    };
    add(queueing_certificate(), [&](const Timing& timing, std::size_t i) {
        return models::plus(beyond(i), held_beyond_slot(timing));
    });
    add(queueing_certificate() + anywhere, [&](const Timing& timing, std::size_t i) {
        return models::plus(beyond(i), of_any(timing));
    });
}

std::string WarpCosts::rotations_certificate() const {
    return std::string{rounds_of} + std::to_string(*round_);
}

std::string WarpCosts::queueing_certificate() const {
    return std::string{waits_beyond} + std::to_string(*round_);
}

std::int64_t WarpCosts::longest_port() const {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < timings_.size(); ++i) {
        if (!live_[i]) continue;
        const Timing& timing = timings_[i].value();
        if (kernel_.architecture.units[timing.unit].scope != models::UnitScope::Warp)
            raise(longest, port_of(timing));
    }
    return longest;
}

} // namespace warpbound::certification::verify
