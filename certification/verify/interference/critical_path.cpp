#include "certification/verify/interference/critical_path.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/held_port.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

namespace ids = certificate_id;
using models::times;

/// How the blocks count that the critical path is not in for all of its time (S13).
enum class OtherBlocks { ByPathInterval, ByBarrierInterval };

/// S13: each change of the path interval falls into one barrier interval of the block in each of
/// these block slots, and exposes it to one more scheduler.
Term barrier_interval_term(const InterferenceInputs& inputs, std::int64_t block_slots,
                           std::int64_t path_intervals) {
    const LaunchGeometry& launch = inputs.code.geometry;
    const std::int64_t changes = times(block_slots, path_intervals - 1);
    return {times(changes, launch.per_scheduler(launch.warps_per_block)), 0,
            ids::barrier_interval + inputs.suffix};
}

void add_policy_terms(const InterferenceInputs& inputs, std::int64_t warps,
                      std::vector<Term>& terms) {
    if (!inputs.policy_terms) return;
    for (Term& term : inputs.policy_terms(warps))
        terms.push_back(std::move(term));
}

/// S13 and S14: `blocks` blocks of one multiprocessor.
std::vector<Term> one_multiprocessor_sum(const InterferenceInputs& inputs, std::int64_t blocks,
                                         OtherBlocks counted) {
    const LaunchGeometry& launch = inputs.code.geometry;
    const std::string& suffix = inputs.suffix;
    const std::int64_t per_block = launch.warps_per_block;
    const std::int64_t warps = times(blocks, per_block);
    const std::int64_t waves = launch.waves;
    std::vector<Term> terms{{waves, 0, ids::stall + suffix}};
    const std::int64_t path_intervals = times(most_barriers_of_a_path(inputs.code) + 1, waves);
    std::int64_t on_scheduler = launch.per_scheduler(warps);
    std::int64_t own = 1; // Warps of blocks that the critical path is in for all of its time.
    if (path_intervals > 1) {
        // S13: such a block counts as with one path interval, the others once for each of them.
        const std::int64_t of_block = launch.per_scheduler(per_block);
        const std::int64_t own_blocks = waves == 1 ? 1 : launch.block_slots == 1 ? blocks : 0;
        own = own_blocks;
        if (counted == OtherBlocks::ByBarrierInterval) {
            const std::int64_t other_slots = waves == 1 ? blocks - 1 : launch.block_slots;
            on_scheduler = times(blocks, of_block);
            if (own_blocks < blocks)
                terms.push_back(barrier_interval_term(inputs, other_slots, path_intervals));
        } else {
            const std::int64_t of_other_block =
                of_block > per_block / path_intervals
                    ? per_block
                    : std::min(per_block, path_intervals * of_block);
            on_scheduler = times(own_blocks, of_block) + times(blocks - own_blocks, of_other_block);
        }
    }
    add_policy_terms(inputs, on_scheduler - own, terms);
    terms.push_back({on_scheduler, 0, ids::own_scheduler + suffix});
    terms.push_back({warps - on_scheduler, 0, ids::other_schedulers + suffix});
    // S14: the demand of two warps more, for blocks that are cut when the last one starts.
    if (waves > 1 && launch.block_slots > 1) terms.push_back({2, 0, ids::own_scheduler + suffix});
    terms.push_back({path_intervals - 1, carry_in_of(inputs), ""});
    terms.push_back({waves - 1, launch.refill.hi, ""});
    terms.push_back({warps, 0, ids::upper_drain + suffix});
    return terms;
}

/// S20: of the warps of `blocks` blocks in the block slots of one multiprocessor, those that a
/// critical path through one block slot meets on its scheduler.
std::int64_t warps_met(const LaunchGeometry& launch, std::int64_t blocks,
                       std::int64_t path_intervals) {
    const std::int64_t per_block = launch.warps_per_block;
    const std::int64_t slots = launch.block_slots;
    if (per_block == 1) // The blocks of a block slot have the same scheduler.
        return std::min(blocks, times(blocks, launch.per_scheduler(slots)) / slots);
    const std::int64_t all = times(blocks, per_block);
    if (path_intervals > all) return all; // More path intervals than warps to meet.
    const std::int64_t coincidences = blocks + times(slots - 1, path_intervals - 1);
    return std::min(all, times(coincidences, launch.per_scheduler(per_block)));
}

