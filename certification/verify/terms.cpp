#include "certification/verify/terms.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/operand_misses.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "certification/verify/memory/atomics.hpp"
#include "certification/verify/memory/queueing.hpp"
#include "certification/verify/memory/service_times.hpp"
#include "certification/verify/policies/strict_round_robin.hpp"
#include "certification/verify/policies/time_division.hpp"
#include "certification/verify/policies/two_level.hpp"
#include "models/kernel/counters.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

CertificateValues values_of(const LaunchDemand& demand, const ClaimRow& claim) {
    return {demand.code, demand.tables, claim.id};
}

/// S27: a round-robin interference bound is claimed where the kernel has its certificates.
std::string claimed_suffix(const LaunchDemand& demand) {
    const std::string& suffix = demand.round_robin_suffix;
    const bool is_claimed =
        !suffix.empty() && !demand.code.kernel.architecture.has_read_ports() &&
        !has_queued_instructions(demand.code) &&
        find_certificate(demand.code.kernel, certificate_id::stall + suffix) != nullptr;
    return is_claimed ? suffix : std::string{};
}

std::vector<std::vector<Term>> work_conserving_sums(const LaunchDemand& demand,
                                                    const CertificateValues& /*values*/) {
    InterferenceInputs inputs{demand.code, demand.tables, claimed_suffix(demand), nullptr};
    if (exceeds_active_set(demand.code))
        inputs.policy_terms = [&demand](std::int64_t warps) {
            return active_set_terms_of(demand.code, warps);
        };
    return critical_path_terms_of(inputs);
}

/// S33 speaks of active sets only where instructions of fixed latency announce no result.
void check_read_ports(const LaunchDemand& demand) {
    const KernelCase& kernel = demand.code.kernel;
    if (!kernel.architecture.has_read_ports() || demand.code.geometry.warps == 1) return;
    const bool waits_for_registers =
        kernel.architecture.issue_control == models::IssueControl::Interlocked;
    if (waits_for_registers && exceeds_active_set(demand.code))
        throw Finding{Verdict::Failed,
                      kernel.id + ": no bound of several warps is proved under its policy on a "
                                  "machine with register-file/read-ports"};
}

/// C85: what a counter does beyond its largest value is not known.
void check_counters(const TimedCode& code) {
    std::vector<models::BlockOfCounters> blocks;
    for (std::size_t block = 0; block < code.upper_flow.blocks.size(); ++block)
        blocks.push_back({code.upper_flow.first[block], code.upper_flow.last[block],
                          code.upper_flow.blocks[block].successors});
    const auto fits =
        models::check_counters(*code.kernel.function, code.kernel.architecture, blocks);
    if (!fits) throw Finding{Verdict::Failed, code.kernel.id + ": " + to_string(fits.error())};
}

/// S38 speaks of policies only that conserve work.
void check_memory_queue(const LaunchDemand& demand) {
    const KernelCase& kernel = demand.code.kernel;
    if (!kernel.architecture.has_memory_queue() || demand.code.geometry.warps == 1) return;
    if (has_strict_turns(demand.code) || !demand.distances.empty() ||
        exceeds_active_set(demand.code))
        throw Finding{Verdict::Failed,
                      kernel.id + ": no bound of several warps is proved under its policy on a "
                                  "machine with memory-queue"};
}

using Sums = std::vector<std::vector<Term>>;

Sums strict_round_robin_sums(const LaunchDemand& demand, const CertificateValues& values) {
    return {strict_round_robin_terms_of(demand.code, demand.tables, demand.rotations,
                                        demand.waits_in_memory(), values)};
}

Sums time_division_sums(const LaunchDemand& demand, const CertificateValues& values) {
    return {time_division_upper_terms_of(demand.code, demand.tables, demand.distances,
                                         demand.memory.has_value(), values)};
}

/// The sums that a claim may be under a policy with this guarantee, of which it may be any.
struct CheckedPolicy {
    models::PolicyGuarantee guarantee;
    Sums (*sums)(const LaunchDemand&, const CertificateValues&);
};
constexpr std::array checked_policies{
    CheckedPolicy{models::PolicyGuarantee::WorkConserving, work_conserving_sums},
    CheckedPolicy{models::PolicyGuarantee::SetLimited, work_conserving_sums},
    CheckedPolicy{models::PolicyGuarantee::OrderForced, strict_round_robin_sums},
    CheckedPolicy{models::PolicyGuarantee::TimeDivision, time_division_sums},
};

/// What the policy guarantees in this launch: with so few warps that it cannot hold one back, that
/// a scheduler works whenever it can.
models::PolicyGuarantee guarantee_in(const LaunchDemand& demand) {
    using models::PolicyGuarantee;
    const PolicyGuarantee by_name = models::guarantee_of(demand.code.kernel.policy);
    switch (by_name) {
    case PolicyGuarantee::OrderForced:
        return has_strict_turns(demand.code) ? by_name : PolicyGuarantee::WorkConserving;
    case PolicyGuarantee::SetLimited:
        return exceeds_active_set(demand.code) ? by_name : PolicyGuarantee::WorkConserving;
    case PolicyGuarantee::TimeDivision:
    case PolicyGuarantee::WorkConserving:
        break;
    }
    return by_name;
}

