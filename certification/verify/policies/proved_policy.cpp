#include "certification/verify/policies/proved_policy.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/interference/operand_misses.hpp"
#include "certification/verify/interference/wave_cover.hpp"
#include "certification/verify/policies/schedules_in_slots.hpp"
#include "certification/verify/policies/strict_round_robin.hpp"
#include "certification/verify/policies/time_division.hpp"
#include "certification/verify/policies/two_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using models::PolicyKind;
using Sums = std::vector<std::vector<Term>>;

/// S12 to S15 and S20, and where it holds S74. `suffix`: as of `InterferenceInputs`.
Sums sums_in_any_order(const PolicyInputs& inputs, const std::string& suffix) {
    const InterferenceInputs of_path{inputs.code, inputs.tables, suffix, nullptr};
    Sums sums = critical_path_terms_of(of_path);
    for (std::vector<Term>& terms : cover_terms_of(of_path, inputs.values))
        sums.push_back(std::move(terms));
    return sums;
}

Sums sums_of_critical_path(const PolicyInputs& inputs) {
    return sums_in_any_order(inputs, {});
}

/// S27 is claimed where the kernel has its certificates.
Sums sums_in_rotation(const PolicyInputs& inputs) {
    const KernelCase& kernel = inputs.code.kernel;
    const std::string& suffix = inputs.demand.round_robin_suffix;
    const bool is_claimed = !suffix.empty() && !kernel.architecture.has_read_ports() &&
                            !has_queued_instructions(inputs.code) &&
                            find_certificate(kernel, certificate_id::stall + suffix) != nullptr;
    return sums_in_any_order(inputs, is_claimed ? suffix : std::string{});
}

void add_rotation(const TimedCode& code, bool waits_in_memory, PolicyDemand& demand) {
    const models::Architecture& machine = code.kernel.architecture;
    if (waits_in_memory || machine.has_instruction_caches() || machine.has_operand_caches()) return;
    InterferencePerTurn per_turn = interference_per_turn_of(code);
    demand.tables.merge(per_turn.tables);
    demand.round_robin_suffix = per_turn.suffix;
}

Sums sums_of_active_set(const PolicyInputs& inputs) {
    return critical_path_terms_of({inputs.code, inputs.tables, {}, [&](std::int64_t warps) {
                                       return active_set_terms_of(inputs.code, warps);
                                   }});
}

void prepare_active_set(const TimedCode& code, bool /*waits_in_memory*/, PolicyDemand& demand) {
    demand.tables.merge(active_set_demand_of(code));
}

/// S33 speaks of active sets only where instructions of fixed latency announce no result, S36 and
/// S42 only where no line is replaced, S78 always, S69 and S73 never.
bool covers_active_set(const TimedCode& code, FurtherDelay delay) {
    switch (delay) {
    case FurtherDelay::ReadPorts:
        return code.kernel.architecture.issue_control != models::IssueControl::Interlocked;
    case FurtherDelay::InstructionLines:
        return lines_stay_in_l0(code);
    case FurtherDelay::Operands:
        return all_operands_stay(code);
    case FurtherDelay::MemoryQueue:
        return true;
    case FurtherDelay::WritePorts:
    case FurtherDelay::QueuedReads:
        break;
    }
    return false;
}

Sums sums_of_strict_turns(const PolicyInputs& inputs) {
    return strict_round_robin_terms_of(inputs.code, inputs.tables, inputs.demand.rotations,
                                       inputs.waits_in_memory, inputs.values);
}

void add_strict_turns(const TimedCode& code, bool /*waits_in_memory*/, PolicyDemand& demand) {
    demand.rotations = rotation_demand_of(code);
    demand.tables.merge(demand.rotations.tables);
}

/// S50, S51 and S78; nothing is proved of constant operands, write ports and reads of variable
/// latency.
bool covers_stages(const TimedCode& /*code*/, FurtherDelay delay) {
    return delay == FurtherDelay::ReadPorts || delay == FurtherDelay::InstructionLines ||
           delay == FurtherDelay::MemoryQueue;
}

bool has_time_slots(const TimedCode& code) {
    return models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::TimeDivision;
}

/// S17, S30: the kernel then has no certificates of the upper side.
std::optional<std::vector<Term>> sum_of_schedules(const PolicyInputs& inputs) {
    const auto& certificates = inputs.code.kernel.certificates;
    if (std::any_of(certificates.begin(), certificates.end(), [](const Certificate& certificate) {
            return certificate.id.rfind(certificate_id::upper_path, 0) == 0;
        }))
        return std::nullopt;
    const auto times = times_of_schedules(inputs.code);
    if (!times) return std::nullopt;
    return std::vector<Term>{{1, times->upper().count(), ""}};
}

Sums sums_of_time_slots(const PolicyInputs& inputs) {
    if (auto schedules = sum_of_schedules(inputs)) return {std::move(*schedules)};
    return {time_division_upper_terms_of(inputs.code, inputs.tables, inputs.demand.distances,
                                         inputs.demand.blocked, inputs.through_caches,
                                         inputs.values)};
}