/// S20: the critical path of a block slot up to the start of the last block, then that of what ends
/// last.
std::vector<Term> list_scheduling_sum(const InterferenceInputs& inputs, OtherBlocks counted) {
    const LaunchGeometry& launch = inputs.code.geometry;
    const std::string& suffix = inputs.suffix;
    const std::int64_t per_block = launch.warps_per_block;
    const std::int64_t slots = launch.block_slots;
    const std::int64_t blocks_before = launch.blocks_before_last();
    const std::int64_t intervals_of_block = most_barriers_of_a_path(inputs.code) + 1;
    const std::int64_t intervals_before = times(intervals_of_block, launch.waves - 1);
    std::vector<Term> terms{{launch.waves, 0, ids::stall + suffix}};
    std::int64_t all_met = 0;
    const auto add_demand = [&](std::int64_t warps, std::int64_t met) {
        all_met = models::plus(all_met, met);
        terms.push_back({met, 0, ids::own_scheduler + suffix});
        terms.push_back({warps - met, 0, ids::other_schedulers + suffix});
    };
    const std::int64_t last_warps = times(slots, per_block);
    if (counted == OtherBlocks::ByBarrierInterval) {
        const std::int64_t of_block = launch.per_scheduler(per_block);
        add_demand(blocks_before * per_block, times(blocks_before, of_block));
        terms.push_back(barrier_interval_term(inputs, slots - 1, intervals_before));
        add_demand(last_warps, times(slots, of_block));
        terms.push_back(barrier_interval_term(inputs, slots - 1, intervals_of_block));
    } else {
        add_demand(blocks_before * per_block, warps_met(launch, blocks_before, intervals_before));
        add_demand(last_warps, intervals_of_block == 1
                                   ? launch.per_scheduler(last_warps)
                                   : warps_met(launch, slots, intervals_of_block));
    }
    add_policy_terms(inputs, all_met, terms);
    terms.push_back({times(intervals_of_block, launch.waves) - 1, carry_in_of(inputs), ""});
    for (Term& term : refill_terms_of(inputs, launch.waves - 2, drains_of_block(inputs)))
        terms.push_back(std::move(term));
    for (Term& term :
         drain_terms_of(inputs.code, inputs.tables, suffix, time_hiding_drains(inputs)))
        terms.push_back(std::move(term));
    return terms;
}

/// S12a: with ends before a barrier, all warps count with their demand on the own scheduler; where
/// the critical path is left for another warp at an end, one path more counts.
std::vector<Term> early_ends_sum(const InterferenceInputs& inputs, std::int64_t ends_of_block) {
    const LaunchGeometry& launch = inputs.code.geometry;
    const std::string& suffix = inputs.suffix;
    const std::int64_t full = times(launch.block_slots, launch.warps_per_block);
    const std::int64_t ends = times(ends_of_block, launch.waves);
    std::int64_t warps = launch.multiprocessors > 1 ? full : launch.warps;
    // S20: on several multiprocessors the blocks of two paths count, each with all of its demand.
    const bool has_two_paths = launch.multiprocessors > 1 && launch.waves > 1;
    if (has_two_paths) warps += times(launch.blocks_before_last(), launch.warps_per_block);
    const bool cut_by_last_block = !has_two_paths && launch.waves > 1 && launch.block_slots > 1;
    const std::int64_t intervals = times(most_barriers_of_a_path(inputs.code) + 1, launch.waves);
    std::vector<Term> terms{
        {models::plus(launch.waves, ends), 0, ids::stall + suffix},
        {warps, 0, ids::own_scheduler + suffix},
        {models::plus(ends, cut_by_last_block ? 2 : 0), 0, ids::own_scheduler + suffix},
        {intervals - 1, carry_in_of(inputs), ""},
        {launch.waves - 1, launch.refill.hi, ""}};
    if (!has_two_paths) {
        terms.push_back({warps, 0, ids::upper_drain + suffix});
        return terms;
    }
    for (Term& term : drain_terms_of(inputs.code, inputs.tables, suffix))
        terms.push_back(std::move(term));
    return terms;
}

} // namespace

