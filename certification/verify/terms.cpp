#include "certification/verify/terms.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/held_port.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/operand_misses.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "certification/verify/interference/warp_demand.hpp"
#include "certification/verify/memory/atomics.hpp"
#include "certification/verify/memory/bandwidth.hpp"
#include "certification/verify/memory/least_traffic.hpp"
#include "certification/verify/memory/loaded_data.hpp"
#include "certification/verify/memory/queueing.hpp"
#include "certification/verify/memory/service_times.hpp"
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

CertificateValues values_for(const LaunchDemand& demand, const ClaimRow& claim) {
    return {demand.code, demand.tables, claim.id};
}

/// C85: what a counter does beyond its largest value is not known.
void require_counters_in_range(const TimedCode& code) {
    std::vector<models::BlockOfCounters> blocks;
    for (std::size_t block = 0; block < code.upper_flow.blocks.size(); ++block)
        blocks.push_back({code.upper_flow.first[block], code.upper_flow.last[block],
                          code.upper_flow.blocks[block].successors});
    const auto fits =
        models::check_counters(*code.kernel.function, code.kernel.architecture, blocks);
    if (!fits) refuted(code.kernel.id + ": " + to_string(fits.error()));
}

using Sums = std::vector<std::vector<Term>>;

/// Without queueing delay.
Sums policy_sums(const LaunchDemand& demand, const ClaimRow& claim,
                 const CertificateValues& values) {
    if (!claim.warps.empty())
        return sums_of_warps({demand.code, demand.tables, {}, nullptr}, values, claim.warps);
    if (demand.code.geometry.warps == 1) return {{{1, 0, certificate_id::upper_path}}};
    return proved_policy_of(demand.code)
        .upper({demand.code, demand.tables, demand.policy, demand.memory.has_value(),
                demand.waits_in_memory(), values});
}

/// S50: from the end of a wait for a line to the next time slot of the warp, at most, where the gap
/// before it may be 0. Any other gap counts as a distance of time slots.
std::int64_t wait_behind_a_line(const LaunchDemand& demand) {
    if (demand.policy.distances.empty() || demand.code.geometry.warps == 1) return 0;
    const std::int64_t longest = any_distance(demand.policy.distances).longest;
    const DemandTable waits = demand_table(demand.code, [&](const Timing& timing, std::size_t) {
        return timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? 0 : longest - 1;
    });
    return waits.empty() ? 0 : *std::max_element(waits.begin(), waits.end());
}

/// Throws `Finding` where the policy is one under which a delay of the machine is not bounded.
void require_proofs(const LaunchDemand& demand) {
    const TimedCode& code = demand.code;
    const models::Architecture& machine = code.kernel.architecture;
    if (machine.has_read_ports()) require_proof(code, FurtherDelay::ReadPorts);
    if (machine.has_write_ports()) {
        require_proof(code, FurtherDelay::WritePorts);
        require_provable_results(code);
    }
    if (machine.has_variable_latency_reads()) {
        require_proof(code, FurtherDelay::QueuedReads);
        require_provable_reads(code);
    }
    if (machine.has_memory_queue()) require_proof(code, FurtherDelay::MemoryQueue);
}

Sums upper_sums(const LaunchDemand& demand, const ClaimRow& claim) {
    const CertificateValues values = values_for(demand, claim);
    const TimedCode& code = demand.code;
    require_proofs(demand);
    Sums sums = policy_sums(demand, claim, values);
    const bool has_slots = !demand.policy.distances.empty();
    const auto add = [&](const std::vector<Term>& further) {
        for (std::vector<Term>& terms : sums)
            terms.insert(terms.end(), further.begin(), further.end());
    };
    const std::vector<Term> fetch = fetch_terms_of(code, wait_behind_a_line(demand));
    if (!fetch.empty()) require_proof(code, FurtherDelay::InstructionLines);
    add(fetch);
    const std::vector<Term> operands = operand_terms_of(code);
    if (!operands.empty()) require_proof(code, FurtherDelay::Operands);
    add(operands);
    if (demand.atomics_wait) add(atomic_terms_of(code, has_slots));
    for (std::vector<Term>& terms : sums)
        if (demand.addressed)
            terms = with_addressed_terms(std::move(terms), *demand.addressed, values);
        else if (demand.memory)
            terms = with_queueing_terms(std::move(terms), *demand.memory, has_slots, values);
    return sums;
}

