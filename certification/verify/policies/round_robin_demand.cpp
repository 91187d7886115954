#include "certification/verify/policies/round_robin_demand.hpp"

#include "assembly/isa/operand_reads.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// The number that a certificate's id ends in, after `start`.
std::optional<std::int64_t> number_at_end(std::string_view id, std::string_view start) {
    if (id.substr(0, start.size()) != start) return std::nullopt;
    id.remove_prefix(start.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
    return number;
}

void raise_to(std::int64_t& longest, std::int64_t cycles) {
    longest = std::max(longest, cycles);
}

/// The longest times for which any instruction of the kernel makes another one wait (C5 to C7).
struct LongestWaits {
    explicit LongestWaits(const TimedCode& code) {
        const std::int64_t lag = longest_lag(code);
        for (std::size_t i = 0; i < code.timings.size(); ++i) {
            if (!code.reachable[i]) continue;
            const Timing& timing = code.timings[i].value();
            const assembly::Instruction& instruction = code.kernel.function->instructions[i];
            // S33: results of instructions that pass Allocate may come late.
            const std::int64_t late = assembly::has_fixed_latency(instruction) ? lag : 0;
            const std::int64_t result = models::plus(with_passes(timing.latency.hi, timing), late);
            raise_to(completion, result);
            raise_to(of_port[timing.unit], port_occupancy(timing));
            if (timing.waits_for_registers)
                for (const auto& reg : instruction.effects.writes)
                    raise_to(of_register[reg], result);
            if (!instruction.control) continue;
            if (const auto scoreboard = instruction.control->write_barrier)
                raise_to(of_scoreboard[*scoreboard], result);
            if (const auto scoreboard = instruction.control->read_barrier) {
                const std::int64_t source_read = with_passes(timing.source_read.hi, timing);
                raise_to(of_scoreboard[*scoreboard], source_read);
                raise_to(completion, source_read);
            }
        }
    }

    /// Of an instruction, for registers, scoreboards and its port.
    [[nodiscard]] std::int64_t before(const assembly::Instruction& instruction,
                                      const Timing& timing) const {
        std::int64_t longest = of_port.at(timing.unit);
        if (timing.waits_for_registers)
            for (const auto* registers : {&instruction.effects.reads, &instruction.effects.writes})
                for (const auto& reg : *registers)
                    if (const auto found = of_register.find(reg); found != of_register.end())
                        raise_to(longest, found->second);
        // Which scoreboards DEPBAR waits for is not decoded: it may be any of them.
        const bool any = instruction.opcode_class == assembly::OpcodeClass::DependenceBarrier;
        for (const auto& [scoreboard, cycles] : of_scoreboard)
            if (any ||
                (instruction.control && (instruction.control->wait_mask >> scoreboard & 1) != 0))
                raise_to(longest, cycles);
        return longest;
    }

    std::map<assembly::Register, std::int64_t>
        of_register; ///< By the last instruction to write it.
    std::map<int, std::int64_t> of_scoreboard;
    std::map<std::size_t, std::int64_t> of_port; ///< By unit.
    std::int64_t completion = 1;
};

/// Whatever an instruction waits for was issued at the warp's turn before or earlier.
DependenceStalls dependence_stalls_of(const TimedCode& code) {
    const LongestWaits longest{code};
    const ControlFlow& flow = code.upper_flow;
    DependenceStalls stalls;
    stalls.completion = longest.completion;
    auto& stall = stalls.of_instruction;
    stall.assign(code.timings.size(), 0);
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        if (code.reachable[i])
            stall[i] =
                longest.before(code.kernel.function->instructions[i], code.timings[i].value());
    // C4 and C9: gaps and barriers of what may be issued right before.
    std::vector<bool> after_barrier(code.timings.size(), false);
    // S51: and the line, where control may be transferred or another line begins.
    const std::int64_t line_wait = wait_for_line(code);
    const std::vector<bool> ends_line = ends_of_lines(code);
    const auto add_predecessor = [&](std::size_t before, std::size_t i, bool may_transfer) {
        if (!code.reachable[before] || !code.reachable[i]) return;
        const Timing& timing = code.timings[before].value();
        raise_to(stall[i], std::max(timing.gap.hi, code.geometry.issue_slot.hi));
        if (may_transfer) raise_to(stall[i], timing.gap_taken.hi);
        if (may_transfer || ends_line[before]) raise_to(stall[i], line_wait);
        if (!timing.is_barrier_wait) return;
        raise_to(stall[i], with_passes(timing.latency.hi, timing));
        after_barrier[i] = true;
    };
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        for (std::size_t i = flow.first[block]; i < flow.last[block]; ++i)
            add_predecessor(i, i + 1, false);
        for (const std::size_t to : flow.blocks[block].successors)
            add_predecessor(flow.last[block], flow.first[to], true);
    }
    for (std::size_t i = 0; i < stall.size(); ++i) {
        raise_to(stalls.longest, stall[i]);
        if (after_barrier[i]) raise_to(stalls.after_barrier, stall[i]);
    }
    return stalls;
}

} // namespace

