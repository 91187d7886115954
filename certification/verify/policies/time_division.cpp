#include "certification/verify/policies/time_division.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// S78: the cycles of slots of the path that have their boundaries in a stay in the queue: P' at
/// first, then P' of a warp slot for each D of it.
std::int64_t slots_in_one_stay(const TimedCode& code, const std::vector<SlotDistance>& distances) {
    const std::int64_t stay = stay_in_queue(code);
    const auto apart = [&](const SlotDistance& distance) {
        return std::max<std::int64_t>(1, distance.shortest - code.geometry.issue_slot.hi + 1);
    };
    const std::int64_t longest = any_distance(distances).longest;
    if (distances.size() == 1)
        return models::times(1 + (stay - 1) / apart(distances.front()), longest);
    std::int64_t later = 0;
    for (const SlotDistance& distance : distances) {
        const std::int64_t cycles = models::times(stay - 1, distance.longest);
        const std::int64_t d = apart(distance);
        later = std::max(later, cycles / d + (cycles % d > 0 ? 1 : 0));
    }
    return models::plus(later, longest);
}

/// Demand on warps with one of these distances.
DemandTables demand_on(const TimedCode& code, const std::vector<SlotDistance>& distances,
                       const std::string& suffix) {
    namespace ids = certificate_id;
    // S23, ports: o / P slot boundaries (rounded up), each P'.
    const auto covered = [&](const Timing& timing) -> std::int64_t {
        std::int64_t most = 0;
        // S78: behind a queue the path of the SM is in the stay.
        if (is_port_of_warp(code, timing) || timing.queue) return most;
        const std::int64_t occupancy = port_occupancy(timing);
        for (const SlotDistance& distance : distances) {
            const std::int64_t boundaries =
                occupancy / distance.shortest + (occupancy % distance.shortest == 0 ? 0 : 1);
            most = std::max(most, models::times(boundaries, distance.longest));
        }
        return most;
    };
    // A port of the scheduler that is free one slot later is free at its next slot boundary.
    const auto on_own_scheduler = [&](const Timing& timing) {
        return port_occupancy(timing) > code.geometry.issue_slot.hi ? covered(timing) : 0;
    };
    const auto on_other_schedulers = [&](const Timing& timing) {
        return is_port_of_multiprocessor(code, timing) ? covered(timing) : 0;
    };
    DemandTables tables;
    tables[ids::ports + suffix] = demand_table(code, [&](const Timing& timing, std::size_t) {
        return std::max(on_own_scheduler(timing), on_other_schedulers(timing));
    });
    // S50: as many slot boundaries of the path as lie in the L cycles, each P', and no more than
    // cycles by which the instruction makes grants lag.
    const SlotDistance any = any_distance(distances);
    const std::int64_t least_distance =
        std::max<std::int64_t>(1, any.shortest - code.geometry.issue_slot.hi + 1);
    DemandTable& held = tables[ids::stages + suffix];
    held = cycles_per_grant(code);
    for (std::int64_t& cycles : held) {
        const std::int64_t boundaries = (longest_lag(code) - 1) / least_distance + 1;
        cycles = cycles > 1 ? models::times(std::min(cycles - 1, boundaries), any.longest) : 0;
    }
    // S78: N instructions are in the queue at each blocked boundary, each at those of its stay.
    if (const std::int64_t places = places_of_queue(code); places > 0) {
        const std::int64_t shared = slots_in_one_stay(code, distances);
        tables[ids::queue_places + suffix] =
            demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
                return timing.queue ? shared / places + (shared % places > 0 ? 1 : 0) : 0;
            });
    }
    // S23, write buffer: one blocked slot, and those within the drain d: each P' of its warp slot,
    // and no more in all than the shortest distance allows.
    tables[ids::write_buffer + suffix] =
        demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
            if (!timing.enters_write_buffer) return 0;
            const std::int64_t drain = drain_time(code, timing, true);
            std::int64_t while_draining = 0;
            for (const SlotDistance& distance : distances)
                while_draining = std::max(while_draining, models::times(drain, distance.longest) /
                                                              distance.shortest);
            while_draining =
                std::min(while_draining, models::times(drain / any.shortest, any.longest));
            return (models::Cycles{any.longest} + models::Cycles{while_draining}).count();
        });
    return tables;
}

/// From block to block, or at barriers.
bool path_changes_warp_slot(const TimedCode& code) {
    return code.geometry.waves > 1 || most_barriers_if_none_ends_early(code) > 0;
}

