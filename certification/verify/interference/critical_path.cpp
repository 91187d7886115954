#include "certification/verify/interference/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

const std::string stall = "execution-time-upper-stall";
constexpr const char* alone = "execution-time-lower";
constexpr const char* residence = "execution-time-lower-residency";

} // namespace

Contention::Contention(const KernelCase& kernel, const SideFlows& flows)
    : kernel_{kernel}, shape_{read_launch_geometry(kernel)},
      slots_{slot_ranges(kernel.policy, shape_, shape_.resident)}, costs_{kernel, flows, shape_,
                                                                          slots_} {}

std::vector<Term> Contention::on_one_multiprocessor(std::int64_t blocks, const std::string& kind,
                                                    Beside beside) const {
    const std::int64_t per_block = shape_.warps_per_block;
    const std::int64_t warps = models::times(blocks, per_block);
    const std::int64_t waves = shape_.waves;
    std::vector<Term> terms{{waves, 0, stall + kind}};
    const std::int64_t windows = models::times(costs_.barriers() + 1, waves);
    std::int64_t on_scheduler = shape_.per_scheduler(warps);
    std::int64_t own = 1; // warps that are the chain's all the time
    if (windows > 1) {
        // S13: the block that is on the chain all the time counts once, the others per window.
        const std::int64_t together = shape_.per_scheduler(per_block);
        const std::int64_t whole = waves == 1 ? 1 : shape_.resident == 1 ? blocks : 0;
        own = whole;
        if (beside == Beside::Parts) {
            // A change of window falls into one part of the block that is in a place then.
            const std::int64_t places = waves == 1 ? blocks - 1 : shape_.resident;
            on_scheduler = models::times(blocks, together);
            if (whole < blocks) add_parts(terms, places, windows, kind);
        } else {
            const std::int64_t in_windows = together > per_block / windows
                                                ? per_block
                                                : std::min(per_block, windows * together);
            on_scheduler =
                models::times(whole, together) + models::times(blocks - whole, in_windows);
        }
    }
    add_active_set(terms, on_scheduler - own);
    terms.push_back({on_scheduler, 0, WarpCosts::same + kind});
    terms.push_back({warps - on_scheduler, 0, WarpCosts::other + kind});
    // S14: a block that is cut at the start of the last one.
    if (waves > 1 && shape_.resident > 1) terms.push_back({2, 0, WarpCosts::same + kind});
    terms.push_back({windows - 1, costs_.straddle(kind), ""});
    terms.push_back({waves - 1, shape_.refill.hi, ""});
    terms.push_back({warps, 0, WarpCosts::upper_drain + kind});
    return terms;
}

void Contention::add_parts(std::vector<Term>& terms, std::int64_t places, std::int64_t windows,
                           const std::string& kind) const {
    const std::int64_t changes = models::times(places, windows - 1);
    terms.push_back({models::times(changes, shape_.per_scheduler(shape_.warps_per_block)), 0,
                     WarpCosts::part + kind});
}

bool Contention::exceeds_active_set() const {
    return models::guarantee_of(kernel_.policy) == models::PolicyGuarantee::SetLimited &&
           together_on_scheduler() > kernel_.policy.active;
}

// S31: while the chain's warp stands outside, all places of the active set are taken by warps that
// wait there; one of the chain's own instructions may be what they wait for.
void Contention::add_active_set(std::vector<Term>& terms, std::int64_t others) const {
    if (!exceeds_active_set()) return;
    const std::int64_t active = kernel_.policy.active;
    terms.push_back({others / active + (others % active > 0 ? 1 : 0), 0, WarpCosts::inside});
    terms.push_back({shape_.waves, 0, WarpCosts::held});
}

// S20: of the warps of `blocks` blocks that follow each other in the places of one multiprocessor,
// those that a chain through one place in so many windows meets on its scheduler.
std::int64_t Contention::seen_on_scheduler(std::int64_t blocks, std::int64_t windows) const {
    const std::int64_t per_block = shape_.warps_per_block;
    const std::int64_t places = shape_.resident;
    if (per_block == 1) // a place keeps its scheduler
        return std::min(blocks, models::times(blocks, shape_.per_scheduler(places)) / places);
    const std::int64_t all = models::times(blocks, per_block);
    if (windows > all) return all; // more windows than there are warps to meet
    const std::int64_t meetings = blocks + models::times(places - 1, windows - 1);
    return std::min(all, models::times(meetings, shape_.per_scheduler(per_block)));
}