/// Without queueing delay.
Sums policy_sums(const LaunchDemand& demand, const CertificateValues& values) {
    check_read_ports(demand);
    check_memory_queue(demand);
    if (demand.code.geometry.warps == 1) return {{{1, 0, certificate_id::upper_path}}};
    const auto* const row = std::find_if(
        checked_policies.begin(), checked_policies.end(),
        [&](const CheckedPolicy& policy) { return policy.guarantee == guarantee_in(demand); });
    return row->sums(demand, values);
}

/// S35 claims nothing of active sets, S36 does where the lines stay in the L0.
void require_proof_of_policy(const TimedCode& code) {
    if (code.geometry.warps == 1 || !exceeds_active_set(code) || lines_stay_in_l0(code)) return;
    throw Finding{Verdict::Failed, code.kernel.id +
                                       ": misses of instruction caches are bounded under policies "
                                       "that limit active sets only where the text fits into an "
                                       "L0 (S36)"};
}

/// S50: from the end of a wait for a line to the next time slot of the warp, at most, where the gap
/// before it may be 0. Any other gap counts as a distance of time slots.
std::int64_t longest_wait_for_slot(const LaunchDemand& demand) {
    const TimedCode& code = demand.code;
    if (code.geometry.warps == 1 || demand.distances.empty()) return 0;
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        if (code.reachable[i] &&
            std::min(code.timings[i].value().gap.lo, code.timings[i].value().gap_taken.lo) == 0)
            return any_distance(demand.distances).longest - 1;
    return 0;
}

/// S42 claims of active sets only what never leaves a cache, and nothing of strict turns and time
/// slots.
void require_proof_for_operands(const LaunchDemand& demand) {
    const TimedCode& code = demand.code;
    if (code.geometry.warps == 1) return;
    const bool outside_set = exceeds_active_set(code) && !all_operands_stay(code);
    if (has_strict_turns(code) || !demand.distances.empty() || outside_set)
        throw Finding{Verdict::Failed, code.kernel.id +
                                           ": misses of constant operands are bounded under "
                                           "work-conserving policies, and under those that limit "
                                           "active sets where no line is replaced (S42)"};
}

std::vector<std::vector<Term>> upper_sums(const LaunchDemand& demand, const ClaimRow& claim) {
    const CertificateValues values = values_of(demand, claim);
    auto sums = policy_sums(demand, values);
    const std::vector<Term> fetch = fetch_terms_of(demand.code, longest_wait_for_slot(demand));
    if (!fetch.empty()) require_proof_of_policy(demand.code);
    for (std::vector<Term>& terms : sums)
        terms.insert(terms.end(), fetch.begin(), fetch.end());
    const std::vector<Term> operands = operand_terms_of(demand.code);
    if (!operands.empty()) require_proof_for_operands(demand);
    for (std::vector<Term>& terms : sums)
        terms.insert(terms.end(), operands.begin(), operands.end());
    if (demand.atomics_wait)
        for (std::vector<Term>& terms : sums)
            for (Term& term : atomic_terms_of(demand.code, !demand.distances.empty()))
                terms.push_back(std::move(term));
    if (demand.memory)
        for (std::vector<Term>& terms : sums)
            terms = with_queueing_terms(std::move(terms), *demand.memory, !demand.distances.empty(),
                                        values);
    return sums;
}

std::vector<Term> lower_sum(const LaunchDemand& demand, const ClaimRow& claim) {
    if (demand.code.geometry.warps == 1) return {{1, 0, certificate_id::lower_path}};
    const std::string first = claim.terms.empty() ? "" : claim.terms.front().certificate;
    if (auto terms = time_division_lower_terms_of(demand.code, first, values_of(demand, claim)))
        return std::move(*terms);
    return lower_terms_of(demand.code, demand.tables, first);
}

std::vector<const Timing*> clock_reads(const TimedCode& code, std::size_t block) {
    std::vector<const Timing*> reads;
    for (std::size_t i = code.lower_flow.first.at(block); i <= code.lower_flow.last.at(block); ++i)
        if (code.kernel.function->instructions[i].opcode_class == assembly::OpcodeClass::ClockRead)
            reads.push_back(&code.timings[i].value());
    return reads;
}