/// S17, lemma 4: slots of a path through several waves that are blocked by ports.
void add_blocked_in_waves(const TimedCode& code, const SlotDistance& blocked,
                          const std::string& suffix, const CertificateValues& values,
                          std::vector<Term>& terms) {
    const LaunchGeometry& launch = code.geometry;
    const std::string id = certificate_id::ports + suffix;
    const std::vector<Term> of_launch{{launch.warps, 0, id}};
    // What the first multiprocessor ran before the last block began, and the second from then on.
    const std::int64_t blocks =
        std::min(launch.blocks, launch.blocks_before_last() + launch.block_slots);
    std::vector<Term> of_path{{models::times(blocks, launch.warps_per_block), 0, id}};
    std::int64_t held = 0;
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const Timing& timing = code.timings[i].value();
        const std::int64_t cycles = slot_blocking_occupancy(code, timing);
        if (cycles > launch.issue_slot.hi || is_port_of_multiprocessor(code, timing))
            held = std::max(held, cycles);
    }
    if (held > 0) of_path.push_back({1, models::plus(held, blocked.longest - 1), ""});
    const bool by_path =
        launch.multiprocessors > 1 && sum_of(values, of_path) < sum_of(values, of_launch);
    const std::vector<Term>& chosen = by_path ? of_path : of_launch;
    terms.insert(terms.end(), chosen.begin(), chosen.end());
}

/// S50: slots that are blocked in the stages in front of the units.
void add_blocked_in_stages(const TimedCode& code, const SlotDistance& blocked,
                           const std::string& suffix, std::vector<Term>& terms) {
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t lag = longest_lag(code);
    if (lag == 0) return;
    std::int64_t warps = launch.interfering_warps();
    if (!path_changes_warp_slot(code)) {
        // An instruction blocks slots up to the cycle L + 1 after its issue, its own warp's too.
        const std::int64_t preceding =
            preceding_warp_slots(code.kernel.policy, launch, launch.block_slots, blocked,
                                 (lag + 1) / launch.issue_slot.hi);
        warps = std::min(launch.per_scheduler(warps) - 1, preceding) +
                (blocked.shortest <= lag + 1 ? 1 : 0);
    }
    terms.push_back({warps, 0, certificate_id::stages + suffix});
    // Two blocked slots around the start of the last block need no issue in between.
    terms.push_back({launch.waves > 1 ? 1 : 0, blocked.longest, ""});
}

/// S78: slots that are blocked by a full memory queue.
void add_blocked_by_queue(const TimedCode& code, const std::vector<SlotDistance>& blocked,
                          const std::string& suffix, std::vector<Term>& terms) {
    const LaunchGeometry& launch = code.geometry;
    const bool has_waves = launch.waves > 1;
    const bool moves = has_waves && launch.multiprocessors > 1;
    std::int64_t warps = launch.interfering_warps();
    if (moves)
        warps =
            models::times(std::min(launch.blocks, launch.blocks_before_last() + launch.block_slots),
                          launch.warps_per_block);
    else if (!path_changes_warp_slot(code))
        warps = launch.per_scheduler(warps);
    // What blocks that do not count have left in a queue.
    const bool has_left_over = moves && warps < launch.warps;
    const std::int64_t of_warp =
        largest_path_demand(code, [](const Timing& timing, std::size_t) -> std::int64_t {
            return timing.queue ? 1 : 0;
        });
    // None is blocked where all of them have places.
    if (!has_left_over && models::times(of_warp, warps) <= places_of_queue(code)) return;
    terms.push_back({warps, 0, certificate_id::queue_places + suffix});
    // The first one after the start of the last block may follow one before it at any distance.
    if (has_waves)
        terms.push_back({1,
                         models::plus(any_distance(blocked).longest,
                                      has_left_over ? slots_in_one_stay(code, blocked) : 0),
                         ""});
}

/// S23: slots that are blocked by the write buffer, and the drains after the last store.
void add_write_buffer(const TimedCode& code, const DemandTables& tables, const std::string& suffix,
                      const CertificateValues& values, std::vector<Term>& terms) {
    namespace ids = certificate_id;
    const std::int64_t longest = largest_demand(tables, ids::upper_drain);
    if (longest == 0 && most_stores(code) == 0) return;
    const models::Interval entries = write_buffer_entries(code);
    const std::int64_t warps = code.geometry.interfering_warps();
    // None is blocked while all stores fit.
    if (models::times(most_stores(code), warps) > entries.lo)
        terms.push_back({warps, 0, ids::write_buffer + suffix});
    const std::int64_t full_buffer = models::times(longest, entries.hi);
    const std::int64_t all_drains =
        models::times(cycles_of(values, {1, 0, ids::upper_drain}), warps);
    if (all_drains <= full_buffer)
        terms.push_back({warps, 0, ids::upper_drain});
    else
        terms.push_back({1, full_buffer, ""});
}