void add_time_slots(const TimedCode& code, bool /*waits_in_memory*/, PolicyDemand& demand) {
    demand.distances =
        distances_of_warp_slots(code.kernel.policy, code.geometry, code.geometry.block_slots);
    demand.tables.merge(queue_place_demand_of(code, demand.distances));
    if (demand.distances.empty()) return;
    demand.blocked = blocked_paths_of(code, demand.distances);
    demand.tables.merge(tables_of(demand.blocked));
}

constexpr ProvedPolicy conserving_work(PolicyKind kind) {
    return {.kind = kind, .upper = sums_of_critical_path, .theorems = "S12 to S15, S20, S74"};
}

constexpr std::array proved_policies{
    conserving_work(PolicyKind::Unknown),
    conserving_work(PolicyKind::OldestFirst),
    conserving_work(PolicyKind::GreedyThenOldest),
    conserving_work(PolicyKind::GreedyThenYoungest),
    ProvedPolicy{.kind = PolicyKind::LooseRoundRobin,
                 .add_demand = add_rotation,
                 .upper = sums_in_rotation,
                 .theorems = "S12 to S15, S20, S27, S74"},
    ProvedPolicy{.kind = PolicyKind::TwoLevel,
                 .holds_back = exceeds_active_set,
                 .add_demand = prepare_active_set,
                 .upper = sums_of_active_set,
                 .covers = covers_active_set,
                 .by_addresses = QueueingProof::OfSeveralWarps,
                 .theorems = "S29a, S31"},
    ProvedPolicy{.kind = PolicyKind::StrictRoundRobin,
                 .holds_back = has_strict_turns,
                 .add_demand = add_strict_turns,
                 .upper = sums_of_strict_turns,
                 .lower = strict_round_robin_lower_terms_of,
                 .covers = covers_stages,
                 .by_addresses = QueueingProof::OfSeveralWarps,
                 .theorems = "S25, S25a, S28, S29a, S77, S78"},
    ProvedPolicy{.kind = PolicyKind::VariableRate,
                 .holds_back = has_time_slots,
                 .add_demand = add_time_slots,
                 .upper = sums_of_time_slots,
                 .lower = time_division_lower_terms_of,
                 .covers = covers_stages,
                 .by_addresses = QueueingProof::InTimeSlots,
                 .theorems = "S17, S23, S29, S30, S78"},
};
static_assert(proved_policies.size() == models::named_policies.size());

const ProvedPolicy& row_of(PolicyKind kind) {
    return *std::find_if(proved_policies.begin(), proved_policies.end(),
                         [&](const ProvedPolicy& row) { return row.kind == kind; });
}

std::string_view text_of(FurtherDelay delay) {
    switch (delay) {
    case FurtherDelay::ReadPorts:
        return "on a machine with register-file/read-ports";
    case FurtherDelay::WritePorts:
        return "on a machine with register-file/write-ports";
    case FurtherDelay::QueuedReads:
        return "on a machine with register-file/variable-latency-reads";
    case FurtherDelay::MemoryQueue:
        return "on a machine with memory-queue";
    case FurtherDelay::InstructionLines:
        return "where lines of instructions may be replaced in the L0";
    case FurtherDelay::Operands:
        break;
    }
    return "with misses of these constant operands";
}

} // namespace

const ProvedPolicy& proved_policy_of(const TimedCode& code) {
    const ProvedPolicy& row = row_of(code.kernel.policy.kind);
    const bool is_conserving = row.holds_back != nullptr && !row.holds_back(code);
    return is_conserving ? row_of(PolicyKind::Unknown) : row;
}

PolicyDemand policy_demand_of(const TimedCode& code, bool waits_in_memory) {
    PolicyDemand demand;
    if (auto* const add = row_of(code.kernel.policy.kind).add_demand)
        add(code, waits_in_memory, demand);
    return demand;
}

IssueOrder issue_order_of(const TimedCode& code) {
    const ProvedPolicy& policy = proved_policy_of(code);
    if (code.geometry.warps == 1 || policy.holds_back == nullptr) return {};
    switch (policy.by_addresses) {
    case QueueingProof::OfSeveralWarps:
        return {.slot_distance = {}, .several_wait = true};
    case QueueingProof::InTimeSlots:
        return {.slot_distance =
                    any_distance(distances_of_warp_slots(code.kernel.policy, code.geometry,
                                                         code.geometry.block_slots))
                        .longest,
                .several_wait = false};
    case QueueingProof::None:
        break;
    }
    throw Finding{Verdict::Failed,
                  fmt::format("{}: queueing by addresses: nothing is proved of it under its policy "
                              "({})",
                              code.kernel.id, policy.theorems)};
}

void require_proof(const TimedCode& code, FurtherDelay delay) {
    if (code.geometry.warps == 1) return;
    const ProvedPolicy& policy = proved_policy_of(code);
    if (policy.holds_back == nullptr) return;
    if (policy.covers == nullptr || !policy.covers(code, delay))
        throw Finding{
            Verdict::Failed,
            fmt::format("{}: no bound of several warps is proved under its policy ({}) {}",
                        code.kernel.id, policy.theorems, text_of(delay))};
}

} // namespace warpbound::certification::verify