InterferencePerTurn interference_per_turn_of(const TimedCode& code) {
    namespace ids = certificate_id;
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t resident = launch.resident_warps();
    const std::int64_t warp_slots = launch.per_scheduler(resident); // m of S27.
    InterferencePerTurn demand{fmt::format("-round-robin-of-{}", warp_slots), {}};
    const models::Cycles waiting_interval = models::Cycles{launch.issue_slot.hi} * (warp_slots - 1);
    const auto and_waiting_interval = [waiting_interval](std::int64_t cycles) {
        return (models::Cycles{cycles} + waiting_interval).count();
    };
    const auto is_used_by_other_schedulers = [&](const Timing& timing) {
        return warp_slots < resident && is_port_of_multiprocessor(code, timing) &&
               port_occupancy(timing) > 0;
    };
    demand.tables[ids::own_scheduler + demand.suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
            const bool outlasts_slot =
                !is_port_of_warp(code, timing) && port_occupancy(timing) > launch.issue_slot.lo;
            return outlasts_slot || is_used_by_other_schedulers(timing)
                       ? and_waiting_interval(port_occupancy(timing))
                       : 0;
        });
    demand.tables[ids::other_schedulers + demand.suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
            return is_used_by_other_schedulers(timing)
                       ? and_waiting_interval(port_occupancy(timing))
                       : 0;
        });
    // No waiting interval ends by the write buffer while all stores of the launch fit.
    const bool may_be_full = stores_exceed_write_buffer(code);
    demand.tables[ids::upper_drain + demand.suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) {
            const std::int64_t drain = drain_time(code, timing, true);
            return may_be_full && timing.enters_write_buffer ? and_waiting_interval(drain) : drain;
        });
    return demand;
}

RotationDemand rotation_demand_of(const TimedCode& code) {
    namespace ids = certificate_id;
    RotationDemand demand{std::nullopt, dependence_stalls_of(code), {}};
    // S51: the stages in front of the units hold others as ports do.
    const DemandTable grants = cycles_per_grant(code);
    const auto residual = [&](const Timing& timing, std::size_t i) {
        return std::max(occupancy_beyond_slot(code, timing),
                        grants[i] - code.geometry.issue_slot.lo);
    };
    // S25a: on several schedulers a port of the multiprocessor counts with all of its occupancy,
    // and the stages apart from it.
    const auto of_any_scheduler = [&](const Timing& timing, std::size_t i) {
        if (!is_port_of_multiprocessor(code, timing) || port_occupancy(timing) == 0)
            return residual(timing, i);
        const std::int64_t in_stages = std::max<std::int64_t>(0, grants[i] - 1);
        return std::max(residual(timing, i), models::plus(port_occupancy(timing), in_stages));
    };
    auto& tables = demand.tables;
    tables[ids::upper_issue_slots] =
        demand_table(code, [&](const Timing&, std::size_t) { return code.geometry.issue_slot.hi; });
    tables[ids::residual_occupancy] = demand_table(code, residual);
    tables[std::string{ids::residual_occupancy} + ids::any_scheduler] =
        demand_table(code, of_any_scheduler);
    for (const Certificate& certificate : code.kernel.certificates)
        if (const auto length = number_at_end(certificate.id, ids::rotations_of);
            length && !demand.rotation)
            demand.rotation = length;
    if (!demand.rotation) return demand;
    const std::int64_t rotation = *demand.rotation;
    tables[rotations_certificate(rotation)] =
        demand_table(code, [&](const Timing&, std::size_t) { return rotation; });
    const auto beyond_rotation = [&](std::size_t i) {
        return std::max<std::int64_t>(0, demand.stalls.of_instruction[i] - rotation);
    };
    tables[stalls_certificate(rotation)] =
        demand_table(code, [&](const Timing& timing, std::size_t i) {
            return models::plus(beyond_rotation(i), residual(timing, i));
        });
    tables[stalls_certificate(rotation) + ids::any_scheduler] =
        demand_table(code, [&](const Timing& timing, std::size_t i) {
            return models::plus(beyond_rotation(i), of_any_scheduler(timing, i));
        });
    return demand;
}

std::string rotations_certificate(std::int64_t rotation) {
    return certificate_id::rotations_of + std::to_string(rotation);
}

std::string stalls_certificate(std::int64_t rotation) {
    return certificate_id::stalls_beyond + std::to_string(rotation);
}

} // namespace warpbound::certification::verify