std::int64_t carry_in_of(const InterferenceInputs& inputs) {
    const std::int64_t held = inputs.suffix.empty() ? longest_hold(inputs.code) : 0; // S98.
    const models::Cycles longest{
        std::max(held, largest_demand(inputs.tables, ids::own_scheduler + inputs.suffix))};
    // S38: and what waits in memory queues.
    const std::int64_t queued = memory_queue_carry_in(inputs.code);
    // S33: or how far the grants of its register reads may lag.
    if (inputs.code.kernel.architecture.has_read_ports())
        return models::plus(std::max(longest.count(), longest_lag(inputs.code)), queued);
    if (inputs.suffix.empty()) return models::plus(longest.count(), queued);
    // S27: the issue slot of the warp that was in the warp slot before may not be over.
    return (longest + models::Cycles{inputs.code.geometry.issue_slot.hi - 1}).count();
}

std::vector<std::vector<Term>> critical_path_terms_of(const InterferenceInputs& inputs) {
    const LaunchGeometry& launch = inputs.code.geometry;
    if (inputs.policy_terms)
        most_barriers_if_none_ends_early(inputs.code); // S31 claims nothing of the others.
    else if (const std::int64_t ends = early_ends_of_a_block(inputs.code); ends > 0)
        return {early_ends_sum(inputs, ends)};
    std::vector<std::vector<Term>> sums;
    for (const OtherBlocks counted :
         {OtherBlocks::ByPathInterval, OtherBlocks::ByBarrierInterval}) {
        // S31 is claimed of whole blocks only. Barrier intervals count where a block has warps on
        // several schedulers.
        if (counted == OtherBlocks::ByBarrierInterval &&
            (inputs.policy_terms ||
             launch.per_scheduler(launch.warps_per_block) >= launch.warps_per_block))
            continue;
        // S20: blocks that all start at the same time are those of one full multiprocessor.
        if (launch.waves == 1 || launch.multiprocessors == 1)
            sums.push_back(one_multiprocessor_sum(
                inputs, launch.multiprocessors == 1 ? launch.blocks : launch.block_slots, counted));
        if (launch.waves > 1) sums.push_back(list_scheduling_sum(inputs, counted));
    }
    return sums;
}

std::vector<Term> drain_terms_of(const TimedCode& code, const DemandTables& tables,
                                 const std::string& suffix, std::int64_t hidden) {
    const LaunchGeometry& launch = code.geometry;
    const std::string id = ids::upper_drain + suffix;
    const std::int64_t longest = largest_demand(tables, id);
    if (longest == 0) return {};
    const std::int64_t full_buffer =
        std::max<std::int64_t>(0, times(longest, write_buffer_entries(code).hi) - hidden);
    const std::int64_t warps =
        times(launch.blocks_before_last() + launch.block_slots, launch.warps_per_block);
    const Certificate* certificate = find_certificate(code.kernel, id);
    const std::int64_t drain =
        certificate == nullptr ? 0 : std::max<std::int64_t>(0, certificate->bound);
    const bool of_two_paths = models::Cycles{times(drain, warps)} + models::Cycles{full_buffer} <
                              models::Cycles{times(drain, launch.warps)};
    std::vector<Term> terms{{of_two_paths ? warps : launch.warps, 0, id}};
    if (of_two_paths) terms.push_back({1, full_buffer, ""});
    return terms;
}

std::int64_t time_hiding_drains(const InterferenceInputs& inputs) {
    const TimedCode& code = inputs.code;
    const bool conserves =
        models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::WorkConserving;
    if (!conserves || !inputs.suffix.empty() || inputs.policy_terms) return 0;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        if (timing.through_caches || timing.queue) return 0;
    }
    return code.geometry.refill.hi;
}

std::int64_t drains_of_block(const InterferenceInputs& inputs) {
    const Certificate* drains = find_certificate(inputs.code.kernel, ids::upper_drain);
    if (drains == nullptr) return 0;
    return times(std::max<std::int64_t>(0, drains->bound), inputs.code.geometry.warps_per_block);
}

