#include "certification/verify/policies/strict_round_robin.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "certification/verify/policies/only_schedule.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::certification::verify {

namespace {

/// What the critical path of a launch counts (the tables of S25 and S25a).
struct TurnCounts {
    std::int64_t warp_slots = 1; ///< m: of its scheduler.
    std::int64_t blocks = 1;     ///< q: that it passes.
    /// Of its warps' turns those that no rotation leads to.
    std::int64_t turns_without_rotation = 1;
    std::int64_t re_entries = 0;             ///< Of its warps: at barriers, or at starts of blocks.
    std::int64_t openings = 0;               ///< Of barriers of other blocks.
    std::int64_t starts = 0;                 ///< Of other blocks of several warps.
    std::int64_t starts_of_single_warps = 0; ///< Of blocks of one warp, its own included.
    std::int64_t warps_in_rotations = 1;     ///< Whose turns and ports count.
    std::int64_t warps_with_ports_only = 0;  ///< Further ones.
    std::int64_t warps_of_other_schedulers = 0; ///< Whose ports of the multiprocessor count.
    std::int64_t stalled_warps = 0;    ///< Whose times with the turn but without an issue count: h.
    bool on_any_scheduler = false;     ///< Its warps may be on several schedulers.
    bool has_uncounted_blocks = false; ///< A port may be held for a block that counts no more.
};

/// S25: one wave without barriers, so many warps on the scheduler.
TurnCounts counts_of_one_wave(const LaunchGeometry& launch, std::int64_t on_scheduler) {
    TurnCounts counts;
    counts.warp_slots = counts.warps_in_rotations = on_scheduler;
    counts.stalled_warps = on_scheduler - 1;
    counts.warps_of_other_schedulers = launch.resident_warps() - on_scheduler;
    return counts;
}

/// S25a, blocks of one warp.
TurnCounts counts_of_single_warps(const LaunchGeometry& launch) {
    TurnCounts counts;
    const std::int64_t begun = launch.blocks_before_last(); // k
    counts.warp_slots = launch.per_scheduler(launch.block_slots);
    const std::int64_t begun_on_scheduler =
        models::times(begun, counts.warp_slots) / launch.block_slots; // c
    counts.blocks = launch.waves;
    counts.starts_of_single_warps = begun_on_scheduler + 1;
    counts.warps_in_rotations = begun_on_scheduler + counts.warp_slots;
    counts.stalled_warps = counts.warps_in_rotations - launch.waves;
    counts.on_any_scheduler = counts.warp_slots < launch.block_slots;
    counts.warps_of_other_schedulers =
        counts.on_any_scheduler ? begun + launch.block_slots - counts.warps_in_rotations : 0;
    counts.has_uncounted_blocks = true;
    return counts;
}

/// S25a, blocks of several warps, with so many barriers on each path.
TurnCounts counts_of_blocks(const LaunchGeometry& launch, std::int64_t barriers) {
    TurnCounts counts;
    const std::int64_t per_block = launch.warps_per_block;
    const std::int64_t resident = launch.resident_warps();
    const std::int64_t waves = launch.waves;
    const std::int64_t of_block = launch.per_scheduler(per_block); // g
    const auto in_all_intervals = [&](std::int64_t warps) {
        return warps > per_block / (barriers + 1) ? per_block
                                                  : std::min(per_block, warps * (barriers + 1));
    };
    counts.warp_slots = launch.per_scheduler(resident);
    counts.on_any_scheduler = counts.warp_slots < resident;
    counts.blocks = waves;
    counts.turns_without_rotation = models::times(waves, models::plus(barriers, 1));
    counts.re_entries = models::plus(models::times(waves, barriers), waves - 1);
    if (waves == 1) {
        const std::int64_t others = launch.block_slots - 1;
        counts.openings = models::times(others, barriers);
        counts.warps_in_rotations =
            models::plus(of_block, models::times(others, in_all_intervals(of_block)));
        counts.warps_with_ports_only = resident - counts.warps_in_rotations;
        counts.stalled_warps = models::plus(in_all_intervals(of_block - 1),
                                            models::times(others, in_all_intervals(of_block)));
        return counts;
    }
    const std::int64_t begun = launch.blocks_before_last(); // k
    const bool one_multiprocessor = launch.multiprocessors == 1;
    // Whether the start of the last block cuts a block of the critical path.
    const bool cut = !one_multiprocessor || launch.block_slots > 1;
    const std::int64_t blocks = one_multiprocessor ? launch.blocks : begun + launch.block_slots;
    const std::int64_t warps = models::times(blocks, per_block);
    counts.openings = models::times(blocks - waves + (one_multiprocessor && cut ? 1 : 0), barriers);
    counts.starts = begun - launch.block_slots - (waves - 2) + (cut ? 1 : 0);
    counts.warps_in_rotations = cut ? warps : models::times(waves, of_block);
    counts.warps_with_ports_only = warps - counts.warps_in_rotations;
    counts.stalled_warps = warps;
    counts.has_uncounted_blocks = !one_multiprocessor;
    return counts;
}

/// Terms of both sums: ports of the multiprocessor that other schedulers use.
std::vector<Term> port_terms(const TimedCode& code, const TurnCounts& counts) {
    std::vector<Term> terms{
        {counts.warps_of_other_schedulers, 0, certificate_id::other_schedulers}};
    if (counts.has_uncounted_blocks)
        terms.push_back({1,
                         models::plus(std::max(longest_port_occupancy(code), longest_lag(code)),
                                      memory_queue_carry_in(code)),
                         ""});
    return terms;
}

/// From the end of a block to the time at which its successor has its first line (S51).
std::int64_t longest_refill(const TimedCode& code) {
    return models::plus(code.geometry.refill.hi, wait_for_line(code));
}

std::string scheduler_suffix(const TurnCounts& counts) {
    return counts.on_any_scheduler ? certificate_id::any_scheduler : "";
}

/// S28, by warps: the second sum of S25a.
std::vector<Term> sum_by_warps(const TimedCode& code, const TurnCounts& counts) {
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t own_starts = counts.starts_of_single_warps > 0 ? 0 : counts.blocks - 1;
    std::vector<Term> terms = port_terms(code, counts);
    terms.push_back({counts.blocks, 0, certificate_id::in_isolation});
    terms.push_back({models::times(counts.blocks, counts.warp_slots - 1), 0,
                     certificate_id::upper_issue_slots});
    // The slot that runs where the critical path comes to a warp.
    terms.push_back({counts.re_entries + (launch.waves > 1 ? 1 : 0), launch.issue_slot.hi, ""});
    terms.push_back({counts.stalled_warps, 0, certificate_id::in_isolation});
    terms.push_back(
        {counts.starts_of_single_warps + counts.starts + own_starts, longest_refill(code), ""});
    terms.push_back({models::plus(counts.warps_in_rotations, counts.warps_with_ports_only), 0,
                     certificate_id::residual_occupancy + scheduler_suffix(counts)});
    return terms;
}

/// S28, by rotations of length N.
std::vector<Term> sum_by_rotations(const TimedCode& code, const TurnCounts& counts,
                                   std::int64_t rotation, const DependenceStalls& stalls) {
    const LaunchGeometry& launch = code.geometry;
    const models::Interval& slot = launch.issue_slot;
    const std::int64_t refill = longest_refill(code);
    const std::int64_t other_slots = models::times(counts.warp_slots - 1, slot.hi);
    // Turns before one that follows a re-entry: those of the others, and of the block's g warps.
    const std::int64_t turns_of_re_entry = models::plus(
        other_slots, models::times(launch.per_scheduler(launch.warps_per_block), slot.hi));
    std::vector<Term> terms = port_terms(code, counts);
    const auto add = [&](std::int64_t count, std::int64_t cycles) {
        terms.push_back({count, cycles, ""});
    };
    terms.push_back({counts.blocks, 0, rotations_certificate(rotation)});
    add(1, other_slots - models::times(counts.turns_without_rotation, rotation));
    add(1, stalls.completion);
    terms.push_back(
        {counts.warps_in_rotations, 0, stalls_certificate(rotation) + scheduler_suffix(counts)});
    terms.push_back({counts.warps_with_ports_only, 0,
                     certificate_id::residual_occupancy + scheduler_suffix(counts)});
    add(counts.starts_of_single_warps, std::max<std::int64_t>(0, refill - rotation));
    add(counts.re_entries,
        models::plus(turns_of_re_entry, std::max({stalls.longest, refill, slot.hi})));
    add(counts.openings, models::plus(turns_of_re_entry, stalls.after_barrier));
    add(counts.starts, models::plus(turns_of_re_entry, refill));
    // S78: a queue may delay in each cycle of a slot, so that two turns are in no order of
    // distance.
    add(counts.starts_of_single_warps > 0 ? 2 * (counts.warp_slots - 1) : 0,
        has_queued_instructions(code) ? slot.hi : slot.hi - slot.lo);
    return terms;
}

/// With `on_scheduler` warps on the scheduler in one wave without barriers.
TurnCounts counts_of(const TimedCode& code, std::int64_t on_scheduler) {
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t barriers = most_barriers_if_none_ends_early(code);
    if (launch.waves == 1 && barriers == 0) return counts_of_one_wave(launch, on_scheduler);
    return launch.warps_per_block == 1 ? counts_of_single_warps(launch)
                                       : counts_of_blocks(launch, barriers);
}

bool has_certificates(const CertificateValues& values, const std::vector<Term>& terms) {
    try {
        (void)sum_of(values, terms);
        return true;
    } catch (const Finding& finding) {
        if (finding.verdict != Verdict::Incomplete) throw;
        return false;
    }
}

/// S25: one wave without barriers, of warps with one path. Certificates of other sums say that the
/// claim is one of these.
std::optional<std::vector<Term>> sum_of_only_schedule(const TimedCode& code,
                                                      const RotationDemand& demand,
                                                      const TurnCounts& counts) {
    const bool is_another = !demand.rotations.empty() ||
                            find_certificate(code.kernel, certificate_id::in_isolation) != nullptr;
    if (is_another || code.geometry.waves > 1 || code.kernel.architecture.has_read_ports())
        return std::nullopt;
    const auto time = time_of_only_schedule(code, counts.warp_slots, true);
    if (!time) return std::nullopt;
    std::vector<Term> terms = port_terms(code, counts);
    terms.push_back({1, *time, ""});
    return terms;
}

/// Without drains: each of the sums whose certificates are there, or that by warps.
std::vector<std::vector<Term>> sums_without_drains(const TimedCode& code,
                                                   const RotationDemand& demand,
                                                   const TurnCounts& counts, bool through_caches,
                                                   const CertificateValues& values) {
    const std::int64_t slots = models::times(counts.warp_slots, code.geometry.issue_slot.hi);
    std::vector<std::vector<Term>> sums;
    for (const std::int64_t rotation : demand.rotations) {
        if (rotation < slots) continue; // Of a case with fewer warps.
        auto terms = sum_by_rotations(code, counts, rotation, demand.stalls);
        if (has_certificates(values, terms)) sums.push_back(std::move(terms));
    }
    if (!through_caches)
        if (auto terms = sum_of_only_schedule(code, demand, counts); terms)
            if (has_certificates(values, *terms)) sums.push_back(std::move(*terms));
    auto terms = sum_by_warps(code, counts);
    if (sums.empty() || has_certificates(values, terms)) sums.push_back(std::move(terms));
    return sums;
}

std::vector<Term> drains_in_turns(const TimedCode& code, const DemandTables& tables) {
    const LaunchGeometry& launch = code.geometry;
    if (launch.waves > 1 && launch.multiprocessors > 1) return drain_terms_of(code, tables, "");
    return {{launch.waves == 1 ? launch.resident_warps() : launch.warps, 0,
             certificate_id::upper_drain}};
}

} // namespace