// S20: the chain of a place of the multiprocessor that began the fewest blocks, up to the start of
// the last one, then that of what ends last.
std::vector<Term> Contention::from_place_to_place(const std::string& kind, Beside beside) const {
    const std::int64_t per_block = shape_.warps_per_block;
    const std::int64_t before = (shape_.blocks - 1) / shape_.multiprocessors;
    const std::int64_t in_block = costs_.barriers() + 1;
    const std::int64_t windows_before = models::times(in_block, shape_.waves - 1);
    std::vector<Term> terms{{shape_.waves, 0, stall + kind}};
    std::int64_t all_seen = 0;
    const auto add_work = [&](std::int64_t warps, std::int64_t seen) {
        all_seen = models::plus(all_seen, seen);
        terms.push_back({seen, 0, WarpCosts::same + kind});
        terms.push_back({warps - seen, 0, WarpCosts::other + kind});
    };
    const std::int64_t last = models::times(shape_.resident, per_block);
    if (beside == Beside::Parts) {
        const std::int64_t together = shape_.per_scheduler(per_block);
        add_work(before * per_block, models::times(before, together));
        add_parts(terms, shape_.resident - 1, windows_before, kind);
        add_work(last, models::times(shape_.resident, together));
        add_parts(terms, shape_.resident - 1, in_block, kind);
    } else {
        add_work(before * per_block, seen_on_scheduler(before, windows_before));
        add_work(last, in_block == 1 ? shape_.per_scheduler(last)
                                     : seen_on_scheduler(shape_.resident, in_block));
    }
    add_active_set(terms, all_seen);
    terms.push_back({models::times(in_block, shape_.waves) - 1, costs_.straddle(kind), ""});
    terms.push_back({shape_.waves - 1, shape_.refill.hi, ""});
    for (const Term& drains : drains_on_several(kind))
        terms.push_back(drains);
    return terms;
}

// The drains of the two buffers that the chain waits for, or those of all stores if that is less.
std::vector<Term> Contention::drains_on_several(const std::string& kind) const {
    const std::int64_t longest = costs_.largest(WarpCosts::upper_drain + kind);
    if (longest == 0) return {};
    const std::int64_t left = models::times(longest, costs_.buffer_entries().hi);
    const std::int64_t before = (shape_.blocks - 1) / shape_.multiprocessors;
    const std::int64_t counted = models::times(before + shape_.resident, shape_.warps_per_block);
    const Certificate* drains = certificate_of(WarpCosts::upper_drain + kind);
    const std::int64_t drain = drains == nullptr ? 0 : std::max<std::int64_t>(0, drains->bound);
    const bool in_parts = models::Cycles{models::times(drain, counted)} + models::Cycles{left} <
                          models::Cycles{models::times(drain, shape_.warps)};
    std::vector<Term> terms{{in_parts ? counted : shape_.warps, 0, WarpCosts::upper_drain + kind}};
    if (in_parts) terms.push_back({1, left, ""});
    return terms;
}

// Each is a bound by itself.
std::vector<std::vector<Term>> Contention::conserving_upper_sums(const std::string& kind) const {
    std::vector<std::vector<Term>> sums;
    for (const Beside beside : {Beside::Blocks, Beside::Parts}) {
        // S31 knows what whole blocks wait for.
        if (beside == Beside::Parts && (exceeds_active_set() || shape_.warps_per_block == 1))
            continue;
        // Blocks that all start together: at most `resident` of them on one multiprocessor.
        if (shape_.waves == 1 || shape_.multiprocessors == 1)
            sums.push_back(on_one_multiprocessor(
                shape_.multiprocessors == 1 ? shape_.blocks : shape_.resident, kind, beside));
        if (shape_.waves > 1) sums.push_back(from_place_to_place(kind, beside));
    }
    return sums;
}

// S27: a second sum, where the policy allows it; the tables are those of one of them.
std::string Contention::kind_of_turns() const {
    const std::string& kind = costs_.by_turns();
    return kind.empty() || certificate_of(stall + kind) == nullptr ? std::string{} : kind;
}

std::vector<std::vector<Term>> Contention::upper_sums(const ClaimRow& claim) const {
    std::vector<std::vector<Term>> sums;
    if (in_strict_turns())
        sums.push_back(terms_in_turns(claim));
    else if (shape_.warps == 1)
        sums.push_back({{1, 0, "execution-time-upper"}});
    else if (slots_.empty())
        sums = conserving_upper_sums(kind_of_turns());
    else
        sums.push_back(slotted_upper_terms(claim));
    for (auto& terms : sums)
        add_waits(terms, claim);
    return sums;
}

std::vector<Term> Contention::lower_terms(const std::string& first) const {
    const std::int64_t waves = shape_.waves;
    if (first == alone) {
        if (waves == 1) return {{1, 0, alone}};
        return {{1, 0, alone}, {waves - 1, 0, residence}, {waves - 1, shape_.refill.lo, ""}};
    }
    // Some multiprocessor runs at least so many warps.
    const std::int64_t warps =
        models::times((shape_.blocks - 1) / shape_.multiprocessors + 1, shape_.warps_per_block);
    const std::int64_t share = shape_.per_scheduler(warps);
    if (first == WarpCosts::issue_slots)
        return {{share, 0, first}, {1, 1 - shape_.issue_slot.lo, ""}};
    if (first == WarpCosts::lower_drain) return {{warps, 0, first}};
    for (const auto& unit : kernel_.architecture.units)
        if (first == WarpCosts::port + unit.name && unit.scope != models::UnitScope::Warp)
            return {{unit.scope == models::UnitScope::Core ? warps : share, 0, first},
                    {1, -costs_.largest(first), ""}};
    throw Finding{Verdict::Failed, kernel_.id + ": a lower bound cannot rest on '" + first + "'"};
}