std::string first_certificate_of(const ClaimRow& claim) {
    return claim.terms.empty() ? "" : claim.terms.front().certificate;
}

/// The sum that the policy alone allows; none: the claim is of any policy.
std::optional<std::vector<Term>> lower_by_policy(const LaunchDemand& demand,
                                                 const ClaimRow& claim) {
    auto* const lower = proved_policy_of(demand.code).lower;
    if (demand.code.geometry.warps == 1 || lower == nullptr) return std::nullopt;
    return lower(demand.code, first_certificate_of(claim), values_for(demand, claim));
}

std::vector<Term> lower_by_any_policy(const LaunchDemand& demand, const ClaimRow& claim) {
    if (demand.code.geometry.warps == 1) return {{1, 0, certificate_id::lower_path}};
    return lower_terms_of(demand.code, demand.tables, first_certificate_of(claim));
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
        refuted(kernel.id + ": no measured time is bounded where accesses wait in memory");
    const std::string id =
        claim.upper ? certificate_id::measured_upper : certificate_id::measured_lower;
    const Certificate* certificate = find_certificate(kernel, id);
    if (certificate == nullptr || !certificate->between)
        incomplete(claim.id + ": path certificate " + id + " is missing");
    // C3: each read adds its own latency; the safe end of each counts.
    const auto first_reads = clock_reads(demand.code, certificate->between->first);
    const auto last_reads = clock_reads(demand.code, certificate->between->second);
    const bool one_block = certificate->between->first == certificate->between->second;
    if (first_reads.empty() || last_reads.empty() || (one_block && first_reads.size() < 2))
        refuted(claim.id + ": no two clock reads in its blocks");
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

/// S79, where no access states that it goes through the caches.
Sums loaded_data_sums(const LaunchDemand& demand, const ClaimRow& claim) {
    const KernelCase& kernel = demand.code.kernel;
    if (demand.memory) refuted(claim.id + ": rests on loaded data beside patterns of addresses");
    if (!claim.assumes_caches || claim.kind == "proved-bound")
        refuted(claim.id + ": does not name the assumption on caches that it rests on (S79)");
    Sums sums = sums_of_loaded_data(kernel, demand.code.geometry.multiprocessors, *claim.loaded);
    check_loaded_data(kernel, *claim.loaded);
    return sums;
}

/// A claim is one of these.
Sums possible_sums(const LaunchDemand& demand, const ClaimRow& claim) {
    if (claim.loaded && (claim.upper || claim.quantity != "execution-time"))
        refuted(claim.id + ": rests on loaded data, which only a lower bound of the launch does");
    if (claim.quantity == "measured-time") return {measured_sum(demand, claim)};
    if (claim.upper) return upper_sums(demand, claim);
    if (claim.loaded) return loaded_data_sums(demand, claim);
    Sums sums;
    if (demand.addressed)
        sums = bandwidth_terms(*demand.addressed, demand.code);
    else if (demand.memory) // S59, step 8: of line accesses at the L1s alone.
        sums = bandwidth_sums(demand.code, read_memory_layout(demand.code.kernel), Footprint{});
    if (auto terms = lower_by_policy(demand, claim))
        sums.push_back(std::move(*terms));
    else if (!first_certificate_of(claim).empty() || sums.empty())
        sums.push_back(lower_by_any_policy(demand, claim));
    return sums;
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
            refuted(fmt::format("{}: its sum lacks {} x {} cycles ({})", claim.id, term.count,
                                term.cycles,
                                term.certificate.empty() ? "machine" : term.certificate));
    }
    if (!stated.empty())
        refuted(claim.id + ": its sum has a term that the launch does not require");
    if (sum.count() != claim.value)
        refuted(fmt::format("{}: claims {}, its terms add up to {}", claim.id, claim.value,
                            sum.count()));
}

} // namespace