std::int64_t refill_on_first_path(const InterferenceInputs& inputs, std::int64_t of_block) {
    const TimedCode& code = inputs.code;
    const std::int64_t whole = code.geometry.refill.hi;
    if (of_block == 0 || time_hiding_drains(inputs) == 0) return whole;
    // Entries behind the head of a full buffer: while one of them drains, it is not full.
    const std::int64_t behind = write_buffer_entries(code).lo - 1;
    if (behind < 1) return whole;
    std::int64_t beyond_port = whole; // Of one store; more than the refill does not matter.
    std::int64_t in_port = 0;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i] || !code.timings[i].value().enters_write_buffer) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        const std::int64_t drain = drain_time(code, timing, true);
        // S52: only such an occupancy is among the cycles of the drain.
        const std::int64_t port = port_occupancy(timing) <= drain ? port_occupancy(timing) : 0;
        beyond_port = std::min(beyond_port, drain - port);
        in_port = std::max(in_port, port);
    }
    const std::int64_t drained =
        std::min(times(behind, beyond_port), of_block - times(behind - 1, in_port));
    return whole - std::clamp<std::int64_t>(drained, 0, whole);
}

std::vector<Term> refill_terms_of(const InterferenceInputs& inputs, std::int64_t before_last,
                                  std::int64_t of_block) {
    const std::int64_t whole = inputs.code.geometry.refill.hi;
    const std::int64_t shorter = refill_on_first_path(inputs, of_block);
    if (shorter == whole) return {{models::plus(before_last, 1), whole, ""}};
    return {{before_last, shorter, ""}, {1, whole, ""}};
}

std::int64_t schedulers_of_path(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t in_use = schedulers_with_warps(code);
    const std::int64_t warps = times(launch.waves, models::plus(most_barriers_of_a_path(code), 1));
    if (warps == 1) return 1;
    // Other policies count waits of further warps.
    const bool conserves =
        models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::WorkConserving;
    return conserves ? std::min(in_use, warps) : in_use;
}

std::int64_t schedulers_with_warps(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    const bool is_on_two = launch.waves > 1 && launch.multiprocessors > 1;
    return times(is_on_two ? 2 : 1, std::min(launch.schedulers, launch.resident_warps()));
}

SchedulersOfTwo schedulers_of_two(const TimedCode& code, bool any_blocks) {
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t each = std::min(launch.schedulers, launch.resident_warps());
    if (any_blocks) return {each, 1, 1};
    const std::int64_t warps_of_block = models::plus(most_barriers_of_a_path(code), 1);
    const std::int64_t of_block = std::min(each, warps_of_block);
    return {std::min(each, times(launch.waves - 1, warps_of_block)), of_block, of_block};
}

std::vector<Term> lower_terms_of(const TimedCode& code, const DemandTables& tables,
                                 const std::string& first_certificate) {
    const LaunchGeometry& launch = code.represented;
    const std::int64_t waves = launch.waves;
    if (first_certificate == ids::lower_path) {
        if (waves == 1) return {{1, 0, ids::lower_path}};
        return {{1, 0, ids::lower_path},
                {waves - 1, 0, ids::lower_residency},
                {waves - 1, launch.refill.lo, ""}};
    }
    // S20: some multiprocessor runs at least this many warps.
    const std::int64_t warps = times(launch.blocks_before_last() + 1, launch.warps_per_block);
    const std::int64_t on_scheduler = launch.per_scheduler(warps);
    if (first_certificate == ids::lower_issue_slots)
        return {{on_scheduler, 0, first_certificate}, {1, 1 - launch.issue_slot.lo, ""}};
    if (first_certificate == ids::lower_drain) return {{warps, 0, first_certificate}};
    for (const auto& unit : code.kernel.architecture.units)
        if (first_certificate == ids::lower_port + unit.name &&
            unit.scope != models::UnitScope::Warp)
            return {{unit.scope == models::UnitScope::Core ? warps : on_scheduler, 0,
                     first_certificate},
                    {1, -largest_demand(tables, first_certificate), ""}};
    // S38: the last hand-over need not be followed by another.
    if (first_certificate == ids::lower_memory_queue && tables.count(first_certificate) != 0)
        return {{on_scheduler, 0, first_certificate},
                {1, -largest_demand(tables, first_certificate), ""}};
    if (first_certificate.starts_with(ids::lower_read_port) && tables.count(first_certificate) != 0)
        return {{on_scheduler, 0, first_certificate}, {1, -read_window(code), ""}};
    refuted(code.kernel.id + ": a lower bound cannot rest on '" + first_certificate + "'");
}

} // namespace warpbound::certification::verify
