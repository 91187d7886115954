/// \file
/// The sums that bound a launch under a slotted policy (step S23 of docs/soundness.md).
#include "certification/verify/interference/critical_path.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

constexpr const char* upper_path = "execution-time-upper";
constexpr const char* lower_path = "execution-time-lower";

} // namespace

bool Contention::changes_place() const {
    return shape_.waves > 1 || costs_.barriers() > 0;
}

// Of two numbers of warps beside the one, that with the larger sum counts.
void Contention::add_lost_to_ports(std::vector<Term>& terms, const SlotRange& lost,
                                   const std::string& kind, const ClaimRow& claim) const {
    const std::int64_t warps = shape_.warps_in_reach();
    if (changes_place()) {
        terms.push_back({warps, 0, WarpCosts::ports + kind});
        return;
    }
    const std::string same = WarpCosts::ports_same + kind;
    const std::string other = WarpCosts::ports_other + kind;
    const std::int64_t to_same = cycles_of({1, 0, same}, claim);
    const std::int64_t to_other = cycles_of({1, 0, other}, claim);
    // A port is held at the points of the slots that follow the one of its use, so far as it lasts.
    const std::int64_t reach =
        std::max<std::int64_t>(0, costs_.longest_port() - 1) / shape_.issue_slot.hi;
    const std::int64_t holders =
        places_before(kernel_.policy, shape_, shape_.resident, lost, reach);
    const auto sum = [&](std::int64_t beside) {
        return models::Cycles{models::times(to_same, std::min(beside, holders))} +
               models::Cycles{models::times(to_other, warps - 1 - beside)};
    };
    const std::int64_t most = shape_.per_scheduler(warps) - 1;
    const std::int64_t fewest = warps / shape_.schedulers - 1;
    const std::int64_t beside = fewest >= 0 && sum(most) < sum(fewest) ? fewest : most;
    terms.push_back({std::min(beside, holders), 0, same});
    terms.push_back({warps - 1 - beside, 0, other});
}

std::vector<Term> Contention::slotted_sum(const std::string& path, const SlotRange& lost,
                                          const std::string& kind, const ClaimRow& claim) const {
    std::vector<Term> terms{{shape_.waves, 0, upper_path + path}};
    // Behind another block even a warp that has all slots waits for one to end.
    const std::int64_t first = shape_.waves > 1 ? shape_.issue_slot.hi : 1;
    terms.push_back({shape_.waves, std::max(lost.longest, first) - 1, ""});
    terms.push_back({shape_.waves - 1, shape_.refill.hi, ""});
    // At a barrier the chain goes over to a warp in any place.
    terms.push_back({models::times(costs_.barriers(), shape_.waves), lost.longest - 1, ""});
    add_lost_to_ports(terms, lost, kind, claim);
    // Through the caches drains are waits for the memory system.
    if (costs_.memory()) return terms;
    const std::int64_t longest = costs_.largest(WarpCosts::upper_drain);
    if (longest == 0 && costs_.most_stores() == 0) return terms;
    const auto entries = models::require(kernel_.architecture, kernel_.architecture.write_buffer,
                                         "write-buffer", "entries");
    if (!entries) throw Finding{Verdict::Failed, kernel_.id + ": " + to_string(entries.error())};
    // Nobody waits for the buffer while all stores of the launch fit.
    const std::int64_t warps = shape_.warps_in_reach();
    if (models::times(costs_.most_stores(), warps) > entries.value().lo)
        terms.push_back({warps, 0, WarpCosts::buffer + kind});
    const std::int64_t left = models::times(longest, entries.value().hi);
    const std::int64_t all = models::times(cycles_of({1, 0, WarpCosts::upper_drain}, claim), warps);
    if (all <= left)
        terms.push_back({warps, 0, WarpCosts::upper_drain});
    else
        terms.push_back({1, left, ""});
    return terms;
}

std::vector<Term> Contention::slotted_upper_terms(const ClaimRow& claim) const {
    const SlotRange any = all_of(slots_);
    if (costs_.barriers() > 0) return slotted_sum(in_any_warp_slot, any, in_any_warp_slot, claim);
    std::vector<Term> worst;
    models::Cycles most{-1};
    for (const SlotRange& range : slots_) {
        // In several waves warps of all places follow each other.
        auto terms = changes_place() ? slotted_sum(kind_of(range), any, in_any_warp_slot, claim)
                                     : slotted_sum(kind_of(range), range, kind_of(range), claim);
        const models::Cycles sum = sum_of(terms, claim);
        if (!(most < sum)) continue;
        most = sum;
        worst = std::move(terms);
    }
    return worst;
}

// The path counts every distance as the longest, from the beginning of the first slot, in which the
// run may start. Only places count that are taken on some multiprocessor.
std::optional<std::vector<Term>> Contention::slotted_lower_terms(const std::string& first,
                                                                 const ClaimRow& claim) const {
    const std::int64_t blocks =
        std::min(shape_.resident, (shape_.blocks - 1) / shape_.multiprocessors + 1);
    for (const SlotRange& range : slot_ranges(kernel_.policy, shape_, blocks)) {
        const std::string certificate = lower_path + kind_of(range);
        if (first != certificate || range.longest == 1) continue;
        const std::int64_t path = cycles_of({1, 0, certificate}, claim);
        return std::vector<Term>{{1, 0, certificate},
                                 {1,
                                  models::times(path, range.shortest) / range.longest - path -
                                      (shape_.issue_slot.hi - 1),
                                  ""}};
    }
    return std::nullopt;
}

} // namespace warpbound::certification::verify