namespace {

/// Fills what the code, its accesses by address or not, makes of the launch.
LaunchDemand with_tables(LaunchDemand demand) {
    const TimedCode& code = demand.code;
    const KernelCase& kernel = code.kernel;
    const LaunchGeometry& geometry = code.geometry;
    require_counters_in_range(code);
    demand.tables = work_conserving_demand_of(code);
    add_memory_queue_demand(code, demand.tables);
    add_read_port_demand(code, demand.tables);
    add_operand_demand(code, demand.tables);
    subtract_from_holders(code, demand.tables);
    if (claims_warps(kernel))
        demand.tables[certificate_id::beyond_ports] = demand_beyond_ports(code, demand.tables);
    for (std::size_t i = 0; i < code.timings.size() && !demand.memory; ++i)
        if (code.reachable[i] && code.timings[i].value().through_caches)
            demand.memory = described_memory(kernel, geometry.multiprocessors);
    demand.atomics_wait = atomics_can_wait(code);
    demand.policy = policy_demand_of(code, demand.waits_in_memory());
    const std::vector<SlotDistance>& distances = demand.policy.distances;
    const std::int64_t longest = distances.empty() ? 0 : any_distance(distances).longest;
    if (demand.memory) demand.tables.merge(service_demand_of(code, *demand.memory));
    if (demand.memory && longest > 0) demand.tables.merge(slot_boundary_demand_of(code, longest));
    if (demand.atomics_wait) demand.tables.merge(atomic_demand_of(code, longest));
    demand.tables.insert(demand.policy.tables.begin(), demand.policy.tables.end());
    return demand;
}

LaunchDemand untabled(const KernelCase& kernel, const SideFlows& flows) {
    return {timed_code(kernel, flows, read_launch_geometry(kernel)), {}, {}, {}, false, {}};
}

} // namespace

LaunchDemand demand_of(const KernelCase& kernel, const SideFlows& flows) {
    return with_tables(untabled(kernel, flows));
}

LaunchDemand demand_of(const KernelCase& kernel, const SideFlows& flows, const ClaimRow& claim) {
    LaunchDemand demand = untabled(kernel, flows);
    if (claim.queueing || claim.by_addresses)
        demand.addressed.emplace(
            read_addressed_memory(demand.code, claim.queueing,
                                  claim.queueing ? issue_order_of(demand.code) : IssueOrder{}));
    return with_tables(std::move(demand));
}

namespace {

/// None: the claim is one of the sums. Else what is said of the first one.
std::optional<Finding> refusal_of_sums(const LaunchDemand& demand, const ClaimRow& claim) {
    std::optional<Finding> first;
    for (std::vector<Term>& expected : possible_sums(demand, claim)) {
        try {
            check_sum(values_for(demand, claim), claim, expected);
            return std::nullopt;
        } catch (const Finding& finding) {
            if (!first) first = finding;
        }
    }
    return first.value();
}

} // namespace

void check_terms(const LaunchDemand& demand, const ClaimRow& claim) {
    const std::optional<Finding> refusal = refusal_of_sums(demand, claim);
    if (!refusal) return;
    if (claim.upper && claim.quantity == "execution-time")
        for (const std::int64_t number : numbers_of_lines_left_out(demand.code)) {
            LaunchDemand by_index = demand;
            by_index.code.left_out_by_index = number;
            if (!refusal_of_sums(by_index, claim)) return;
        }
    throw Finding{*refusal};
}

} // namespace warpbound::certification::verify