std::vector<Term> Contention::measured_terms(const ClaimRow& claim) const {
    if (costs_.memory())
        throw Finding{Verdict::Failed,
                      kernel_.id + ": no measured time is bounded where caches are waited for"};
    const std::string id = claim.upper ? "measured-time-upper" : "measured-time-lower";
    const Certificate* certificate = certificate_of(id);
    if (certificate == nullptr || !certificate->between)
        throw Finding{Verdict::Incomplete, claim.id + ": lemma " + id + " is missing"};
    // C3: each read adds its own latency; the safe end of each.
    const auto before = costs_.clock_reads(certificate->between->first);
    const auto behind = costs_.clock_reads(certificate->between->second);
    const bool one_block = certificate->between->first == certificate->between->second;
    if (before.empty() || behind.empty() || (one_block && before.size() < 2))
        throw Finding{Verdict::Failed, claim.id + ": no two clock reads in its blocks"};
    const auto& first = before.front()->latency;
    const auto& last = behind.back()->latency;
    return {{1, 0, id}, {1, claim.upper ? last.hi - first.lo : last.lo - first.hi, ""}};
}

std::vector<std::vector<Term>> Contention::possible_sums(const ClaimRow& claim) const {
    if (claim.quantity == "measured-time") return {measured_terms(claim)};
    if (claim.upper) return upper_sums(claim);
    if (shape_.warps == 1) return {{{1, 0, "execution-time-lower"}}};
    const std::string first = claim.terms.empty() ? "" : claim.terms.front().certificate;
    if (auto slotted = slotted_lower_terms(first, claim)) return {std::move(*slotted)};
    return {lower_terms(first)};
}

const Certificate* Contention::certificate_of(const std::string& id) const {
    const auto found =
        std::find_if(kernel_.certificates.begin(), kernel_.certificates.end(),
                     [&](const Certificate& certificate) { return certificate.id == id; });
    return found == kernel_.certificates.end() ? nullptr : &*found;
}

std::int64_t Contention::cycles_of(const Term& term, const ClaimRow& claim) const {
    if (term.certificate.empty()) return term.cycles;
    const Certificate* certificate = certificate_of(term.certificate);
    if (certificate != nullptr)
        return shape_.warps > 1 ? std::max<std::int64_t>(0, certificate->bound)
                                : certificate->bound;
    if (term.count == 0 || (costs_.sums(term.certificate) && costs_.largest(term.certificate) == 0))
        return 0;
    if (costs_.most_of_a_part(term.certificate).value_or(1) == 0) return 0;
    throw Finding{Verdict::Incomplete, claim.id + ": lemma " + term.certificate + " is missing"};
}

models::Cycles Contention::sum_of(const std::vector<Term>& terms, const ClaimRow& claim) const {
    models::Cycles sum{0};
    for (const Term& term : terms)
        sum += models::Cycles{models::times(term.count, cycles_of(term, claim))};
    return sum;
}

// A warp that is alone on its scheduler always has the turn.
bool Contention::in_strict_turns() const {
    return models::guarantee_of(kernel_.policy) == models::PolicyGuarantee::OrderForced &&
           together_on_scheduler() > 1;
}

void Contention::check_terms(const ClaimRow& claim) const {
    std::optional<Finding> first;
    for (std::vector<Term>& terms : possible_sums(claim)) {
        try {
            return check_sum(claim, terms);
        } catch (const Finding& finding) {
            if (!first) first = finding;
        }
    }
    throw Finding{first.value()};
}

void Contention::check_sum(const ClaimRow& claim, std::vector<Term>& expected) const {
    std::vector<Term> stated = claim.terms;
    models::Cycles sum{0};
    for (Term& term : expected) {
        term.cycles = cycles_of(term, claim);
        const std::int64_t value = models::times(term.cycles, term.count);
        sum += models::Cycles{value};
        const auto same = std::find(stated.begin(), stated.end(), term);
        if (same != stated.end())
            stated.erase(same);
        else if (value != 0)
            throw Finding{Verdict::Failed,
                          fmt::format("{}: its sum lacks {} x {} cycles ({})", claim.id, term.count,
                                      term.cycles,
                                      term.certificate.empty() ? "machine" : term.certificate)};
    }
    if (!stated.empty())
        throw Finding{Verdict::Failed, claim.id + ": its sum has a term that nothing explains"};
    if (sum.count() != claim.value)
        throw Finding{Verdict::Failed, fmt::format("{}: claims {}, its terms add up to {}",
                                                   claim.id, claim.value, sum.count())};
}

} // namespace warpbound::certification::verify
