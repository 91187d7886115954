#include "certification/verify/policies/time_division.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/policies/schedules_in_slots.hpp"
#include "models/units.hpp"

#include <algorithm>
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
    DemandTables tables;
    // S78: N instructions are in the queue at each blocked boundary, each at those of its stay.
    if (const std::int64_t places = places_of_queue(code); places > 0) {
        const std::int64_t shared = slots_in_one_stay(code, distances);
        tables[ids::queue_places + suffix] =
            demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
                return timing.queue ? shared / places + (shared % places > 0 ? 1 : 0) : 0;
            });
    }
    return tables;
}

/// S78: slots that are blocked by a full memory queue.
void add_blocked_by_queue(const TimedCode& code, const std::vector<SlotDistance>& blocked,
                          const std::string& suffix, const CertificateValues& values,
                          std::vector<Term>& terms) {
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
    const std::string id = certificate_id::queue_places + suffix;
    std::vector<Term> counted{{warps, 0, id}};
    const std::int64_t barriers = most_barriers_if_none_ends_early(code);
    if (!has_waves && barriers > 0) {
        // S78, lemma 6: of the path's block one scheduler, and what is queued at each barrier.
        const std::int64_t others = warps - launch.warps_per_block;
        const std::vector<Term> by_intervals{
            {others + launch.per_scheduler(launch.warps_per_block), 0, id},
            {barriers, slots_in_one_stay(code, blocked), ""}};
        if (sum_of(values, by_intervals) < sum_of(values, counted)) counted = by_intervals;
    }
    terms.insert(terms.end(), counted.begin(), counted.end());
    // The first one after the start of the last block may follow one before it at any distance.
    if (has_waves)
        terms.push_back({1,
                         models::plus(any_distance(blocked).longest,
                                      has_left_over ? slots_in_one_stay(code, blocked) : 0),
                         ""});
}

/// The drains after the last store.
void add_final_drains(const TimedCode& code, const DemandTables& tables,
                      const CertificateValues& values, std::vector<Term>& terms) {
    const std::string drains = certificate_id::upper_drain;
    const std::int64_t longest = largest_demand(tables, drains);
    if (longest == 0) return;
    const std::int64_t warps = code.geometry.interfering_warps();
    const std::int64_t full_buffer = models::times(longest, write_buffer_entries(code).hi);
    if (models::times(cycles_of(values, {1, 0, drains}), warps) <= full_buffer)
        terms.push_back({warps, 0, drains});
    else
        terms.push_back({1, full_buffer, ""});
}

/// `path_suffix`: of the certificate of the critical path; `blocked`: distance of the slots that
/// are blocked; `suffix`: of the certificates about these.
std::vector<Term> time_division_sum(const TimedCode& code, const DemandTables& tables,
                                    const std::string& path_suffix, const SlotDistance& blocked,
                                    const std::string& suffix, const BlockedPaths& blocked_paths,
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
    for (Term& term : blocked_terms(blocked_paths, blocked, !through_caches))
        terms.push_back(std::move(term));
    if (has_queued_instructions(code)) {
        const bool in_any = suffix == certificate_id::in_any_warp_slot;
        add_blocked_by_queue(
            code,
            in_any ? distances_of_warp_slots(code.kernel.policy, launch, launch.block_slots)
                   : std::vector<SlotDistance>{blocked},
            suffix, values, terms);
    }
    if (!through_caches) add_final_drains(code, tables, values, terms);
    return terms;
}

} // namespace

DemandTables queue_place_demand_of(const TimedCode& code,
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
                                               const BlockedPaths& blocked, bool through_caches,
                                               const CertificateValues& values) {
    const std::string in_any = certificate_id::in_any_warp_slot;
    const SlotDistance any = any_distance(distances);
    if (most_barriers_if_none_ends_early(code) > 0)
        return time_division_sum(code, tables, in_any, any, in_any, blocked, through_caches,
                                 values);
    std::vector<Term> worst;
    models::Cycles most{-1};
    for (const SlotDistance& distance : distances) {
        const std::string suffix = certificate_suffix(distance);
        // In several waves the critical path may come to any warp slot.
        auto terms = path_changes_warp_slot(code)
                         ? time_division_sum(code, tables, suffix, any, in_any, blocked,
                                             through_caches, values)
                         : time_division_sum(code, tables, suffix, distance, suffix, blocked,
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
    if (first_certificate.empty()) {
        const auto times = times_of_schedules(code);
        if (!times) return std::nullopt;
        return std::vector<Term>{{1, times->lower().count(), ""}};
    }
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