bool has_strict_turns(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    return models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::OrderForced &&
           launch.per_scheduler(launch.resident_warps()) > 1;
}

std::vector<std::vector<Term>> strict_round_robin_terms_of(const TimedCode& code,
                                                           const DemandTables& tables,
                                                           const RotationDemand& demand,
                                                           bool through_caches,
                                                           const CertificateValues& values) {
    // S29a: a rotation may wait for the loads of several warps, each of which waits at caches.
    if (through_caches && !demand.rotations.empty())
        refuted(code.kernel.id + ": rotations do not count queueing delays at caches");
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t warps = launch.resident_warps();
    // S25: a scheduler may have one warp less; the others of the multiprocessor are one more then.
    // Each case has its least sum, and the largest of these is a bound; so is whatever is no less.
    std::vector<std::vector<Term>> all;
    models::Cycles worst{0};
    for (std::int64_t on_scheduler = std::max<std::int64_t>(1, warps / launch.schedulers);
         on_scheduler <= launch.per_scheduler(warps); ++on_scheduler) {
        std::optional<models::Cycles> least;
        for (std::vector<Term>& terms : sums_without_drains(
                 code, demand, counts_of(code, on_scheduler), through_caches, values)) {
            const models::Cycles sum = sum_of(values, terms);
            least = std::min(least.value_or(sum), sum);
            all.push_back(std::move(terms));
        }
        worst = std::max(worst, *least);
    }
    std::erase_if(all, [&](const auto& terms) { return sum_of(values, terms) < worst; });
    const std::vector<Term> drains = drains_in_turns(code, tables);
    for (std::vector<Term>& terms : all)
        terms.insert(terms.end(), drains.begin(), drains.end());
    return all;
}

std::optional<std::vector<Term>>
strict_round_robin_lower_terms_of(const TimedCode& code, const std::string& first_certificate,
                                  const CertificateValues& /*values*/) {
    const LaunchGeometry& launch = code.represented;
    if (!first_certificate.empty() || launch.waves > 1 || code.kernel.architecture.has_read_ports())
        return std::nullopt;
    // Some multiprocessor has this many blocks, and a scheduler of it its share of their warps.
    const std::int64_t blocks = std::min(launch.block_slots, launch.blocks_before_last() + 1);
    const auto time = time_of_only_schedule(
        code, launch.per_scheduler(models::times(blocks, launch.warps_per_block)), false);
    if (!time) return std::nullopt;
    return std::vector<Term>{{1, *time, ""}};
}

} // namespace warpbound::certification::verify