/// S9: the time between two clock reads.
std::vector<Term> measured_sum(const LaunchDemand& demand, const ClaimRow& claim) {
    const KernelCase& kernel = demand.code.kernel;
    if (demand.waits_in_memory())
        throw Finding{Verdict::Failed,
                      kernel.id + ": no measured time is bounded where accesses wait in memory"};
    const std::string id =
        claim.upper ? certificate_id::measured_upper : certificate_id::measured_lower;
    const Certificate* certificate = find_certificate(kernel, id);
    if (certificate == nullptr || !certificate->between)
        throw Finding{Verdict::Incomplete, claim.id + ": path certificate " + id + " is missing"};
    // C3: each read adds its own latency; the safe end of each counts.
    const auto first_reads = clock_reads(demand.code, certificate->between->first);
    const auto last_reads = clock_reads(demand.code, certificate->between->second);
    const bool one_block = certificate->between->first == certificate->between->second;
    if (first_reads.empty() || last_reads.empty() || (one_block && first_reads.size() < 2))
        throw Finding{Verdict::Failed, claim.id + ": no two clock reads in its blocks"};
    const auto& first = first_reads.front()->latency;
    const auto& last = last_reads.back()->latency;
    std::vector<Term> terms{{1, 0, id},
                            {1, claim.upper ? last.hi - first.lo : last.lo - first.hi, ""}};
    // S36: the waits for lines between the reads are among those of the launch.
    if (claim.upper)
        for (Term& term : fetch_terms_of(demand.code, 0))
            terms.push_back(std::move(term));
    if (claim.upper)
        for (Term& term : operand_terms_between(demand.code, *certificate->between))
            terms.push_back(std::move(term));
    return terms;
}

/// A claim is one of these.
std::vector<std::vector<Term>> possible_sums(const LaunchDemand& demand, const ClaimRow& claim) {
    if (claim.quantity == "measured-time") return {measured_sum(demand, claim)};
    if (claim.upper) return upper_sums(demand, claim);
    return {lower_sum(demand, claim)};
}

/// Throws `Finding` when the claim adds up other terms.
void check_sum(const CertificateValues& values, const ClaimRow& claim,
               std::vector<Term>& expected) {
    std::vector<Term> stated = claim.terms;
    models::Cycles sum{0};
    for (Term& term : expected) {
        term.cycles = cycles_of(values, term);
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
        throw Finding{Verdict::Failed,
                      claim.id + ": its sum has a term that the launch does not require"};
    if (sum.count() != claim.value)
        throw Finding{Verdict::Failed, fmt::format("{}: claims {}, its terms add up to {}",
                                                   claim.id, claim.value, sum.count())};
}

} // namespace

LaunchDemand demand_of(const KernelCase& kernel, const SideFlows& flows) {
    const LaunchGeometry geometry = read_launch_geometry(kernel);
    auto distances = distances_of_warp_slots(kernel.policy, geometry, geometry.block_slots);
    LaunchDemand demand{
        timed_code(kernel, flows, geometry), std::move(distances), std::nullopt, false, {}, {}, {}};
    const TimedCode& code = demand.code;
    check_counters(code);
    demand.tables = work_conserving_demand_of(code);
    add_memory_queue_demand(code, demand.tables);
    add_read_port_demand(code, demand.tables);
    add_operand_demand(code, demand.tables);
    for (std::size_t i = 0; i < code.timings.size() && !demand.memory; ++i)
        if (code.reachable[i] && code.timings[i].value().through_caches)
            demand.memory = read_memory_parameters(kernel, geometry.multiprocessors);
    if (demand.memory) demand.tables.merge(service_demand_of(code, *demand.memory));
    if (demand.memory && !demand.distances.empty())
        demand.tables.merge(slot_boundary_demand_of(code, any_distance(demand.distances).longest));
    demand.atomics_wait = atomics_can_wait(code);
    if (demand.atomics_wait)
        demand.tables.merge(atomic_demand_of(
            code, demand.distances.empty() ? 0 : any_distance(demand.distances).longest));
    if (kernel.policy.kind == models::PolicyKind::LooseRoundRobin && !demand.waits_in_memory() &&
        !kernel.architecture.has_instruction_caches() &&
        !kernel.architecture.has_operand_caches()) {
        InterferencePerTurn per_turn = interference_per_turn_of(code);
        demand.tables.merge(per_turn.tables);
        demand.round_robin_suffix = per_turn.suffix;
    }
    const models::PolicyGuarantee guarantee = models::guarantee_of(kernel.policy);
    if (guarantee == models::PolicyGuarantee::OrderForced) {
        demand.rotations = rotation_demand_of(code);
        demand.tables.merge(demand.rotations.tables);
    }
    if (guarantee == models::PolicyGuarantee::SetLimited)
        demand.tables.merge(active_set_demand_of(code));
    demand.tables.merge(blocked_slot_demand_of(code, demand.distances));
    return demand;
}

void check_terms(const LaunchDemand& demand, const ClaimRow& claim) {
    std::optional<Finding> first;
    for (std::vector<Term>& expected : possible_sums(demand, claim)) {
        try {
            return check_sum(values_of(demand, claim), claim, expected);
        } catch (const Finding& finding) {
            if (!first) first = finding;
        }
    }
    throw Finding{first.value()};
}

} // namespace warpbound::certification::verify