/// `path_suffix`: of the certificate of the critical path; `blocked`: distance of the slots that
/// are blocked; `suffix`: of the certificates about these.
std::vector<Term> time_division_sum(const TimedCode& code, const DemandTables& tables,
                                    const std::string& path_suffix, const SlotDistance& blocked,
                                    const std::string& suffix, const PortsInSlots& ports,
                                    bool through_caches, const CertificateValues& values) {
    const LaunchGeometry& launch = code.geometry;
    std::vector<Term> terms{{launch.waves, 0, certificate_id::upper_path + path_suffix}};
    // After another block even a warp that owns all slots waits for one to end.
    const std::int64_t first_wait = launch.waves > 1 ? launch.issue_slot.hi : 1;
    terms.push_back({launch.waves, std::max(blocked.longest, first_wait) - 1, ""});
    terms.push_back({launch.waves - 1, launch.refill.hi, ""});
    // At a barrier the critical path goes over to a warp in any warp slot.
    terms.push_back({models::times(most_barriers_if_none_ends_early(code), launch.waves),
                     blocked.longest - 1, ""});
    if (launch.waves > 1) {
        add_blocked_in_waves(code, blocked, suffix, values, terms);
    } else {
        const auto distance = path_changes_warp_slot(code) ? std::nullopt : std::optional{blocked};
        for (Term& term : blocked_port_terms(code, ports, distance, values))
            terms.push_back(std::move(term));
    }
    add_blocked_in_stages(code, blocked, suffix, terms);
    if (has_queued_instructions(code)) {
        const bool in_any = suffix == certificate_id::in_any_warp_slot;
        add_blocked_by_queue(
            code,
            in_any ? distances_of_warp_slots(code.kernel.policy, launch, launch.block_slots)
                   : std::vector<SlotDistance>{blocked},
            suffix, terms);
    }
    if (!through_caches) add_write_buffer(code, tables, suffix, values, terms);
    return terms;
}

} // namespace

DemandTables blocked_slot_demand_of(const TimedCode& code,
                                    const std::vector<SlotDistance>& distances) {
    DemandTables tables;
    for (const SlotDistance& distance : distances)
        tables.merge(demand_on(code, {distance}, certificate_suffix(distance)));
    if (!distances.empty())
        tables.merge(demand_on(code, distances, certificate_id::in_any_warp_slot));
    return tables;
}

std::vector<Term> time_division_upper_terms_of(const TimedCode& code, const DemandTables& tables,
                                               const std::vector<SlotDistance>& distances,
                                               const PortsInSlots& ports, bool through_caches,
                                               const CertificateValues& values) {
    const std::string in_any = certificate_id::in_any_warp_slot;
    const SlotDistance any = any_distance(distances);
    if (most_barriers_if_none_ends_early(code) > 0)
        return time_division_sum(code, tables, in_any, any, in_any, ports, through_caches, values);
    std::vector<Term> worst;
    models::Cycles most{-1};
    for (const SlotDistance& distance : distances) {
        const std::string suffix = certificate_suffix(distance);
        // In several waves the critical path may come to any warp slot.
        auto terms = path_changes_warp_slot(code)
                         ? time_division_sum(code, tables, suffix, any, in_any, ports,
                                             through_caches, values)
                         : time_division_sum(code, tables, suffix, distance, suffix, ports,
                                             through_caches, values);
        const models::Cycles sum = sum_of(values, terms);
        if (!(most < sum)) continue;
        most = sum;
        worst = std::move(terms);
    }
    return worst;
}

std::optional<std::vector<Term>> time_division_lower_terms_of(const TimedCode& code,
                                                              const std::string& first_certificate,
                                                              const CertificateValues& values) {
    const LaunchGeometry& launch = code.geometry;
    // Warp slots that are taken on some multiprocessor.
    const std::int64_t blocks = std::min(launch.block_slots, launch.blocks_before_last() + 1);
    for (const SlotDistance& distance :
         distances_of_warp_slots(code.kernel.policy, launch, blocks)) {
        const std::string certificate = certificate_id::lower_path + certificate_suffix(distance);
        if (first_certificate != certificate || distance.longest == 1) continue;
        // P / P' of the path whose time slots are all P' apart, less s - 1, as the run may start
        // within a slot.
        const std::int64_t path = cycles_of(values, {1, 0, certificate});
        return std::vector<Term>{{1, 0, certificate},
                                 {1,
                                  models::times(path, distance.shortest) / distance.longest - path -
                                      (launch.issue_slot.hi - 1),
                                  ""}};
    }
    return std::nullopt;
}

} // namespace warpbound::certification::verify
